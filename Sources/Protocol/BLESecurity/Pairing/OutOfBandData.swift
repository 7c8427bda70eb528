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

/// The data that one device transfers to another out of band.
package enum OutOfBandBlock: Hashable, Sendable {
    /// The commitment to the sender's public key, and its random value (Vol 3, Part H, 2.3.5.6.4).
    case secureConnections(OutOfBandData.Peer)
    /// The TK of both devices (Vol 3, Part H, 2.3.5.4).
    case legacy(TemporaryKey)

    /// The kind of pairing that a block serves.
    package enum Kind: Hashable, Sendable {
        case secureConnections
        case legacy
    }
}

/// The data that the devices exchanged out of band (Vol 3, Part H, 2.3.5.6.4).
package struct OutOfBandData: Sendable {
    /// The data that this device transferred: a commitment to the key pair of the next pairing, and a random value.
    ///
    /// They serve one pairing. The random value authenticates a peer without out-of-band data of its own, so it has to be secret:
    /// it is created afresh each time (Vol 3, Part H, 2.3.5.6.4), and a completed pairing has shown it to its peer. The private
    /// key changes after each pairing, successful or failed, so that a peer learns nothing about it by repetition (2.3.6).
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

        /// The data to transfer.
        package var block: OutOfBandBlock {
            .secureConnections(Peer(random: random, commitment: commitment))
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

    /// Nil as soon as a pairing has used it.
    package var local: Local?
    package var peer: Peer?
    package var legacyKey: TemporaryKey?

    package init() {}

    /// - Parameters:
    ///   - local: This device's data, unless a pairing has used it.
    ///   - block: The peer's data.
    package init(local: Local?, peer block: OutOfBandBlock?) {
        self.local = local
        switch block {
        case .secureConnections(let data): peer = data
        case .legacy(let key): legacyKey = key
        case nil: break
        }
    }

    package var isEmpty: Bool { local == nil && peer == nil && legacyKey == nil }
}
