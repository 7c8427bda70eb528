import BLEWire

/// Selects the data channel of a connection event.
enum ChannelSelection: Hashable {
    /// Algorithm #1 (Vol 6, Part B, 4.5.8.2): each event advances by `hop` channels. `unmapped` belongs to `event`.
    case one(hop: UInt8, unmapped: UInt8, event: UInt16)
    /// Algorithm #2 (Vol 6, Part B, 4.5.8.3): pseudo-random, from the access address and the event counter.
    case two(identifier: UInt16)

    /// The state of algorithm #1 before the first event.
    static func first(hop: UInt8) -> ChannelSelection { .one(hop: hop, unmapped: 0, event: 0xFFFF) }

    static func second(accessAddress: UInt32) -> ChannelSelection {
        .two(identifier: UInt16(truncatingIfNeeded: accessAddress >> 16) ^ UInt16(truncatingIfNeeded: accessAddress))
    }

    /// The channel of an event. Events increase; skipped events count.
    mutating func channel(event: UInt16, map: LL.ChannelMap) -> UInt8 {
        let used = max(1, map.count)
        switch self {
        case .one(let hop, let last, let lastEvent):
            let steps = Int(event &- lastEvent)
            let unmapped = UInt8((Int(last) + steps * Int(hop)) % 37)
            self = .one(hop: hop, unmapped: unmapped, event: event)
            if map.contains(unmapped) { return unmapped }
            return map.channel(at: Int(unmapped) % used) ?? unmapped
        case .two(let identifier):
            let random = Self.pseudoRandom(event: event, identifier: identifier)
            let unmapped = UInt8(random % 37)
            if map.contains(unmapped) { return unmapped }
            return map.channel(at: (used * Int(random)) >> 16) ?? unmapped
        }
    }

    /// The value prn_e (Vol 6, Part B, 4.5.8.3.2).
    static func pseudoRandom(event: UInt16, identifier: UInt16) -> UInt16 {
        var value = event ^ identifier
        for _ in 0..<3 {
            value = permute(value)
            value = value &* 17 &+ identifier
        }
        return value ^ identifier
    }

    /// Reverses the bits of each octet.
    private static func permute(_ value: UInt16) -> UInt16 {
        var value = value
        value = (value & 0xAAAA) >> 1 | (value & 0x5555) << 1
        value = (value & 0xCCCC) >> 2 | (value & 0x3333) << 2
        return (value & 0xF0F0) >> 4 | (value & 0x0F0F) << 4
    }
}
