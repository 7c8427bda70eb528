import BLEWire
import Foundation

/// One AD structure of advertising data: a length, a type and a value (Core Specification, Vol 3, Part C, 11).
///
/// The octets of advertising data are those of its structures one after another, 31 at most:
///
/// ```swift
/// let data: [AdvertisingStructure] = [.flags(), .manufacturer(0xFFFF, [1, 2, 3])]
/// ```
public struct AdvertisingStructure: Hashable, Sendable {
    /// The type (Assigned Numbers, 2.3).
    public var type: UInt8
    /// The octets after the type; one structure holds 254 at most.
    public var value: [UInt8]

    /// A structure of any type.
    public init(type: UInt8, value: [UInt8]) {
        self.type = type
        self.value = value
    }

    /// Length, type and value, as on the air.
    public var octets: [UInt8] { [UInt8(truncatingIfNeeded: value.count + 1), type] + value }

    /// Flags: 0x02 is general discoverable, 0x04 says that there is no BR/EDR.
    public static func flags(_ flags: UInt8 = 0x06) -> Self {
        Self(type: AD.StructureType.flags.rawValue, value: [flags])
    }

    /// The complete local name.
    public static func localName(_ name: String) -> Self {
        Self(type: AD.StructureType.completeLocalName.rawValue, value: Array(name.utf8))
    }

    /// The transmit power in dBm.
    public static func transmitPower(_ power: Int8) -> Self {
        Self(type: AD.StructureType.transmitPower.rawValue, value: [UInt8(bitPattern: power)])
    }

    /// The complete list of services with UUIDs of one width. Nil if a text is no UUID of 4, 8 or 32 digits, or the widths differ.
    public static func services(_ uuids: [String]) -> Self? {
        let list = uuids.compactMap(BluetoothUUID.init)
        guard list.count == uuids.count, let width = list.first?.octetCount,
            list.allSatisfy({ $0.octetCount == width })
        else { return nil }
        let type: AD.StructureType =
            switch width {
            case 2: .completeServiceUUIDs16
            case 4: .completeServiceUUIDs32
            default: .completeServiceUUIDs128
            }
        return Self(type: type.rawValue, value: list.flatMap(octets))
    }

    /// Data that belongs to a service. Nil if the text is no UUID of 4, 8 or 32 digits.
    public static func serviceData(_ uuid: String, _ data: [UInt8]) -> Self? {
        guard let uuid = BluetoothUUID(uuid) else { return nil }
        let type: AD.StructureType =
            switch uuid.octetCount {
            case 2: .serviceData16
            case 4: .serviceData32
            default: .serviceData128
            }
        return Self(type: type.rawValue, value: octets(of: uuid) + data)
    }

    /// Data of a manufacturer, by its company identifier (Assigned Numbers, 7).
    public static func manufacturer(_ company: UInt16, _ data: [UInt8]) -> Self {
        Self(
            type: AD.StructureType.manufacturerData.rawValue,
            value: [UInt8(truncatingIfNeeded: company), UInt8(truncatingIfNeeded: company >> 8)] + data)
    }

    /// What an iBeacon sends: Apple's manufacturer data with a proximity UUID and two numbers.
    ///
    /// - Parameter measuredPower: the signal at a distance of one metre, in dBm.
    public static func iBeacon(_ uuid: UUID, major: UInt16, minor: UInt16, measuredPower: Int8 = -59) -> Self {
        func bigEndian(_ number: UInt16) -> [UInt8] { [UInt8(number >> 8), UInt8(truncatingIfNeeded: number)] }
        let octets = withUnsafeBytes(of: uuid.uuid) { Array($0) }
        return manufacturer(
            0x004C,
            [0x02, 0x15] + octets + bigEndian(major) + bigEndian(minor) + [UInt8(bitPattern: measuredPower)])
    }

    private static func octets(of uuid: BluetoothUUID) -> [UInt8] {
        var octets: [UInt8] = []
        // An array has room for it.
        try? octets.append(encoding: uuid)
        return octets
    }
}
