public import Foundation

/// A beacon in the open format of altbeacon.org (version 1.0), in the manufacturer data of any company.
public struct AltBeacon: Hashable, Sendable {
    /// The company that assigned the beacon's identifier (Assigned Numbers, 7.1).
    public var company: UInt16
    /// The identifier of 20 octets: by convention 16 for the owner and 4 for the beacon.
    public let identifier: Data
    /// The signal strength at a distance of 1 m in dBm.
    public var referenceRSSI: Int8
    /// An octet for the manufacturer's use.
    public var reserved: UInt8

    /// - Parameters:
    ///   - company: The company that assigned the identifier.
    ///   - identifier: The identifier.
    ///   - referenceRSSI: The signal strength at a distance of 1 m in dBm.
    ///   - reserved: An octet for the manufacturer's use.
    /// - Throws: ``BeaconError/length(_:expected:)`` unless the identifier has 20 octets.
    public init(
        company: UInt16, identifier: Data, referenceRSSI: Int8, reserved: UInt8 = 0
    ) throws(BeaconError) {
        try BeaconError.check(identifier, Self.identifierCount)
        self.company = company
        self.identifier = Data(identifier)
        self.referenceRSSI = referenceRSSI
        self.reserved = reserved
    }

    /// Decodes manufacturer data with its company identifier. Nil if the data is not an AltBeacon advertisement.
    public init?(manufacturerData data: Data) {
        var reader = OctetReader(data)
        guard reader.count == Self.encodedCount, let company = reader.little16(), reader.big16() == Self.code,
            let identifier = reader.octets(Self.identifierCount), let power = reader.octet(),
            let reserved = reader.octet()
        else { return nil }
        self.company = company
        self.identifier = identifier
        self.referenceRSSI = Int8(bitPattern: power)
        self.reserved = reserved
    }

    /// The manufacturer data of this beacon, 26 octets.
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
