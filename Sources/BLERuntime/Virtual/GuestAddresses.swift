import BLEAdapter
import BLEWire
import Synchronization

/// The addresses of the guests of a radio. An address follows from the radio's seed and the guest's name, so that a program that
/// restarts is the same device; guests with equal names are distinguished by the first number from 0 that is free.
struct GuestAddresses {
    private static let mask: UInt64 = 0xFFFF_FFFF_FFFF
    /// The random part of a random address; the two bits above it are its type (Vol 6, Part B, 1.3.2).
    private static let randomPart: UInt64 = 0x3FFF_FFFF_FFFF
    /// Locally administered, for one device (IEEE 802, 8.2): no manufacturer has such a public address.
    private static let localBits: UInt64 = 0x0200_0000_0000
    private static let clearedBits: UInt64 = 0x0300_0000_0000

    private let function: SipHash
    /// As they are on the air: a public and a random address with equal octets are two addresses.
    private var taken: Set<DeviceAddress> = []

    init(seed: UInt64) { function = SipHash(key: (seed, 0x6164_6472_6573_7365)) }

    /// An address that no guest has, as it goes on the air.
    ///
    /// - Parameters:
    ///   - wish: preferred to one that follows from the name; if it is taken, the next higher one that is free. The type of a random address
    ///     stays as wished.
    ///   - kind: a random address without a wish is static.
    mutating func take(for name: String, wish: UInt64?, kind: DeviceAddress.Kind) -> DeviceAddress {
        let counted = kind == .random ? Self.randomPart : Self.mask
        let type = kind == .random ? (wish ?? Self.mask) & Self.mask & ~counted : 0
        var number: UInt64 = 0
        while true {
            let part = (wish.map { $0 &+ number } ?? derived(name, number)) & counted
            number += 1
            // No device has an address, or a random part, of all zeros or all ones (Vol 6, Part B, 1.3.2.1).
            guard part != 0, part != counted else { continue }
            let address = DeviceAddress(kind: kind, value: type | part)
            if taken.insert(address).inserted { return address }
        }
    }

    mutating func giveBack(_ address: DeviceAddress) { taken.remove(address) }

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
