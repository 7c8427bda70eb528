import BLEWire
import Testing

/// Cryptography whose one function is easy to follow: the sum of block and key. The values of AES are in the tests of its provider.
private struct SumCrypto: CryptoProvider {
    private struct NoCipher: PacketCipher {
        func seal(_ payload: inout MutableSpan<UInt8>, nonce: PacketNonce, header: UInt8) -> UInt32 { 0 }
        func open(_ payload: inout MutableSpan<UInt8>, nonce: PacketNonce, header: UInt8, mic: UInt32) -> Bool { false }
    }

    /// What `random` returns, in order; zeros afterwards.
    var numbers: [UInt128] = []

    func encrypt(_ block: UInt128, key: UInt128) -> UInt128 { block &+ key }
    func authenticationCode(of message: Span<UInt8>, key: UInt128) -> UInt128 { 0 }
    func keyPair(_ privateKey: P256PrivateKey) -> P256KeyPair? { nil }
    func sharedSecret(_ privateKey: P256PrivateKey, with publicKey: P256PublicKey) throws(CryptoError) -> SharedSecret {
        throw .invalidPublicKey
    }
    func packetCipher(key: UInt128) -> any PacketCipher { NoCipher() }
    mutating func random() -> UInt128 { numbers.isEmpty ? 0 : numbers.removeFirst() }
}

/// Resolvable private addresses and the resolving list (Vol 6, Part B, 1.3.2.2 and 6).
struct PrivateAddressTests {
    private func key(_ value: UInt128) -> IdentityResolvingKey { IdentityResolvingKey(value: value) }
    private func identity(_ number: UInt64) -> DeviceAddress {
        DeviceAddress(kind: .random, value: 0xC000_0000_0000 | number)
    }

    /// 24 bits of hash under 22 random bits under 0b01; the random bits are neither all zeros nor all ones (1.3.2.2).
    @Test func anAddressHasItsThreeParts() {
        let made: [(UInt128, UInt64)] = [
            (0x12_3456, 0x52_3456), (0x3F_FFFE, 0x7F_FFFE), (0, 0x40_0001), (0x3F_FFFF, 0x40_0001),
            (0x40_0000, 0x40_0001),
            (0xFFFF_FFFF_0000_0002, 0x40_0002), (1, 0x40_0001),
        ]
        for (number, prand) in made {
            for key in [key(0x01_0203), key(0xFF_FFFF), key(1 << 100 | 5)] {
                var crypto = SumCrypto(numbers: [number])
                let address = crypto.makeResolvableAddress(key)
                let hash = UInt64(truncatingIfNeeded: UInt128(prand) &+ key.value) & 0xFF_FFFF
                #expect(address == DeviceAddress(kind: .random, value: prand << 24 | hash))
                #expect(address.isResolvable && crypto.resolves(address, key))
                #expect(!crypto.resolves(DeviceAddress(kind: .random, value: address.value ^ 1), key))
                #expect(!crypto.resolves(DeviceAddress(kind: .public, value: address.value), key))
                #expect(!crypto.resolves(address, self.key(key.value + 1)))
            }
        }
        // The key that stands for none resolves nothing, also if the hash fits.
        #expect(!SumCrypto().resolves(DeviceAddress(kind: .random, value: 0x40_0001_40_0001), .none))
        // 24 bits of the argument and of the result (Vol 3, Part H, 2.2.2).
        #expect(SumCrypto().ah(key(1), random: 0xFFFF_FFFF) == 0)
        #expect(SumCrypto().ah(key(0), random: 0xAB_12_3456) == 0x12_3456)
    }

    @Test func anEntryIsAddedOnce() throws {
        var crypto = SumCrypto()
        var list = ResolvingList(capacity: 3)
        func entry(_ number: UInt64, _ peer: UInt128, _ local: UInt128) -> ResolvingList.Entry {
            ResolvingList.Entry(identity: identity(number), peerKey: key(peer), localKey: key(local))
        }
        func add(_ entry: ResolvingList.Entry) -> ResolvingList.EntryError? {
            do throws(ResolvingList.EntryError) {
                try list.add(entry, at: .zero, using: &crypto)
                return nil
            } catch { return error }
        }
        #expect(add(entry(1, 10, 20)) == nil && add(entry(1, 10, 20)) == nil && list.entries.count == 1)
        #expect(
            add(entry(1, 10, 21)) == .conflict && add(entry(1, 11, 20)) == .conflict
                && add(entry(1, 11, 21)) == .conflict)
        #expect(add(entry(2, 10, 20)) == .conflict, "the key of another peer")
        #expect(add(entry(2, 0, 20)) == nil && add(entry(3, 0, 20)) == nil && add(entry(4, 12, 20)) == .full)
        #expect(list.remove(identity(2)) == true && list.remove(identity(2)) == false)
        #expect(add(entry(4, 12, 20)) == nil && add(entry(5, 13, 20)) == .full)
        let other = ResolvingList.Entry(
            identity: DeviceAddress(kind: .random, value: 0x4000_0000_0001), peerKey: key(9), localKey: key(9))
        #expect(add(other) == .notIdentity)
        #expect(ResolvingList(capacity: -1).capacity == 0 && ResolvingList(capacity: .max).capacity == 65_534)
    }

    /// The private addresses change after each lifetime, and not at all without one (6.1).
    @Test func privateAddressesChangeAfterEachLifetime() throws {
        var crypto = SumCrypto(numbers: (1...100).map { UInt128($0) })
        var list = ResolvingList(interval: .seconds(10))
        try list.add(.init(identity: identity(1), peerKey: key(5), localKey: .none), at: .zero, using: &crypto)
        #expect(list.deadline == nil && list.localAddress(for: identity(1)) == nil)
        try list.add(
            .init(identity: identity(2), peerKey: key(6), localKey: key(7)), at: .zero + .seconds(1), using: &crypto)
        try list.add(
            .init(identity: identity(3), peerKey: key(8), localKey: key(7)), at: .zero + .seconds(4), using: &crypto)
        #expect(list.deadline == .zero + .seconds(11), "that of the first")
        var seen: Set<DeviceAddress> = []
        var due = Instant.zero + .seconds(11)
        for _ in 0..<4 {
            seen.insert(try #require(list.localAddress(for: identity(2))))
            seen.insert(try #require(list.localAddress(for: identity(3))))
            #expect(list.handleTimeout(at: due - .nanoseconds(1), using: &crypto) == false)
            #expect(list.handleTimeout(at: due, using: &crypto) == true && list.localAddress(for: identity(1)) == nil)
            due = due + .seconds(10)
            #expect(list.deadline == due)
        }
        #expect(seen.count == 8)
        list.setInterval(.seconds(3), at: due - .seconds(9))
        #expect(list.deadline == due - .seconds(6))
        #expect(list.handleTimeout(at: due, using: &crypto) == true && list.deadline == due + .seconds(3))
        list.remove(identity(2))
        #expect(list.deadline != nil)
        list.remove(identity(3))
        #expect(list.deadline == nil && list.handleTimeout(at: due + .seconds(99), using: &crypto) == false)
        list.setInterval(.seconds(900), at: due)
        #expect(list.deadline == nil)
        try list.add(.init(identity: identity(2), peerKey: key(6), localKey: key(7)), at: due, using: &crypto)
        #expect(list.deadline == due + .seconds(900))
        list.removeAll()
        #expect(list.deadline == nil && list.isEmpty)
        #expect(ResolvingList.defaultInterval == .seconds(900) && ResolvingList.intervals == 1...3600)
    }

    @Test func anAddressResolvesToItsEntryUntilTheListChanges() throws {
        var crypto = SumCrypto(numbers: [3, 4, 5, 6])
        var list = ResolvingList()
        let address = crypto.makeResolvableAddress(key(50))
        let own = crypto.makeResolvableAddress(key(70))
        #expect(list.resolve(address, using: crypto) == .unlisted)
        try list.add(.init(identity: identity(1), peerKey: key(40), localKey: key(60)), at: .zero, using: &crypto)
        for _ in 0..<2 {
            // The second result is from the cache.
            #expect(list.resolve(address, using: crypto) == .unlisted)
            #expect(list.isLocal(own, for: 0, using: crypto) == false)
        }
        try list.add(.init(identity: identity(2), peerKey: key(50), localKey: key(70)), at: .zero, using: &crypto)
        for _ in 0..<2 {
            #expect(list.resolve(address, using: crypto) == .entry(1) && list.entries[1].peerAddress == address)
            #expect(list.isLocal(own, for: 1, using: crypto) == true)
            #expect(list.isLocal(own, for: 0, using: crypto) == false)
            // The same octets are no address of a peer, and those of the peer none of this device.
            #expect(list.resolve(own, using: crypto) == .unlisted)
            #expect(list.isLocal(address, for: 1, using: crypto) == false)
        }
        // The identity address in either mode (4.7).
        #expect(list.resolve(identity(2), using: crypto) == .refused)
        #expect(list.setMode(.device, of: identity(2)) == true && list.resolve(identity(2), using: crypto) == .entry(1))
        #expect(list.setMode(.network, of: identity(2)) == true && list.resolve(identity(2), using: crypto) == .refused)
        #expect(
            list.setMode(.device, of: identity(3)) == false && list.resolve(identity(3), using: crypto) == .unlisted)
        list.remove(identity(1))
        #expect(list.resolve(address, using: crypto) == .entry(0))
        list.remove(identity(2))
        #expect(list.resolve(address, using: crypto) == .unlisted)
    }

    /// Vol 3, Part C, Table 10.2, and 10.2.1 for the key of level 4.
    @Test func aLinkLacksWhatItsRequirementNames() {
        func link(_ size: UInt8, _ authenticated: Bool, _ secure: Bool, _ bonded: Bool = true) -> LinkSecurity {
            LinkSecurity(keySize: size, isAuthenticated: authenticated, isSecureConnections: secure, isBonded: bonded)
        }
        func require(_ level: LinkSecurity.Level, _ size: UInt8 = 7) -> SecurityRequirement {
            SecurityRequirement(level: level, keySize: size)
        }
        let cases: [(LinkSecurity, SecurityRequirement, LinkSecurity.Shortfall?)] = [
            (.none, .encryption, .authentication), (link(0, true, true), .encryption, .encryption),
            (link(0, true, true, false), .encryption, .authentication), (link(7, false, false), .encryption, nil),
            (link(6, false, false), .encryption, .keySize),
            (link(16, false, true), require(.authenticated), .authentication),
            (link(16, true, false), require(.authenticated), nil),
            (link(7, true, false), require(.authenticated, 8), .keySize),
            (link(8, true, false), require(.authenticated, 8), nil),
            (link(16, false, true), require(.unauthenticated, 16), nil),
            (link(15, false, true), require(.unauthenticated, 16), .keySize),
            (link(16, true, true), require(.secureConnections), nil),
            (link(15, true, true), require(.secureConnections), .keySize),
            (link(16, true, false), require(.secureConnections), .authentication),
            (link(16, false, true), require(.secureConnections), .authentication),
            (link(15, true, true), require(.authenticated), nil),
        ]
        for (security, requirement, shortfall) in cases {
            #expect(security.shortfall(for: requirement) == shortfall, "\(security), \(requirement)")
        }
        #expect(SecurityRequirement.encryption == require(.unauthenticated, 7))
        let levels: [LinkSecurity.Level] = [.none, .unauthenticated, .authenticated, .secureConnections]
        #expect(levels.map(\.rawValue) == [1, 2, 3, 4] && levels == levels.sorted())
        #expect(!LinkSecurity.none.isEncrypted && link(1, false, false).isEncrypted)
    }
}
