import BLEValues
import CoreBluetooth
import Foundation

extension CBDescriptor {
    /// The value as octets: CoreBluetooth has numbers and text for some descriptors.
    package var octets: [UInt8] {
        switch value {
        case let octets as Data: Array(octets)
        case let text as String: Array(text.utf8)
        // Extended Properties and both Configurations have 16 bits (Vol 3, Part G, 3.3.3).
        case let number as NSNumber: [UInt8(number.uint16Value & 0xFF), UInt8(number.uint16Value >> 8)]
        default: []
        }
    }

    private var isUserDescription: Bool { uuid.shortValue == 0x2901 }
    private var isPresentationFormat: Bool { uuid.shortValue == 0x2904 }

    /// Whether the value describes the characteristic: a Characteristic User Description or a Characteristic Presentation Format
    /// (Vol 3, Part G, 3.3.3.2 and 3.3.3.5).
    package var describesCharacteristic: Bool { isUserDescription || isPresentationFormat }

    /// The text of a user description that was read; nil for an empty one and for other descriptors.
    package var userDescription: String? {
        guard isUserDescription, let text = value as? String, !text.isEmpty else { return nil }
        return text
    }

    /// The presentation format that was read; nil for a malformed one and for other descriptors.
    package var presentationFormat: PresentationFormat? {
        isPresentationFormat ? PresentationFormat(octets) : nil
    }
}
