import BLEWire
import Synchronization

/// Allocates the addresses of the devices on a shared radio. An address follows from the radio's seed and the name of
/// the device, so a program that restarts has the same address. The lowest free number from 0 distinguishes devices
/// with equal names.
struct DeviceAddressPool {
    private static let mask: UInt64 = 0xFFFF_FFFF_FFFF
    /// The random part of a random address; the two bits above it are its type (Vol 6, Part B, 1.3.2).
    private static let randomPart: UInt64 = 0x3FFF_FFFF_FFFF
    /// Locally administered, for one device (IEEE 802, 8.2): no manufacturer has such a public address.
    private static let localBits: UInt64 = 0x0200_0000_0000
    private static let clearedBits: UInt64 = 0x0300_0000_0000

    private let function: SipHash
    /// In the form on the air: a public and a random address with equal octets are two addresses.
    private var allocated: Set<DeviceAddress> = []

    init(seed: UInt64) { function = SipHash(key: (seed, 0x6164_6472_6573_7365)) }

    /// Allocates an address that no other device has.
    ///
    /// - Parameters:
    ///   - name: The name of the device.
    ///   - requested: The preferred address. If it is allocated, the pool uses the next higher free one. A random
    ///     address keeps its type.
    ///   - kind: The type of the address. A random address without a request is static.
    mutating func allocate(for name: String, requested: UInt64?, kind: DeviceAddress.Kind) -> DeviceAddress {
        let counted = kind == .random ? Self.randomPart : Self.mask
        let type = kind == .random ? (requested ?? Self.mask) & Self.mask & ~counted : 0
        var number: UInt64 = 0
        while true {
            let part = (requested.map { $0 &+ number } ?? derived(name, number)) & counted
            number += 1
            // No device has an address, or a random part, of all zeros or all ones (Vol 6, Part B, 1.3.2.1).
            guard part != 0, part != counted else { continue }
            let address = DeviceAddress(kind: kind, value: type | part)
            if allocated.insert(address).inserted { return address }
        }
    }

    mutating func release(_ address: DeviceAddress) { allocated.remove(address) }

    private func derived(_ name: String, _ number: UInt64) -> UInt64 {
        let octets = (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * UInt64($0))) }
        return function.hash(octets + Array(name.utf8)) & Self.mask & ~Self.clearedBits | Self.localBits
    }
}

/// Assigns numbers from 0 to the slots of a network, on any thread.
final class SlotNumbers: Sendable {
    private let count = Atomic(0)

    func next() -> Int { count.add(1, ordering: .relaxed).oldValue }
}
