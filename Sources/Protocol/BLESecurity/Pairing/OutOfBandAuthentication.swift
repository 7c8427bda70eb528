import BLEWire

/// Authentication stage 1 with out-of-band data (Vol 3, Part H, 2.3.5.6.4).
enum OutOfBandAuthentication: Sendable {
    case starting
    case awaitingRandom(UInt128)
    case ended

    mutating func step(
        _ input: PhaseInput, _ keys: ExchangedKeys, _ parameters: PairingParameters, _ crypto: inout some CryptoProvider
    ) -> PhaseStep<AuthenticatedNonces> {
        let role = parameters.role
        // An input that sets no other state ends the phase and drops its secrets.
        let current = self
        self = .ended
        switch (current, input) {
        case (.starting, .start):
            // The commitment in the out-of-band data must match the peer's public key.
            if let peer = parameters.outOfBand.peer,
                crypto.f4(keys.peer.x, keys.peer.x, peer.random.value, 0) != peer.commitment
            {
                return .fail(.confirmValueFailed)
            }
            let random = crypto.random()
            self = .awaitingRandom(random)
            return .wait(role == .initiator ? [.send(.pairingRandom(.init(number: random)))] : [])
        case (.awaitingRandom(let local), .packet(.pairingRandom(let peer))):
            guard peer.number != local else { return .fail(.confirmValueFailed) }
            // The key exchange has the random value only if the peer has received it.
            return .done(
                AuthenticatedNonces(
                    local: local, peer: peer.number, role: role, localRandom: keys.outOfBandRandom?.value ?? 0,
                    peerRandom: parameters.outOfBand.peer?.random.value ?? 0),
                role == .responder ? [.send(.pairingRandom(.init(number: local)))] : [])
        case (let state, .answer):
            self = state
            return .wait([])
        case (_, .start), (_, .packet):
            return .fail(.unspecified)
        }
    }
}
