/// The counters that arrived from one end: each is accepted once, and none that is more than 1,024 behind the newest (as RFC 4303, 3.4.3
/// does it for packets of IPsec).
package struct ReplayWindow: Sendable {
    package static let size: UInt64 = 1024
    private var newest: UInt64?
    private var bits = [UInt64](repeating: 0, count: Int(size / 64))

    package init() {}

    /// Whether the counter is new and not too old.
    package func accepts(_ counter: UInt64) -> Bool {
        guard let newest, counter <= newest else { return true }
        return newest - counter < Self.size && bits[place(counter)] & bit(counter) == 0
    }

    /// Marks the counter of an authentic message, which `accepts` has accepted.
    package mutating func insert(_ counter: UInt64) {
        if let newest, counter > newest {
            if counter - newest >= Self.size {
                for index in bits.indices { bits[index] = 0 }
            } else {
                for skipped in newest + 1...counter { bits[place(skipped)] &= ~bit(skipped) }
            }
        }
        newest = max(newest ?? counter, counter)
        bits[place(counter)] |= bit(counter)
    }

    private func place(_ counter: UInt64) -> Int { Int(counter % Self.size / 64) }
    private func bit(_ counter: UInt64) -> UInt64 { 1 << (counter % 64) }
}
