import BLEAdapter
import BLEWire
import Testing

@testable import BLEStore

@Suite struct IdentifierTests {
    @Test func sipHashMatchesTheReferenceVector() {
        // The vector of the paper: key 00 01 ... 0F, message 00 01 ... 0E.
        let hash = SipHash(key: (0x0706_0504_0302_0100, 0x0F0E_0D0C_0B0A_0908))
        #expect(hash.hash((0..<15).map { UInt8($0) }) == 0xA129_CA61_49BE_45E5)
        #expect(hash.hash([]) == 0x726F_DB47_DD0E_0E31)
        let words: [UInt64] = [0x0706_0504_0302_0100, 0x0F0E_0D0C_0B0A_0908]
        #expect(hash.hash(words: words[0], words[1]) == hash.hash((0..<16).map { UInt8($0) }))
    }

    @Test func identifiersAreRandomUUIDsAndReversible() {
        var random = SeededRandom(seed: 1)
        let cipher = IdentifierCipher(key: StoreKey(using: &random))
        var seen: Set<PeerIdentifier> = []
        var ones = 0
        for number in 0..<2000 {
            let kind = DeviceAddress.Kind(rawValue: UInt8(number & 1))
            let address = DeviceAddress(kind: kind, value: 0x0012_3400_0000 | UInt64(number >> 1))
            let identifier = cipher.identifier(for: address)
            #expect(identifier.high & 0xF000 == 0x4000 && identifier.low >> 62 == 0b10)
            #expect(cipher.address(of: identifier) == address)
            #expect(seen.insert(identifier).inserted)
            ones += identifier.high.nonzeroBitCount + identifier.low.nonzeroBitCount
        }
        // 61 random bits of 122 on average, and the two fixed ones.
        #expect(abs(Double(ones) / 2000 - 63) < 1)
    }

    @Test func oneBitOfTheAddressChangesHalfTheIdentifier() {
        let cipher = IdentifierCipher(key: StoreKey(high: 5, low: 6))
        for bit in 0..<48 {
            let one = cipher.identifier(for: DeviceAddress(kind: .public, value: 0x1234_5678_9ABC))
            let other = cipher.identifier(for: DeviceAddress(kind: .public, value: 0x1234_5678_9ABC ^ 1 << bit))
            let changed = (one.high ^ other.high).nonzeroBitCount + (one.low ^ other.low).nonzeroBitCount
            #expect((30...92).contains(changed))
        }
    }

    @Test func identifiersOfOtherHostsAreUnknown() {
        var random = SeededRandom(seed: 2)
        let cipher = IdentifierCipher(key: StoreKey(using: &random))
        let other = IdentifierCipher(key: StoreKey(using: &random))
        for number in 0..<2000 as Range<UInt64> {
            #expect(cipher.address(of: other.identifier(for: DeviceAddress(kind: .public, value: number))) == nil)
            #expect(cipher.address(of: PeerIdentifier(high: random.next(), low: random.next())) == nil)
        }
    }

    /// Each of the 66 bits that are zero in a block of this host tells the identifiers of others apart.
    @Test func aBlockWithAnotherBitIsOfAnotherHost() {
        let key = StoreKey(high: 5, low: 6)
        let cipher = IdentifierCipher(key: key)
        let hash = SipHash(key: (key.high, key.low))
        let address = DeviceAddress(kind: .random, value: 0xC0FF_EE12_3456)
        // The network of the cipher, with any 61 bits on both sides.
        func identifier(_ left: UInt64, _ right: UInt64) -> PeerIdentifier {
            var (left, right) = (left, right)
            for round in 0..<8 as Range<UInt64> {
                (left, right) = (right, (left ^ hash.hash(words: round, right)) & (1 << 61 - 1))
            }
            let first = left >> 1
            return PeerIdentifier(
                high: (first >> 12) << 16 | 0x4000 | first & 0xFFF, low: 1 << 63 | (left & 1) << 61 | right)
        }
        let block = 1 << 48 | address.value
        #expect(identifier(0, block) == cipher.identifier(for: address))
        for bit in 0..<61 as Range<UInt64> {
            #expect(cipher.address(of: identifier(1 << bit, block)) == nil, "bit \(bit) of the left half")
            if bit >= 56 { #expect(cipher.address(of: identifier(0, block | 1 << bit)) == nil, "bit \(bit)") }
        }
    }

    /// Stores of earlier versions keep their identifiers.
    @Test func identifiersAreStableAcrossVersions() {
        let cipher = IdentifierCipher(key: StoreKey(high: 0x0123_4567_89AB_CDEF, low: 0xFEDC_BA98_7654_3210))
        let identifier = cipher.identifier(for: DeviceAddress(kind: .random, value: 0xC0FF_EE12_3456))
        #expect(identifier == PeerIdentifier(high: 0xF6A509BCCB0B4309, low: 0xB25E9D91C048EF89))
    }

    @Test func eachPurposeHasItsOwnDerivedKey() {
        let key = StoreKey(high: 5, low: 6)
        let seed = key.derived(for: "seed")
        let other = key.derived(for: "other")
        #expect(seed.key == key.derived(for: "seed").key && seed.key.0 != seed.key.1)
        #expect(seed.key != other.key && seed.key != (key.high, key.low))
        #expect(seed.key != StoreKey(high: 5, low: 7).derived(for: "seed").key)
        // A number for a purpose is none that the cipher computes, even for a text of 16 octets.
        let words: [UInt64] = [3, 0x1234]
        let octets = words.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) } }
        let text = String(decoding: octets, as: UTF8.self)
        #expect(Array(text.utf8) == octets)
        let store = DeviceStore(key: key)
        #expect(store.seed(for: text) != SipHash(key: (key.high, key.low)).hash(words: words[0], words[1]))
        #expect(store.seed(for: "central") == store.copy().seed(for: "central"))
        #expect(store.seed(for: "central") != store.seed(for: "peripheral"))
    }

    /// Two addresses have one identity exactly if they have one identifier.
    @Test func identitiesFollowIdentifiers() {
        let store = DeviceStore(key: StoreKey(high: 1, low: 2))
        let first = DeviceAddress(kind: .random, value: 0x4000_0000_0001)
        let address = DeviceAddress(kind: .public, value: 0x0012_3456_789A)
        #expect(store.identity(for: first) != store.identity(for: address))
        for address in [first, address] {
            let identity = store.identity(for: address)
            #expect(identity == AdvertiserIdentity(computedFrom: address))
            #expect(identity == store.identity(of: store.identifier(for: address)))
            #expect(store.computedIdentifier(for: address) == store.identifier(for: address))
        }
        // The identifier of a private address becomes that of the identity address.
        let peer = store.identifier(for: first)
        store.remember(first, PeerNames())
        store.learn(address, of: peer)
        #expect(store.identity(for: address) == store.identity(for: first))
        #expect(store.identity(for: address) == store.identity(of: peer))
        // An identifier of another host.
        let foreign = PeerIdentifier(high: 7, low: 7)
        store.learn(address, of: foreign)
        #expect(store.identity(for: address).identifier == foreign)
        #expect(store.identity(of: foreign) == store.identity(for: address))
        #expect(store.computedIdentifier(for: address) != foreign)
    }
}
