import DeviceFiles
import BLEValues
import CoreBluetooth

/// Formats the values of attributes: by their adopted formats, else as text, else as octets with a possible number.
enum ValueText {
    static func fitting(_ octets: [UInt8], of characteristic: CBUUID) -> String {
        AttributeText.text(octets, of: characteristic)
    }

    static func fitting(_ octets: [UInt8], ofDescriptor descriptor: CBUUID) -> String {
        AttributeText.text(octets, ofDescriptor: descriptor)
    }

    /// Replaces characters that move the cursor or change colours.
    static func printable(_ text: String) -> String { FittingText.printable(text) }
}
