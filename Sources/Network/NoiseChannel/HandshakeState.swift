import Crypto

/// The handshake of Noise_NNpsk0_25519_ChaChaPoly_SHA256, in either role, as a value.
///
/// The pattern has two messages: the initiator's (psk, e), and the responder's (e, ee). Both ends prove that they know the pre-shared key,
/// and the keys of the channel are new in each connection. The initiator writes, then reads; the responder reads, then writes. After
/// that `ciphers()` has the keys.
///
/// A failed call ends the handshake: each later call throws `NoiseError.outOfOrder`.
package struct HandshakeState: Sendable {
    package enum Role: Sendable { case initiator, responder }

    /// The name of the protocol, as `_esphomelib._tcp` announces it.
    package static let protocolName = "Noise_NNpsk0_25519_ChaChaPoly_SHA256"

    private static let publicKeyLength = 32

    private enum Step: Sendable { case first, second, finished, failed }

    package let role: Role
    private let key: PreSharedKey
    private let ephemeralKey: EphemeralKey
    private var step = Step.first
    private var symmetric: SymmetricState
    /// The initiator's public key, from the first message.
    private var initiatorKey: [UInt8] = []

    /// - Parameters:
    ///   - prologue: Octets that both ends must agree on, such as what they exchanged before the handshake.
    ///   - ephemeralKey: A key of this handshake alone.
    package init(role: Role, key: PreSharedKey, prologue: [UInt8], ephemeralKey: EphemeralKey) {
        self.role = role
        self.key = key
        self.ephemeralKey = ephemeralKey
        symmetric = SymmetricState(protocolName: Self.protocolName)
        symmetric.mixHash(prologue)
    }

    package var isFinished: Bool { step == .finished }

    /// The hash of the whole handshake, the same at both ends: it identifies the channel.
    package var channelBinding: [UInt8]? { step == .finished ? symmetric.hash : nil }

    /// Returns the next message of this end.
    package mutating func writeMessage(payload: [UInt8] = []) throws(NoiseError) -> [UInt8] {
        let isFirst = role == .initiator
        guard step == (isFirst ? .first : .second) else { throw fail(.outOfOrder) }
        guard payload.count <= NoiseCipher.maximumPayloadLength - Self.publicKeyLength else { throw fail(.tooLong) }
        if isFirst { symmetric.mixKeyAndHash(key.key) }
        var message = ephemeralKey.publicKey
        mixPublicKey(message)
        do throws(NoiseError) {
            if isFirst {
                initiatorKey = message
            } else {
                symmetric.mixKey(try ephemeralKey.sharedSecret(with: initiatorKey))
            }
            try symmetric.encryptAndHash(payload, into: &message)
        } catch {
            throw fail(error)
        }
        step = isFirst ? .second : .finished
        return message
    }

    /// Reads the next message of the peer and returns its payload.
    package mutating func readMessage(_ message: [UInt8]) throws(NoiseError) -> [UInt8] {
        let isFirst = role == .responder
        guard step == (isFirst ? .first : .second) else { throw fail(.outOfOrder) }
        guard message.count <= NoiseCipher.maximumMessageLength else { throw fail(.tooLong) }
        guard message.count >= Self.publicKeyLength + NoiseCipher.tagLength else { throw fail(.truncated) }
        if isFirst { symmetric.mixKeyAndHash(key.key) }
        let peerKey = Array(message.prefix(Self.publicKeyLength))
        mixPublicKey(peerKey)
        let payload: [UInt8]
        do throws(NoiseError) {
            if isFirst {
                initiatorKey = peerKey
            } else {
                symmetric.mixKey(try ephemeralKey.sharedSecret(with: peerKey))
            }
            payload = try symmetric.decryptAndHash(Array(message.dropFirst(Self.publicKeyLength)))
        } catch {
            throw fail(error)
        }
        step = isFirst ? .second : .finished
        return payload
    }

    /// Returns the ciphers of the channel after both messages.
    package func ciphers() throws(NoiseError) -> (sending: NoiseCipher, receiving: NoiseCipher) {
        guard step == .finished else { throw .outOfOrder }
        let (initiator, responder) = symmetric.split()
        return role == .initiator ? (initiator, responder) : (responder, initiator)
    }

    /// With a pre-shared key, a public key of the handshake is also key material (Noise Protocol Framework, 9.2).
    private mutating func mixPublicKey(_ key: [UInt8]) {
        symmetric.mixHash(key)
        symmetric.mixKey(SymmetricKey(data: key))
    }

    private mutating func fail(_ error: NoiseError) -> NoiseError {
        step = .failed
        return error
    }
}

extension HandshakeState: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "HandshakeState(\(role), \(step))" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// The X25519 key pair of one handshake.
package struct EphemeralKey: Sendable {
    private let key: Curve25519.KeyAgreement.PrivateKey

    /// Creates a key from the random source of the system.
    package init() { key = Curve25519.KeyAgreement.PrivateKey() }

    /// Creates a key from a random source with a seed.
    package init(using generator: inout some RandomNumberGenerator) {
        var octets: [UInt8] = []
        for _ in 0..<32 { octets.append(generator.next()) }
        // Any 32 octets are a private key of X25519 (RFC 7748, 5).
        guard let key = Self(octets: octets) else { preconditionFailure("32 octets are a private key of X25519.") }
        self = key
    }

    /// - Returns: nil unless there are 32 octets.
    package init?(octets: [UInt8]) {
        guard octets.count == 32, let key = try? Curve25519.KeyAgreement.PrivateKey(rawRepresentation: octets) else {
            return nil
        }
        self.key = key
    }

    var publicKey: [UInt8] { [UInt8](key.publicKey.rawRepresentation) }

    func sharedSecret(with publicKey: [UInt8]) throws(NoiseError) -> SymmetricKey {
        guard let peer = try? Curve25519.KeyAgreement.PublicKey(rawRepresentation: publicKey),
            let secret = try? key.sharedSecretFromKeyAgreement(with: peer)
        else { throw .invalidPublicKey }
        let octets = secret.withUnsafeBytes { SymmetricKey(data: $0) }
        // RFC 7748, 6.1: a point of small order gives zeros, whatever the private key.
        guard octets.withUnsafeBytes({ $0.contains { $0 != 0 } }) else { throw .invalidPublicKey }
        return octets
    }
}

extension EphemeralKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "EphemeralKey(hidden)" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
