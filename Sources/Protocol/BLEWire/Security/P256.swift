/// A number of 256 bits, such as a coordinate or a scalar of P-256.
package struct UInt256: Hashable, Sendable {
    package var low: UInt128
    package var high: UInt128

    package init(low: UInt128, high: UInt128) {
        self.low = low
        self.high = high
    }

    /// Reads 32 octets, big endian. Missing octets count as zeros.
    package init(bigEndian bytes: Span<UInt8>) {
        self.init(low: 0, high: 0)
        for index in 0..<min(32, bytes.count) {
            if index < 16 { high |= UInt128(bytes[index]) << UInt128(8 * (15 - index)) }
            if index >= 16 { low |= UInt128(bytes[index]) << UInt128(8 * (31 - index)) }
        }
    }

    /// The octet at `index`, 0 ..< 32, big endian.
    package func bigEndianOctet(_ index: Int) -> UInt8 {
        let half = index < 16 ? high : low
        return UInt8(truncatingIfNeeded: half >> UInt128(8 * (15 - index & 15)))
    }

    package var isZero: Bool { low == 0 && high == 0 }
}

/// A point that is claimed to be on P-256.
package struct P256PublicKey: Hashable, Sendable {
    package var x: UInt256
    package var y: UInt256

    package init(x: UInt256, y: UInt256) {
        self.x = x
        self.y = y
    }

    /// The public key of the debug key pair (Vol 3, Part H, 2.3.5.6.1).
    package static let debug = P256PublicKey(
        x: UInt256(low: 0xeff4_9111_acf4_fddb_cc03_0148_0e35_9de6, high: 0x20b0_03d2_f297_be2c_5e2c_83a7_e9f9_a5b9),
        y: UInt256(low: 0x7663_45c2_8fed_3024_741c_8ed0_1589_d28b, high: 0xdc80_9c49_652a_eb6d_6332_9abf_5a52_155c))
}

/// The scalar of a key pair. Its release wipes the scalar, and its description hides it.
package final class P256PrivateKey: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    // Only `init` and `deinit` write it.
    nonisolated(unsafe) private let storage: UnsafeMutablePointer<UInt256>

    package init(scalar: UInt256) {
        storage = .allocate(capacity: 1)
        storage.initialize(to: scalar)
    }

    deinit {
        wipe(UnsafeMutableRawPointer(storage), MemoryLayout<UInt256>.size)
        storage.deallocate()
    }

    package var scalar: UInt256 { storage.pointee }

    package var description: String { "P256PrivateKey(redacted)" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }

    /// The private key of the debug key pair (Vol 3, Part H, 2.3.5.6.1).
    package static let debug = P256PrivateKey(
        scalar: UInt256(low: 0x4aff_607b_eb40_b799_5899_b8a6_cd3c_1abd, high: 0x3f49_f6d4_a3c5_5f38_74c9_b3e3_d210_3f50)
    )
}

/// A private key and its public key.
package struct P256KeyPair: Sendable {
    package let privateKey: P256PrivateKey
    package let publicKey: P256PublicKey

    package init(privateKey: P256PrivateKey, publicKey: P256PublicKey) {
        self.privateKey = privateKey
        self.publicKey = publicKey
    }
}

/// The x coordinate of a Diffie-Hellman exchange, DHKey. Its description hides it.
package struct SharedSecret: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    package let value: UInt256
    package init(value: UInt256) { self.value = value }
    package var description: String { "SharedSecret(redacted)" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// Clears memory through a call that the optimizer cannot remove.
@inline(never) @_optimize(none)
package func wipe(_ pointer: UnsafeMutableRawPointer, _ count: Int) {
    for offset in 0..<count { pointer.storeBytes(of: 0, toByteOffset: offset, as: UInt8.self) }
}
