import BLEWire

/// Reads the Database Hash of a bonded server by its UUID (Vol 3, Part G, 7.3), and announces robust caching, and several notifications in one
/// PDU, in Client Supported Features if the server has that characteristic (7.2).
struct CacheValidation: ClientProcedure {
    struct Outcome: Hashable {
        /// Nil if the server has no Database Hash.
        var databaseHash: UInt128?
        /// Whether the server knows that this client supports robust caching.
        var hasAnnouncedRobustCaching: Bool
    }

    private enum State {
        case hash
        case features(UInt128)
        case announcing(UInt128)
    }

    /// Several notifications in one PDU belong to enhanced bearers: BlueZ sends every notification in that form to a client that announces it.
    private static let features: ClientFeatures = .robustCaching
    private let announces: Bool
    private var state = State.hash

    /// - Parameter announces: Whether to announce robust caching. The server keeps the announcement with the bond.
    init(announces: Bool) { self.announces = announces }

    mutating func start(mtu: Int) -> ClientStep<Outcome> { .send(.readByType(.all, GATTType.databaseHash)) }

    mutating func receive(_ packet: ATT.Packet, mtu: Int) -> ClientStep<Outcome> {
        switch (state, packet) {
        case (.hash, .readByTypeResponse(let response)):
            guard let hash = Self.hash(response) else { return .malformed }
            guard announces else { return finish(hash, true) }
            state = .features(hash)
            return .send(.readByType(.all, GATTType.clientSupportedFeatures))
        case (.hash, .errorResponse(let error)):
            guard error.code == .attributeNotFound else { return .refused(error) }
            return .finish(Outcome(databaseHash: nil, hasAnnouncedRobustCaching: false))

        case (.features(let hash), .readByTypeResponse(let response)):
            var features = [UInt8](response.value(at: 0))
            if features.isEmpty { features = [0] }
            guard !Self.features.isSubset(of: ClientFeatures(rawValue: features[0])) else { return finish(hash, true) }
            features[0] |= Self.features.rawValue
            state = .announcing(hash)
            return .send(.write(handle: response.handle(at: 0), value: features))
        case (.announcing(let hash), .writeResponse): return finish(hash, true)
        // The server works without robust caching.
        case (.features(let hash), .errorResponse), (.announcing(let hash), .errorResponse): return finish(hash, false)
        default: return .nonsense
        }
    }

    private func finish(_ hash: UInt128, _ hasAnnounced: Bool) -> ClientStep<Outcome> {
        .finish(Outcome(databaseHash: hash, hasAnnouncedRobustCaching: hasAnnounced))
    }

    /// The value of the first Database Hash in a response; nil unless it has 16 octets.
    static func hash(_ response: borrowing ATT.ReadByTypeResponse) -> UInt128? {
        var value = response.value(at: 0)
        guard value.count == 16 else { return nil }
        return try? value.readUInt128()
    }
}
