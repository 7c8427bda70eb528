import BLECrypto
import BLESecurity
import BLEWire
import Testing

struct PrivacyTests {
    private var crypto = SwiftCryptoProvider(generator: SeededRandom(seed: 2))
    private let key = IdentityResolvingKey(value: 0xec02_34a3_57c8_ad05_3410_10a6_0a39_7d9b)
    private let local = IdentityResolvingKey(value: 0x1111)
    private let identity = DeviceAddress(kind: .public, value: 0x0011_2233_4455)
    private let now = Instant(nanoseconds: 1_000)

    /// The sample of Vol 3, Part H, D.7: prand 0x708194 and hash 0x0DFBAA.
    @Test func theSampleAddressResolves() {
        let address = DeviceAddress(kind: .random, value: 0x7081_940D_FBAA)
        #expect(address.isResolvable && !address.isIdentity)
        #expect(crypto.resolves(address, key))
        #expect(!crypto.resolves(address, local))
        #expect(!crypto.resolves(DeviceAddress(kind: .public, value: address.value), key))
        #expect(!crypto.resolves(DeviceAddress(kind: .random, value: address.value ^ 1), key))
    }

    @Test mutating func addressesResolveOnlyWithTheirKey() {
        var seen: Set<DeviceAddress> = []
        for _ in 0..<200 {
            let address = crypto.makeResolvableAddress(key)
            #expect(address.isResolvable && crypto.resolves(address, key) && !crypto.resolves(address, local))
            seen.insert(address)
        }
        #expect(seen.count == 200)
        let none = crypto.makeResolvableAddress(.none)
        #expect(!crypto.resolves(none, .none), "a key of zeros is no key")
    }

    @Test mutating func aListResolvesAndRotates() throws {
        var list = ResolvingList(capacity: 2, interval: .seconds(10))
        #expect(list.deadline == nil)
        let other = DeviceAddress(kind: .random, value: 0xC000_0000_0001)
        let third = DeviceAddress(kind: .public, value: 3)
        let entries = [
            ResolvingList.Entry(identity: identity, peerKey: key, localKey: local),
            .init(identity: other, peerKey: .none, localKey: .none),
            // Full.
            .init(identity: third, peerKey: key, localKey: local),
            // Replaces its entry.
            .init(identity: other, peerKey: .none, localKey: .none),
            // No identity address.
            .init(identity: DeviceAddress(kind: .random, value: 1), peerKey: key, localKey: local),
        ]
        var added: [Bool] = []
        for entry in entries { added.append(list.add(entry, at: now, using: &crypto)) }
        #expect(added == [true, true, false, true, false])

        let first = try #require(list.localAddress(for: identity))
        #expect(crypto.resolves(first, local))
        #expect(list.localAddress(for: other) == nil)
        #expect(list.deadline == now + .seconds(10))
        let early = list.handleTimeout(at: now + .seconds(9), using: &crypto)
        let due = list.handleTimeout(at: now + .seconds(10), using: &crypto)
        #expect(early.isEmpty && due == [identity])
        let second = try #require(list.localAddress(for: identity))
        #expect(second != first && crypto.resolves(second, local))
        #expect(list.deadline == now + .seconds(20))

        for _ in 0..<100 {
            let (known, unknown) = (crypto.makeResolvableAddress(key), crypto.makeResolvableAddress(local))
            let answers = [list.resolve(known, using: crypto), list.resolve(unknown, using: crypto)]
            #expect(answers == [.identity(identity), .unknown])
        }
        // Network privacy mode refuses the identity address of a device with an IRK (Vol 6, Part B, 4.7).
        let inNetworkMode = list.resolve(identity, using: crypto)
        let changed = [list.setMode(.device, of: identity), list.setMode(.device, of: third)]
        let inDeviceMode = list.resolve(identity, using: crypto)
        #expect(inNetworkMode == .refused && inDeviceMode == .identity(identity) && changed == [true, false])
        let plain = [list.resolve(other, using: crypto), list.resolve(third, using: crypto)]
        #expect(plain == [.identity(other), .unknown])

        let address = crypto.makeResolvableAddress(key)
        let before = list.resolve(address, using: crypto)
        list.remove(identity)
        let after = list.resolve(address, using: crypto)
        #expect(before == .identity(identity) && after == .unknown, "no answer outlives its entry")
        #expect(list.deadline == nil)
    }
}
