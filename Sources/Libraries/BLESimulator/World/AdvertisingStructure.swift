import BLEWire
import Foundation

/// An AD structure of advertising data: a length, a type and a value (Core Specification, Vol 3, Part C, 11).
///
/// Advertising data is a sequence of structures, in legacy packets with at most 31 octets:
///
/// ```swift
/// let data: [AdvertisingStructure] = [.flags(), .manufacturer(0xFFFF, [1, 2, 3])]
/// ```
public struct AdvertisingStructure: Hashable, Sendable {
    /// The AD type (Assigned Numbers, 2.3).
    public var type: UInt8
    /// The octets after the type, at most 254.
    public var value: [UInt8]

    /// Creates a structure of any type.
    public init(type: UInt8, value: [UInt8]) {
        self.type = type
        self.value = value
    }

    /// Length, type and value, as sent on the air.
    public var octets: [UInt8] { [UInt8(truncatingIfNeeded: value.count + 1), type] + value }

    /// The Flags structure. The bit 0x02 is LE General Discoverable Mode, the bit 0x04 is BR/EDR Not Supported.
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

    /// The complete list of service UUIDs of one length.
    ///
    /// - Throws: ``RawAdvertisement/ParameterError`` if a text is not a UUID of 4, 8 or 32 digits, or if the lengths differ.
    public static func services(_ uuids: [String]) throws(RawAdvertisement.ParameterError) -> Self {
        let list = uuids.compactMap(BluetoothUUID.init)
        guard list.count == uuids.count, let width = list.first?.octetCount,
            list.allSatisfy({ $0.octetCount == width })
        else {
            throw RawAdvertisement.ParameterError(
                description: "A list of services has UUIDs of 4, 8 or 32 digits, all of one length.")
        }
        let type: AD.StructureType =
            switch width {
            case 2: .completeServiceUUIDs16
            case 4: .completeServiceUUIDs32
            default: .completeServiceUUIDs128
            }
        return Self(type: type.rawValue, value: list.flatMap(octets))
    }

    /// Service data.
    ///
    /// - Throws: ``RawAdvertisement/ParameterError`` if the text is not a UUID of 4, 8 or 32 digits.
    public static func serviceData(
        _ uuid: String, _ data: [UInt8]
    ) throws(RawAdvertisement.ParameterError) -> Self {
        guard let uuid = BluetoothUUID(uuid) else {
            throw RawAdvertisement.ParameterError(description: "Service data has a UUID of 4, 8 or 32 digits.")
        }
        let type: AD.StructureType =
            switch uuid.octetCount {
            case 2: .serviceData16
            case 4: .serviceData32
            default: .serviceData128
            }
        return Self(type: type.rawValue, value: octets(of: uuid) + data)
    }

    /// Manufacturer data with its company identifier (Assigned Numbers, 7).
    public static func manufacturer(_ company: UInt16, _ data: [UInt8]) -> Self {
        Self(
            type: AD.StructureType.manufacturerData.rawValue,
            value: [UInt8(truncatingIfNeeded: company), UInt8(truncatingIfNeeded: company >> 8)] + data)
    }

    /// The manufacturer data of an iBeacon: Apple's company identifier, a proximity UUID and two numbers.
    ///
    /// - Parameters:
    ///   - uuid: The identifier that all beacons of an owner share.
    ///   - major: The group within the owner's beacons.
    ///   - minor: The beacon within its group.
    ///   - measuredPower: The signal strength at one metre in dBm.
    public static func iBeacon(_ uuid: UUID, major: UInt16, minor: UInt16, measuredPower: Int8 = -59) -> Self {
        func bigEndian(_ number: UInt16) -> [UInt8] { [UInt8(number >> 8), UInt8(truncatingIfNeeded: number)] }
        let octets = withUnsafeBytes(of: uuid.uuid) { Array($0) }
        return manufacturer(
            0x004C,
            [0x02, 0x15] + octets + bigEndian(major) + bigEndian(minor) + [UInt8(bitPattern: measuredPower)])
    }

    private static func octets(of uuid: BluetoothUUID) -> [UInt8] {
        var octets: [UInt8] = []
        // The array grows, so encoding cannot fail.
        try? octets.append(encoding: uuid)
        return octets
    }
}
