import BLEAdapter

/// SipHash-2-4 (Aumasson, Bernstein): 64 bits that nobody without the key can tell from random ones. With a public key it
/// is a checksum.
struct SipHash: Sendable {
    /// The two halves of the key.
    let key: (UInt64, UInt64)

    /// The checksum of files: its key is no secret.
    static let checksum = SipHash(key: (0, 0))

    /// The hash of two 64-bit words, as of their octets, the lowest first.
    func hash(words first: UInt64, _ second: UInt64) -> UInt64 {
        var state = State(key)
        state.absorb(first)
        state.absorb(second)
        return state.finish(2 << 59)
    }

    /// The hash of octets.
    func hash(_ octets: some Sequence<UInt8>) -> UInt64 {
        var state = State(key)
        var word: UInt64 = 0
        var count: UInt64 = 0
        for octet in octets {
            word |= UInt64(octet) << (8 * (count & 7))
            count &+= 1
            if count & 7 == 0 {
                state.absorb(word)
                word = 0
            }
        }
        return state.finish(word | count << 56)
    }

    private struct State {
        var v0: UInt64, v1: UInt64, v2: UInt64, v3: UInt64

        init(_ key: (UInt64, UInt64)) {
            v0 = key.0 ^ 0x736F_6D65_7073_6575
            v1 = key.1 ^ 0x646F_7261_6E64_6F6D
            v2 = key.0 ^ 0x6C79_6765_6E65_7261
            v3 = key.1 ^ 0x7465_6462_7974_6573
        }

        @inline(__always)
        mutating func absorb(_ word: UInt64) {
            v3 ^= word
            round()
            round()
            v0 ^= word
        }

        @inline(__always)
        mutating func finish(_ last: UInt64) -> UInt64 {
            absorb(last)
            v2 ^= 0xFF
            for _ in 0..<4 { round() }
            return v0 ^ v1 ^ v2 ^ v3
        }

        @inline(__always)
        private mutating func round() {
            func rotate(_ value: UInt64, _ by: UInt64) -> UInt64 { value << by | value >> (64 - by) }
            v0 &+= v1
            v1 = rotate(v1, 13) ^ v0
            v0 = rotate(v0, 32)
            v2 &+= v3
            v3 = rotate(v3, 16) ^ v2
            v0 &+= v3
            v3 = rotate(v3, 21) ^ v0
            v2 &+= v1
            v1 = rotate(v1, 17) ^ v2
            v2 = rotate(v2, 32)
        }
    }
}
