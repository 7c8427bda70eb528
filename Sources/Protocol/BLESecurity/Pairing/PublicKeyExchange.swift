import BLEWire

/// The public keys and the shared secret of a Secure Connections pairing.
struct ExchangedKeys: Sendable {
    let local: P256PublicKey
    let peer: P256PublicKey
    let secret: SharedSecret
    /// The random value that the peer received out of band together with a commitment to `local`; nil if it received none.
    var outOfBandRandom: OutOfBandRandom?

    var usesDebugKeys: Bool { local == .debug || peer == .debug }

    /// f4 over the keys, the sender's first.
    func confirm(_ nonce: UInt128, _ z: UInt8, isLocal: Bool, _ crypto: some CryptoProvider) -> UInt128 {
        isLocal ? crypto.f4(local.x, peer.x, nonce, z) : crypto.f4(peer.x, local.x, nonce, z)
    }
}

/// The first part of phase 2 of Secure Connections: public keys and DHKey (Vol 3, Part H, 2.3.5.6.1).
enum PublicKeyExchange: Sendable {
    /// This device's key pair, and the random value that the peer received out of band with its commitment.
    struct LocalKey: Sendable {
        let pair: P256KeyPair
        var random: OutOfBandRandom?
    }

    case starting
    /// The responder generates its key pair after the peer's key has arrived.
    case awaitingKey(LocalKey?)
    case ended

    /// Removes the local out-of-band data from `parameters` if this pairing uses it.
    mutating func step(
        _ input: PhaseInput, _ agreement: PairingAgreement, _ parameters: inout PairingParameters,
        _ crypto: inout some CryptoProvider
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
            let key: LocalKey
            do throws(KeyExchangeError) { key = try Self.localKey(agreement, &parameters, &crypto) } catch {
                return .fail(error.reason)
            }
            self = .awaitingKey(key)
            return .wait([.send(.pairingPublicKey(.init(key: key.pair.publicKey)))])
        case (.awaitingKey(let made), .packet(.pairingPublicKey(let packet))):
            let peer = packet.key
            let accepts = parameters.policy.usesDebugKeys
            // Only a device in debug mode accepts the key whose private key is published.
            guard peer != .debug || accepts else { return .fail(.authenticationRequirements) }
            let key: LocalKey
            do throws(KeyExchangeError) {
                if let made { key = made } else { key = try Self.localKey(agreement, &parameters, &crypto) }
            } catch {
                return .fail(error.reason)
            }
            let pair = key.pair
            // An equal X coordinate is this device's own key, reflected by the peer, perhaps with a negated Y
            // coordinate (CVE-2020-26558).
            guard peer.x != pair.publicKey.x || (peer == .debug && accepts),
                let secret = try? crypto.sharedSecret(pair.privateKey, with: peer)
            else { return .fail(.invalidParameters) }
            return .done(
                ExchangedKeys(
                    local: pair.publicKey, peer: peer, secret: secret, outOfBandRandom: key.random),
                made == nil ? [.send(.pairingPublicKey(.init(key: pair.publicKey)))] : [])
        case (let state, .answer):
            self = state
            return .wait([])
        case (_, .start), (_, .packet):
            return .fail(.unspecified)
        }
    }

    private struct KeyExchangeError: Error {
        let reason: SMP.FailureReason
    }

    /// The key pair of the out-of-band data if the peer has that data, the debug pair, or a fresh pair. Only the debug pair
    /// serves two pairings: the private key changes after each one, successful or failed (2.3.6).
    private static func localKey(
        _ agreement: PairingAgreement, _ parameters: inout PairingParameters, _ crypto: inout some CryptoProvider
    ) throws(KeyExchangeError) -> LocalKey {
        let peerRole: PairingRole = parameters.role == .initiator ? .responder : .initiator
        if agreement.features(of: peerRole).hasOutOfBandData {
            // A pairing on another link may have used the data since the exchange of features.
            guard let local = parameters.outOfBand.local else { throw KeyExchangeError(reason: .outOfBandNotAvailable) }
            parameters.outOfBand.local = nil
            return LocalKey(pair: local.keyPair, random: local.random)
        }
        let pair = parameters.policy.usesDebugKeys ? crypto.keyPair(.debug) : crypto.makeKeyPair()
        guard let pair else { throw KeyExchangeError(reason: .unspecified) }
        return LocalKey(pair: pair)
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
