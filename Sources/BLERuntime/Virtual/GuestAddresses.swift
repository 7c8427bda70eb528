import Synchronization

/// The addresses of the guests of a radio. An address follows from the radio's seed and the guest's name, so that a program that
/// restarts is the same device; guests with equal names are distinguished by the first number from 0 that is free.
struct GuestAddresses {
    private static let mask: UInt64 = 0xFFFF_FFFF_FFFF
    /// Locally administered, for one device (IEEE 802, 8.2): no manufacturer has such a public address.
    private static let localBits: UInt64 = 0x0200_0000_0000
    private static let clearedBits: UInt64 = 0x0300_0000_0000

    private let function: SipHash
    private var taken: Set<UInt64> = []

    init(seed: UInt64) { function = SipHash(key: (seed, 0x6164_6472_6573_7365)) }

    /// An address that no guest has.
    ///
    /// - Parameter wish: preferred to one that follows from the name; if it is taken, the next higher one that is free.
    mutating func take(for name: String, wish: UInt64?) -> UInt64 {
        var number: UInt64 = 0
        while true {
            let address = wish.map { ($0 &+ number) & Self.mask } ?? derived(name, number)
            if address != 0, taken.insert(address).inserted { return address }
            number += 1
        }
    }

    mutating func giveBack(_ address: UInt64) { taken.remove(address) }

    private func derived(_ name: String, _ number: UInt64) -> UInt64 {
        let octets = (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * UInt64($0))) }
        return function.hash(octets + Array(name.utf8)) & Self.mask & ~Self.clearedBits | Self.localBits
    }
}

/// Numbers the members of a stage from 0, on any thread.
final class MemberNumbers: Sendable {
    private let count = Atomic(0)

    func next() -> Int { count.add(1, ordering: .relaxed).oldValue }
}
