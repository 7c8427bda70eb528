public import Foundation

/// The open beacon format of altbeacon.org (version 1.0), in manufacturer specific data of any company.
public struct AltBeacon: Hashable, Sendable {
    /// The company that assigned the beacon's identifier (Assigned Numbers, 7.1).
    public var company: UInt16
    /// 20 octets: by convention 16 for the owner and 4 for the beacon.
    public let identifier: Data
    /// The signal strength that a receiver measures at a distance of 1 m, dBm.
    public var referenceRSSI: Int8
    /// One octet for the manufacturer's own use.
    public var reserved: UInt8

    /// - Parameter identifier: exactly 20 octets; nil is returned for any other length.
    public init?(company: UInt16, identifier: Data, referenceRSSI: Int8, reserved: UInt8 = 0) {
        guard identifier.count == Self.identifierCount else { return nil }
        self.company = company
        self.identifier = Data(identifier)
        self.referenceRSSI = referenceRSSI
        self.reserved = reserved
    }

    /// Reads manufacturer specific data, company identifier included. Nil if the data is not an AltBeacon advertisement.
    public init?(manufacturerData data: Data) {
        var reader = OctetReader(data)
        guard reader.count == Self.encodedCount, let company = reader.little16(), reader.big16() == Self.code,
            let identifier = reader.octets(Self.identifierCount), let power = reader.octet(),
            let reserved = reader.octet()
        else { return nil }
        self.init(
            company: company, identifier: identifier, referenceRSSI: Int8(bitPattern: power), reserved: reserved)
    }

    /// The manufacturer specific data that advertises this beacon, 26 octets.
    public var manufacturerData: Data {
        var data = Data(capacity: Self.encodedCount)
        data.append(little: company)
        data.append(big: Self.code)
        data.append(identifier)
        data.append(UInt8(bitPattern: referenceRSSI))
        data.append(reserved)
        return data
    }

    private static let code: UInt16 = 0xBEAC
    private static let identifierCount = 20
    private static let encodedCount = 26
}
