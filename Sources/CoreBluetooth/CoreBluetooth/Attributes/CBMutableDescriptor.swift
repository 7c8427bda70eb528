import Foundation

/// A descriptor of this machine.
open class CBMutableDescriptor: CBDescriptor {
    /// Creates a descriptor with a static value.
    ///
    /// - Parameters:
    ///   - UUID: The UUID of the descriptor. The system owns 2900, 2902 and 2903: ``CBPeripheralManager/add(_:)`` refuses them.
    ///   - value: A `String` for 2901 and `Data` for 2904. A value of another type ends the program, as with an exception of
    ///     Apple's framework. For other descriptors `Data`, or nil for an empty value. See ``init(validating:value:)``.
    public init(type UUID: CBUUID, value: Any?) {
        if let sentence = Self.objection(to: value, of: UUID) { APIMisuse.trap(sentence) }
        super.init(uuid: UUID, value: value, handle: 0, characteristic: nil)
    }

    /// Creates a descriptor, or throws an error if the value has the wrong type. Linux only.
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

    /// The octets of the value; nil if its type cannot be encoded.
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
