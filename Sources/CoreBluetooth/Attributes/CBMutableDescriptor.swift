#if !canImport(Darwin)
import Foundation

/// A descriptor that this machine offers.
open class CBMutableDescriptor: CBDescriptor {
    /// Makes a descriptor with a value that never changes.
    ///
    /// - Parameters:
    ///   - UUID: The UUID of the descriptor. 2900, 2902 and 2903 are the system's: ``CBPeripheralManager/add(_:)`` refuses them.
    ///   - value: A `String` for 2901 and `Data` for 2904; anything else ends the program, as Apple's framework does with an
    ///     exception. For other descriptors `Data`, or nil for none. See ``init(validating:value:)``.
    public init(type UUID: CBUUID, value: Any?) {
        if let sentence = Self.objection(to: value, of: UUID) { APIMisuse.trap(sentence) }
        super.init(uuid: UUID, value: value, handle: 0, characteristic: nil)
    }

    /// The same, but a value of the wrong type is thrown as an error. Only on Linux.
    ///
    /// - Parameters:
    ///   - type: The UUID of the descriptor.
    ///   - value: The value.
    /// - Throws: `CBError.invalidParameters`.
    public init(validating type: CBUUID, value: Any?) throws {
        if let sentence = Self.objection(to: value, of: type) {
            throw CBError(describing: .invalidParameters, sentence)
        }
        super.init(uuid: type, value: value, handle: 0, characteristic: nil)
    }

    private static func objection(to value: Any?, of uuid: CBUUID) -> String? {
        switch uuid.value.shortValue {
        case 0x2901 where !(value is String): "\(uuid) descriptors must have a value of type NSString"
        case 0x2904 where !(value is Data): "\(uuid) descriptors must have a value of type NSData"
        default: nil
        }
    }

    /// The value as octets; nil if its type has no such form.
    var octets: [UInt8]? {
        switch value {
        case nil: []
        case let value as Data: [UInt8](value)
        case let value as String: [UInt8](value.utf8)
        case let value as [UInt8]: value
        default: nil
        }
    }
}
#endif
