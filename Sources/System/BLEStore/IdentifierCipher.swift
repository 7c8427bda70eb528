import BLEAdapter
import BLEWire

/// Computes a device's identifier from its address and the key of this host, and the address from the identifier.
///
/// It is a permutation of the 122 free bits of a random UUID (RFC 9562, 5.4): a Feistel network whose round function is
/// SipHash with the key. Equal addresses have equal identifiers in every run, two addresses never share one, an
/// identifier does not reveal the address without the key, and neither direction needs a table. The address fills 56
/// bits. The other 66 are zero, which distinguishes this host's identifiers from all others.
struct IdentifierCipher: Sendable, CustomReflectable {
    private static let rounds: UInt64 = 8
    /// Half of the 122 free bits.
    private static let half: UInt64 = 61
    private static let mask: UInt64 = 1 << half - 1

    /// The round functions: the hash of the number of the round and half of the bits.
    private let functions: [SipHash.Start]

    init(key: StoreKey) {
        let function = SipHash(key: (key.high, key.low))
        functions = (0..<Self.rounds).map { function.start($0) }
    }

    /// Hides the key.
    var customMirror: Mirror { Mirror(self, children: []) }

    func identifier(for address: DeviceAddress) -> PeerIdentifier {
        var left: UInt64 = 0
        var right = address.value | UInt64(address.kind.rawValue) << 48
        for function in functions { (left, right) = (right, left ^ function.hash(right) & Self.mask) }
        // 60 bits before and after the version's nibble, 62 after the variant's two bits.
        let first = left >> 1
        return PeerIdentifier(
            high: (first & ~0xFFF) << 4 | 0x4000 | first & 0xFFF,
            low: 1 << 63 | (left & 1) << Self.half | right)
    }

    /// Returns nil if the identifier was not computed with this key.
    func address(of identifier: PeerIdentifier) -> DeviceAddress? {
        guard identifier.high & 0xF000 == 0x4000, identifier.low >> 62 == 0b10 else { return nil }
        let first = (identifier.high & ~0xFFFF) >> 4 | identifier.high & 0xFFF
        var left = first << 1 | identifier.low >> Self.half & 1
        var right = identifier.low & Self.mask
        for function in functions.reversed() { (left, right) = (right ^ function.hash(left) & Self.mask, left) }
        guard left == 0, right >> 56 == 0 else { return nil }
        return DeviceAddress(kind: .init(rawValue: UInt8(truncatingIfNeeded: right >> 48)), value: right)
    }

    func identity(of identifier: PeerIdentifier) -> AdvertiserIdentity {
        address(of: identifier).map { AdvertiserIdentity(computedFrom: $0) } ?? AdvertiserIdentity(identifier)
    }
}

/// The secret of a host: 128 random bits. Descriptions and mirrors hide it.
package struct StoreKey: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package let high: UInt64
    package let low: UInt64

    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    package init(using random: inout some RandomNumberGenerator) {
        self.init(high: random.next(), low: random.next())
    }

    package var description: String { "StoreKey(redacted)" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }

    /// Derives a key for one purpose. It reveals neither this key nor the keys for other purposes.
    ///
    /// `IdentifierCipher` uses this key itself, for messages of 16 octets. A label here is never 16 octets long, and
    /// SipHash's last word holds the length, so the two uses have no message in common.
    func derived(for purpose: String) -> SipHash {
        let function = SipHash(key: (high, low))
        func half(_ number: UInt8) -> UInt64 {
            function.hash(Array("OpenCoreBluetooth key: ".utf8) + Array(purpose.utf8) + [0, number])
        }
        return SipHash(key: (half(0), half(1)))
    }
}
