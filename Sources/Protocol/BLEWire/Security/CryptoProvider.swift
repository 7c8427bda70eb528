/// The cryptographic functions of the host and the controller (Vol 3, Part H, 2.2; Vol 6, Part E). Numbers have the
/// notation of the specification: AES takes the most significant octet first.
///
/// Only `random()` changes the provider. A seeded provider thus makes a run repeatable.
package protocol CryptoProvider: Sendable {
    /// The security function e: one block of AES-128 (Vol 3, Part H, 2.2.1).
    func encrypt(_ block: UInt128, key: UInt128) -> UInt128

    /// AES-CMAC of `message` (Vol 3, Part H, 2.2.5; RFC 4493).
    func authenticationCode(of message: Span<UInt8>, key: UInt128) -> UInt128

    /// The key pair of a private key; nil unless the scalar is in 1 ..< the order of the group.
    func keyPair(_ privateKey: P256PrivateKey) -> P256KeyPair?

    /// The Diffie-Hellman exchange. Throws unless `publicKey` is a point on the curve (Vol 3, Part H, 2.3.5.6.1).
    func sharedSecret(_ privateKey: P256PrivateKey, with publicKey: P256PublicKey) throws(CryptoError) -> SharedSecret

    /// A cipher for the packets of a link under one session key (Vol 6, Part E, 2).
    func packetCipher(key: UInt128) -> any PacketCipher

    /// 128 random bits, suitable for keys.
    mutating func random() -> UInt128
}

/// The reason why a cryptographic function failed.
package enum CryptoError: Error, Equatable, Sendable {
    /// The public key is not a point on P-256.
    case invalidPublicKey
}

extension CryptoProvider {
    /// Generates a key pair. A scalar out of range is drawn again. Returns nil after eight such draws, because the
    /// generator does not work.
    package mutating func makeKeyPair() -> P256KeyPair? {
        for _ in 0..<8 {
            let scalar = UInt256(low: random(), high: random())
            if let pair = keyPair(P256PrivateKey(scalar: scalar)) { return pair }
        }
        return nil
    }
}
