public import Foundation

/// A beacon in Apple's format: a UUID, two numbers and the power at one metre, in manufacturer data.
///
/// A central receives the octets under `CBAdvertisementDataManufacturerDataKey`. On Apple's systems CoreBluetooth hides iBeacon
/// advertisements, and CoreLocation reports them. On Linux every advertisement is visible.
public struct IBeacon: Hashable, Sendable {
    /// The identifier that all beacons of an owner share.
    public var uuid: UUID
    /// The group within the owner's beacons.
    public var major: UInt16
    /// The beacon within its group.
    public var minor: UInt16
    /// The signal strength at a distance of 1 m in dBm.
    public var measuredPower: Int8

    /// - Parameters:
    ///   - uuid: The identifier that all beacons of an owner share.
    ///   - major: The group within the owner's beacons.
    ///   - minor: The beacon within its group.
    ///   - measuredPower: The signal strength at 1 m in dBm.
    public init(uuid: UUID, major: UInt16, minor: UInt16, measuredPower: Int8 = -59) {
        self.uuid = uuid
        self.major = major
        self.minor = minor
        self.measuredPower = measuredPower
    }

    /// Decodes manufacturer data with its company identifier. Nil if the data is not an iBeacon advertisement.
    ///
    /// The data has exactly 25 octets: company 0x004C, type 0x02, length 0x15, the UUID, major and minor in big endian order, and
    /// the power.
    public init?(manufacturerData data: Data) {
        var reader = OctetReader(data)
        guard reader.count == Self.encodedCount, reader.little16() == Company.apple, reader.octet() == Self.type,
            reader.octet() == Self.length, let uuid = reader.uuid(), let major = reader.big16(),
            let minor = reader.big16(), let power = reader.octet()
        else { return nil }
        self.init(uuid: uuid, major: major, minor: minor, measuredPower: Int8(bitPattern: power))
    }

    /// The manufacturer data of this beacon, 25 octets.
    public var manufacturerData: Data {
        var data = Data(capacity: Self.encodedCount)
        data.append(little: Company.apple)
        data.append(Self.type)
        data.append(Self.length)
        data.append(uuid)
        data.append(big: major)
        data.append(big: minor)
        data.append(UInt8(bitPattern: measuredPower))
        return data
    }

    private static let type: UInt8 = 0x02
    private static let length: UInt8 = 0x15
    private static let encodedCount = 25
}
