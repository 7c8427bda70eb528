import BLEWire

/// The public keys and the shared secret of a Secure Connections pairing.
struct ExchangedKeys: Sendable {
    let local: P256PublicKey
    let peer: P256PublicKey
    let secret: SharedSecret

    var usesDebugKeys: Bool { local == .debug || peer == .debug }

    /// f4 over the keys, the sender's first.
    func confirm(_ nonce: UInt128, _ z: UInt8, isLocal: Bool, _ crypto: some CryptoProvider) -> UInt128 {
        isLocal ? crypto.f4(local.x, peer.x, nonce, z) : crypto.f4(peer.x, local.x, nonce, z)
    }
}

/// The first part of phase 2 of Secure Connections: public keys and DHKey (Vol 3, Part H, 2.3.5.6.1).
enum PublicKeyExchange: Sendable {
    case starting
    /// The responder generates its key pair after the peer's key has arrived.
    case awaitingKey(P256KeyPair?)
    case ended

    mutating func step(
        _ input: PhaseInput, _ parameters: PairingParameters, _ crypto: inout some CryptoProvider
    ) -> PhaseStep<ExchangedKeys> {
        // An input that sets no other state ends the phase and drops its secrets.
        let current = self
        self = .ended
        switch (consume current, input) {
        case (.starting, .start):
            guard parameters.role == .initiator else {
                self = .awaitingKey(nil)
                return .wait([])
            }
            guard let pair = Self.keyPair(parameters, &crypto) else { return .fail(.unspecified) }
            self = .awaitingKey(pair)
            return .wait([.send(.pairingPublicKey(.init(key: pair.publicKey)))])
        case (.awaitingKey(let made), .packet(.pairingPublicKey(let packet))):
            let peer = packet.key
            let accepts = parameters.policy.usesDebugKeys
            // Only a device in debug mode accepts the key whose private key is published.
            guard peer != .debug || accepts else { return .fail(.authenticationRequirements) }
            guard let pair = made ?? Self.keyPair(parameters, &crypto) else { return .fail(.unspecified) }
            // An equal X coordinate is this device's own key, reflected by the peer, perhaps with a negated Y
            // coordinate (CVE-2020-26558).
            guard peer.x != pair.publicKey.x || (peer == .debug && accepts),
                let secret = try? crypto.sharedSecret(pair.privateKey, with: peer)
            else { return .fail(.invalidParameters) }
            return .done(
                ExchangedKeys(local: pair.publicKey, peer: peer, secret: secret),
                made == nil ? [.send(.pairingPublicKey(.init(key: pair.publicKey)))] : [])
        case (let state, .answer):
            self = state
            return .wait([])
        case (_, .start), (_, .packet):
            return .fail(.unspecified)
        }
    }

    /// The pair to which the peer has a commitment, the debug pair, or a fresh pair. No other pair serves two pairings.
    private static func keyPair(_ parameters: PairingParameters, _ crypto: inout some CryptoProvider) -> P256KeyPair? {
        if let local = parameters.outOfBand.local { return local.keyPair }
        return parameters.policy.usesDebugKeys ? crypto.keyPair(.debug) : crypto.makeKeyPair()
    }
}

/// The result of authentication stage 1, which the DHKey checks use.
struct AuthenticatedNonces: Hashable, Sendable {
    let initiator: UInt128
    let responder: UInt128
    /// The r values of f6, of this device and of the peer.
    var localRandom: OutOfBandRandom
    var peerRandom: OutOfBandRandom
    /// An initiator's check that arrived while the responder's user still compared.
    var heldCheck: UInt128?

    init(local: UInt128, peer: UInt128, role: PairingRole, localRandom: UInt128 = 0, peerRandom: UInt128 = 0) {
        initiator = role == .initiator ? local : peer
        responder = role == .responder ? local : peer
        self.localRandom = OutOfBandRandom(value: localRandom)
        self.peerRandom = OutOfBandRandom(value: peerRandom)
    }
}
