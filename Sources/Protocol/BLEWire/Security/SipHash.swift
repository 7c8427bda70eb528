/// SipHash-2-4 (Aumasson and Bernstein, 2012): a keyed hash of 64 bits. Without the key, its results are
/// indistinguishable from random numbers. With a public key it is a checksum.
///
/// The functions are inlinable because a caller hashes eight times for each identifier of a device.
package struct SipHash: Sendable {
    /// The two halves of the key.
    package let key: (UInt64, UInt64)

    package init(key: (UInt64, UInt64)) { self.key = key }

    /// The hash of two 64-bit words, which stand for their octets in little-endian order.
    package func hash(words first: UInt64, _ second: UInt64) -> UInt64 { start(first).hash(second) }

    /// The hashes of two words of which the first one is `first`.
    package func start(_ first: UInt64) -> Start {
        var state = State(key)
        state.absorb(first)
        return Start(state)
    }

    /// A hash of two words after the first one.
    package struct Start: Sendable {
        @usableFromInline let state: State

        @usableFromInline
        init(_ state: State) { self.state = state }

        package func hash(_ second: UInt64) -> UInt64 {
            var state = state
            state.absorb(second)
            return state.finish(2 << 59)
        }
    }

    /// The hash of octets.
    package func hash(_ octets: some Sequence<UInt8>) -> UInt64 {
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

    @usableFromInline
    struct State: Sendable {
        @usableFromInline var v0: UInt64
        @usableFromInline var v1: UInt64
        @usableFromInline var v2: UInt64
        @usableFromInline var v3: UInt64

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
        mutating func round() {
            v0 &+= v1
            v1 = Self.rotate(v1, 13) ^ v0
            v0 = Self.rotate(v0, 32)
            v2 &+= v3
            v3 = Self.rotate(v3, 16) ^ v2
            v0 &+= v3
            v3 = Self.rotate(v3, 21) ^ v0
            v2 &+= v1
            v1 = Self.rotate(v1, 17) ^ v2
            v2 = Self.rotate(v2, 32)
        }

        @inline(__always)
        static func rotate(_ value: UInt64, _ by: UInt64) -> UInt64 { value << by | value >> (64 - by) }
    }
}
