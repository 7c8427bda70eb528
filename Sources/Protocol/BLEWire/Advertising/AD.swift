/// Advertising data: the AD structures of advertising and scan response data
/// (Vol 3, Part C, 11; Core Specification Supplement, Part A).
@usableFromInline
package enum AD {
    /// The capacity of legacy advertising data, or of a legacy scan response, in octets (Vol 4, Part E, 7.8.7).
    package static let legacyCapacity = 31
}

extension AD {
    /// The type octet of an AD structure (Assigned Numbers, 2.3). Unknown types are preserved.
    @usableFromInline
    package struct StructureType: RawRepresentable, Hashable, Sendable {
        @usableFromInline package let rawValue: UInt8
        @inlinable
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        // The equality of raw values in general would not be compiled into the code that compares types.
        @inlinable
        package static func == (left: Self, right: Self) -> Bool { left.rawValue == right.rawValue }

        @inlinable package static var flags: Self { Self(rawValue: 0x01) }
        @inlinable package static var incompleteServiceUUIDs16: Self { Self(rawValue: 0x02) }
        @inlinable package static var completeServiceUUIDs16: Self { Self(rawValue: 0x03) }
        @inlinable package static var incompleteServiceUUIDs32: Self { Self(rawValue: 0x04) }
        @inlinable package static var completeServiceUUIDs32: Self { Self(rawValue: 0x05) }
        @inlinable package static var incompleteServiceUUIDs128: Self { Self(rawValue: 0x06) }
        @inlinable package static var completeServiceUUIDs128: Self { Self(rawValue: 0x07) }
        @inlinable package static var shortenedLocalName: Self { Self(rawValue: 0x08) }
        @inlinable package static var completeLocalName: Self { Self(rawValue: 0x09) }
        @inlinable package static var transmitPower: Self { Self(rawValue: 0x0A) }
        @inlinable package static var connectionIntervalRange: Self { Self(rawValue: 0x12) }
        @inlinable package static var solicitedServiceUUIDs16: Self { Self(rawValue: 0x14) }
        @inlinable package static var solicitedServiceUUIDs128: Self { Self(rawValue: 0x15) }
        @inlinable package static var serviceData16: Self { Self(rawValue: 0x16) }
        @inlinable package static var appearance: Self { Self(rawValue: 0x19) }
        @inlinable package static var solicitedServiceUUIDs32: Self { Self(rawValue: 0x1F) }
        @inlinable package static var serviceData32: Self { Self(rawValue: 0x20) }
        @inlinable package static var serviceData128: Self { Self(rawValue: 0x21) }
        @inlinable package static var uri: Self { Self(rawValue: 0x24) }
        @inlinable package static var channelMapUpdate: Self { Self(rawValue: 0x28) }
        @inlinable package static var periodicResponseTiming: Self { Self(rawValue: 0x32) }
        @inlinable package static var manufacturerData: Self { Self(rawValue: 0xFF) }
    }
}

extension AD.StructureType {
    /// The octets of one UUID in a list of the device's services; 0 for other types.
    package var serviceUUIDWidth: Int {
        switch self {
        case .incompleteServiceUUIDs16, .completeServiceUUIDs16: 2
        case .incompleteServiceUUIDs32, .completeServiceUUIDs32: 4
        case .incompleteServiceUUIDs128, .completeServiceUUIDs128: 16
        default: 0
        }
    }

    /// The octets of one UUID in a list of solicited services; 0 for other types.
    package var solicitedUUIDWidth: Int {
        switch self {
        case .solicitedServiceUUIDs16: 2
        case .solicitedServiceUUIDs32: 4
        case .solicitedServiceUUIDs128: 16
        default: 0
        }
    }

    /// The octets of the UUID at the start of service data; 0 for other types.
    package var serviceDataUUIDWidth: Int {
        switch self {
        case .serviceData16: 2
        case .serviceData32: 4
        case .serviceData128: 16
        default: 0
        }
    }
}

/// The content of one type of AD structure: the octets after the length and the type.
package protocol ADContent: PDU, ~Escapable {
    static var type: AD.StructureType { get }
}
