import BLECrypto
import BLEWire
import Testing

struct ResolvingListTests {
    private var crypto = SwiftCryptoProvider(generator: SeededRandom(seed: 2))
    private let key = IdentityResolvingKey(value: 0xec02_34a3_57c8_ad05_3410_10a6_0a39_7d9b)
    private let local = IdentityResolvingKey(value: 0x1111)
    private let identity = DeviceAddress(kind: .public, value: 0x0011_2233_4455)
    private let other = DeviceAddress(kind: .random, value: 0xC000_0000_0001)
    private let third = DeviceAddress(kind: .public, value: 3)
    private let now = Instant(nanoseconds: 1_000)

    /// The sample data of Vol 3, Part H, D.7: prand 0x708194 and hash 0x0DFBAA.
    @Test func theSampleAddressResolves() {
        #expect(crypto.ah(key, random: 0x70_8194) == 0x0D_FBAA)
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

    private mutating func refusal(
        _ list: inout ResolvingList, _ identity: DeviceAddress, _ peerKey: IdentityResolvingKey,
        _ localKey: IdentityResolvingKey
    ) -> ResolvingList.EntryError? {
        do throws(ResolvingList.EntryError) {
            try list.add(.init(identity: identity, peerKey: peerKey, localKey: localKey), at: now, using: &crypto)
            return nil
        } catch {
            return error
        }
    }

    /// Vol 4, Part E, 7.8.38.
    @Test mutating func entriesThatConflictAreRefused() {
        var list = ResolvingList(capacity: 3)
        let refusals = [
            refusal(&list, identity, key, local),
            // The same entry once more.
            refusal(&list, identity, key, local),
            refusal(&list, identity, key, .none),
            refusal(&list, identity, local, local),
            // The peer's IRK belongs to another identity.
            refusal(&list, third, key, local),
            refusal(&list, DeviceAddress(kind: .random, value: 1), .none, .none),
            refusal(&list, DeviceAddress(kind: .publicIdentity, value: 1), .none, .none),
            // Several peers may have no IRK.
            refusal(&list, third, .none, .none),
            refusal(&list, other, .none, .none),
            refusal(&list, DeviceAddress(kind: .public, value: 4), .none, .none),
            refusal(&list, other, .none, .none),
        ]
        #expect(
            refusals == [nil, nil, .conflict, .conflict, .conflict, .notIdentity, .notIdentity, nil, nil, .full, nil])
        #expect(list.entries.count == 3)
        list.remove(third)
        let afterwards = refusal(&list, DeviceAddress(kind: .public, value: 4), .none, .none)
        #expect(afterwards == nil)
    }

    @Test mutating func localAddressesRotate() throws {
        var list = ResolvingList(interval: .seconds(10))
        let refused = [refusal(&list, other, key, .none), refusal(&list, identity, .none, local)]
        #expect(refused == [nil, nil] && list.localAddress(for: other) == nil)
        let first = try #require(list.localAddress(for: identity))
        #expect(crypto.resolves(first, local))
        #expect(list.deadline == now + .seconds(10))
        let early = list.handleTimeout(at: now + .seconds(9), using: &crypto)
        #expect(!early && list.localAddress(for: identity) == first)
        let due = list.handleTimeout(at: now + .seconds(10), using: &crypto)
        let second = try #require(list.localAddress(for: identity))
        #expect(due && second != first && crypto.resolves(second, local))
        #expect(list.deadline == now + .seconds(20))
        list.setInterval(.seconds(1), at: now + .seconds(12))
        #expect(list.deadline == now + .seconds(13))
        list.remove(identity)
        #expect(list.deadline == nil)
    }

    @Test mutating func aListResolvesItsPeers() {
        var list = ResolvingList()
        let refused = [refusal(&list, identity, key, local), refusal(&list, other, .none, .none)]
        #expect(refused == [nil, nil])
        for _ in 0..<1000 {
            let (known, unknown) = (crypto.makeResolvableAddress(key), crypto.makeResolvableAddress(local))
            for _ in 0..<2 {
                let answers = [list.resolve(known, using: crypto), list.resolve(unknown, using: crypto)]
                #expect(answers == [.entry(0), .unlisted])
            }
            #expect(list.entries[0].peerAddress == known)
            let isLocal = [
                list.isLocal(unknown, for: 0, using: crypto), list.isLocal(known, for: 0, using: crypto),
                list.isLocal(unknown, for: 1, using: crypto),
            ]
            #expect(isLocal == [true, false, false])
        }
        // Network privacy mode refuses the identity address of a device with an IRK (Vol 6, Part B, 4.7).
        let inNetworkMode = list.resolve(identity, using: crypto)
        let changed = [list.setMode(.device, of: identity), list.setMode(.device, of: third)]
        let inDeviceMode = list.resolve(identity, using: crypto)
        #expect(inNetworkMode == .refused && inDeviceMode == .entry(0) && changed == [true, false])
        let plain = [list.resolve(other, using: crypto), list.resolve(third, using: crypto)]
        #expect(plain == [.entry(1), .unlisted])

        let address = crypto.makeResolvableAddress(key)
        let before = list.resolve(address, using: crypto)
        list.remove(identity)
        let after = list.resolve(address, using: crypto)
        #expect(before == .entry(0) && after == .unlisted, "no result outlives its entry")
    }

    @Test mutating func anAddressCostsOneOperationForEachEntryOnce() {
        let counter = OperationCounter()
        var list = ResolvingList()
        for number in 1...8 {
            let refused = refusal(
                &list, DeviceAddress(kind: .public, value: UInt64(number)),
                IdentityResolvingKey(value: UInt128(number)), .none)
            #expect(refused == nil)
        }
        let counting = CountingCrypto(base: crypto, counter: counter)
        let stranger = crypto.makeResolvableAddress(key)
        for _ in 0..<100 {
            let answer = list.resolve(stranger, using: counting)
            #expect(answer == .unlisted)
        }
        #expect(counter.count == 8)
        let friend = crypto.makeResolvableAddress(IdentityResolvingKey(value: 3))
        for _ in 0..<100 {
            let answer = list.resolve(friend, using: counting)
            #expect(answer == .entry(2))
        }
        #expect(counter.count == 11)
        // A public address and a static one need no key.
        _ = list.resolve(third, using: counting)
        _ = list.resolve(other, using: counting)
        #expect(counter.count == 11)
    }
}

/// Counts the calls of `encrypt` of all copies of a provider.
private final class OperationCounter: @unchecked Sendable {
    var count = 0
}

private struct CountingCrypto: CryptoProvider {
    var base: SwiftCryptoProvider<SeededRandom>
    let counter: OperationCounter

    func encrypt(_ block: UInt128, key: UInt128) -> UInt128 {
        counter.count += 1
        return base.encrypt(block, key: key)
    }
    func authenticationCode(of message: Span<UInt8>, key: UInt128) -> UInt128 {
        base.authenticationCode(of: message, key: key)
    }
    func keyPair(_ privateKey: P256PrivateKey) -> P256KeyPair? { base.keyPair(privateKey) }
    func sharedSecret(_ privateKey: P256PrivateKey, with publicKey: P256PublicKey) throws(CryptoError) -> SharedSecret {
        try base.sharedSecret(privateKey, with: publicKey)
    }
    func packetCipher(key: UInt128) -> any PacketCipher { base.packetCipher(key: key) }
    mutating func random() -> UInt128 { base.random() }
}
