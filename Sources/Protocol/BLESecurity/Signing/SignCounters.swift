import BLEWire

/// The sign counters of a bond (Vol 3, Part C, 10.4.1). A bond store keeps them as octets.
package struct SignCounters: Hashable, Sendable {
    private static let version: UInt8 = 1
    /// The number of counters: a key signs no more messages.
    static let limit: UInt64 = 1 << 32

    /// The counter of this device's next signature, 0 to `limit`.
    var local: UInt64 = 0
    /// The lowest counter that a signature of the peer may have, 0 to `limit`.
    var peer: UInt64 = 0

    init() {}

    /// The version, then both counters in 8 octets each, least significant octet first.
    package var octets: [UInt8] {
        var octets = [Self.version]
        for counter in [local, peer] {
            for shift: UInt64 in stride(from: 0, to: 64, by: 8) {
                octets.append(UInt8(truncatingIfNeeded: counter >> shift))
            }
        }
        return octets
    }

    /// Throws for another version, and for octets that `octets` does not produce.
    package init(decoding octets: Span<UInt8>) throws(DecodeError) {
        var octets = octets
        guard try octets.readUInt8() == Self.version else { throw .invalidValue }
        local = try octets.readUInt64()
        peer = try octets.readUInt64()
        try octets.finish()
        guard local <= Self.limit, peer <= Self.limit else { throw .invalidValue }
    }

    /// Each counter as far as either has come. Octets that cannot be decoded count as the later ones: they let no signature pass.
    package static func later(_ first: [UInt8], _ second: [UInt8]) -> [UInt8] {
        guard var counters = try? SignCounters(decoding: first.span) else { return first }
        guard let others = try? SignCounters(decoding: second.span) else { return second }
        counters.local = max(counters.local, others.local)
        counters.peer = max(counters.peer, others.peer)
        return counters.octets
    }
}
