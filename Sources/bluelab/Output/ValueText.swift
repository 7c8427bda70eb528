import BLEValues
import CoreBluetooth

/// Formats the values of attributes: by their adopted formats, else as text, else as octets with a possible number.
enum ValueText {
    static func fitting(_ octets: [UInt8], of characteristic: CBUUID) -> String {
        FittingText.text(octets, shortValue(characteristic).flatMap(Schemas.schema))
    }

    static func fitting(_ octets: [UInt8], ofDescriptor descriptor: CBUUID) -> String {
        FittingText.text(octets, shortValue(descriptor).flatMap(Schemas.descriptorSchema))
    }

    /// Replaces characters that move the cursor or change colours.
    static func printable(_ text: String) -> String { FittingText.printable(text) }
}
