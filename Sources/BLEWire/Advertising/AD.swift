/// Advertising data: the AD structures of advertising and scan response data
/// (Vol 3, Part C, 11; Core Specification Supplement, Part A).
package enum AD {
    /// The capacity of legacy advertising data, or of a legacy scan response, in octets (Vol 4, Part E, 7.8.7).
    package static let legacyCapacity = 31
}

extension AD {
    /// The type octet of an AD structure (Assigned Numbers, 2.3). Unknown types are preserved.
    package struct StructureType: RawRepresentable, Hashable, Sendable {
        package let rawValue: UInt8
        @inlinable
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        // The equality of raw values in general would not be compiled into the code that compares types.
        @inlinable
        package static func == (left: Self, right: Self) -> Bool { left.rawValue == right.rawValue }

        package static let flags = Self(rawValue: 0x01)
        package static let incompleteServiceUUIDs16 = Self(rawValue: 0x02)
        package static let completeServiceUUIDs16 = Self(rawValue: 0x03)
        package static let incompleteServiceUUIDs32 = Self(rawValue: 0x04)
        package static let completeServiceUUIDs32 = Self(rawValue: 0x05)
        package static let incompleteServiceUUIDs128 = Self(rawValue: 0x06)
        package static let completeServiceUUIDs128 = Self(rawValue: 0x07)
        package static let shortenedLocalName = Self(rawValue: 0x08)
        package static let completeLocalName = Self(rawValue: 0x09)
        package static let transmitPower = Self(rawValue: 0x0A)
        package static let connectionIntervalRange = Self(rawValue: 0x12)
        package static let solicitedServiceUUIDs16 = Self(rawValue: 0x14)
        package static let solicitedServiceUUIDs128 = Self(rawValue: 0x15)
        package static let serviceData16 = Self(rawValue: 0x16)
        package static let appearance = Self(rawValue: 0x19)
        package static let solicitedServiceUUIDs32 = Self(rawValue: 0x1F)
        package static let serviceData32 = Self(rawValue: 0x20)
        package static let serviceData128 = Self(rawValue: 0x21)
        package static let uri = Self(rawValue: 0x24)
        package static let manufacturerData = Self(rawValue: 0xFF)
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
