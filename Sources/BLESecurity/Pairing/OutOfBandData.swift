import BLEWire

/// A value of 128 bits that proves knowledge of the out-of-band data.
package struct OutOfBandRandom: SecretKey {
    package let value: UInt128
    package init(value: UInt128) { self.value = value }
}

/// TK of legacy pairing, as transferred out of band (Vol 3, Part H, 2.3.5.4).
package struct TemporaryKey: SecretKey {
    package let value: UInt128
    package init(value: UInt128) { self.value = value }
    static let justWorks = TemporaryKey(value: 0)
}

/// The data that the devices exchanged out of band (Vol 3, Part H, 2.3.5.6.4).
package struct OutOfBandData: Sendable {
    /// The data that this device transferred: a commitment to the key pair of the next pairing, and a random value.
    package struct Local: Sendable {
        package let keyPair: P256KeyPair
        package let random: OutOfBandRandom
        package let commitment: UInt128

        /// Draws a key pair and a random value. Returns nil if the generator does not work.
        package init?(using crypto: inout some CryptoProvider) {
            guard let pair = crypto.makeKeyPair() else { return nil }
            keyPair = pair
            random = OutOfBandRandom(value: crypto.random())
            commitment = crypto.f4(pair.publicKey.x, pair.publicKey.x, random.value, 0)
        }
    }

    /// The data that the peer transferred.
    package struct Peer: Hashable, Sendable {
        package let random: OutOfBandRandom
        package let commitment: UInt128

        package init(random: OutOfBandRandom, commitment: UInt128) {
            self.random = random
            self.commitment = commitment
        }
    }

    package var local: Local?
    package var peer: Peer?
    package var legacyKey: TemporaryKey?

    package init() {}

    /// The OOB data flag (Vol 3, Part H, 3.5.1).
    var hasPeerData: Bool { peer != nil || legacyKey != nil }
}
