import BLEWire

/// What a bonded client left in the server: its configurations, its features and its knowledge of the database (Vol 3, Part G,
/// 2.5.2.1, 3.3.3.3 and 7.2). A bond store keeps it as octets.
struct RememberedClient: Hashable, Sendable {
    struct Configuration: Hashable, Sendable {
        var valueHandle: UInt16
        /// Bit 0 for notifications, bit 1 for indications.
        var bits: UInt8
        var fingerprint: UInt32
    }

    private static let version: UInt8 = 1
    /// The limit of configurations. The octets stay below the limit of a bond store (4,096).
    static let limit = 512

    var features: ClientFeatures
    /// Whether the client knew the database with `databaseHash`.
    var isAware: Bool
    var databaseHash: UInt128?
    var configurations: [Configuration]

    /// Version, features, change-awareness, 1 and the Database Hash or 0, then the configurations in 7 octets each, least
    /// significant octet first.
    var octets: [UInt8] {
        var octets: [UInt8] = [Self.version, features.rawValue, isAware ? 1 : 0, databaseHash == nil ? 0 : 1]
        if let databaseHash { octets.append(littleEndian: databaseHash) }
        for configuration in configurations.prefix(Self.limit) {
            octets.append(littleEndian: configuration.valueHandle)
            octets.append(configuration.bits)
            octets.append(littleEndian: configuration.fingerprint)
        }
        return octets
    }
}

extension RememberedClient {
    /// Throws for another version, and for octets that `octets` does not produce.
    init(decoding octets: Span<UInt8>) throws(DecodeError) {
        var octets = octets
        guard try octets.readUInt8() == Self.version else { throw .invalidValue }
        features = ClientFeatures(rawValue: try octets.readUInt8())
        let awareness = try octets.readUInt8()
        let hasHash = try octets.readUInt8()
        guard features.isSubset(of: .known), awareness <= 1, hasHash <= 1 else { throw .invalidValue }
        isAware = awareness == 1
        databaseHash = hasHash == 1 ? try octets.readUInt128() : nil
        configurations = []
        while !octets.isEmpty {
            guard configurations.count < Self.limit else { throw .invalidLength }
            let handle = try octets.readUInt16()
            let bits = try octets.readUInt8()
            let fingerprint = try octets.readUInt32()
            guard handle > 0, (1...3).contains(bits) else { throw .invalidValue }
            configurations.append(Configuration(valueHandle: handle, bits: bits, fingerprint: fingerprint))
        }
    }
}
