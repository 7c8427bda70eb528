import BLEWire

/// Authentication stage 2 of Secure Connections: the DHKey checks, which result in the LTK (Vol 3, Part H, 2.3.5.6.5).
enum CheckExchange: Sendable {
    case starting
    case awaitingCheck(expected: UInt128, own: UInt128, LongTermKey)
    case ended

    mutating func step(
        _ input: PhaseInput, _ agreement: PairingAgreement, _ keys: ExchangedKeys, _ nonces: AuthenticatedNonces,
        _ parameters: PairingParameters, _ crypto: some CryptoProvider
    ) -> PhaseStep<LongTermKey> {
        let role = parameters.role
        // An input that sets no other state ends the phase and drops its secrets.
        let current = self
        self = .ended
        switch (consume current, input) {
        case (.starting, .start):
            let derived = crypto.f5(
                keys.secret, nonces.initiator, nonces.responder, parameters.initiator, parameters.responder)
            func check(by checker: PairingRole) -> UInt128 {
                // Each check value uses the random value of the other device.
                let random = checker == role ? nonces.peerRandom : nonces.localRandom
                let isInitiator = checker == .initiator
                return crypto.f6(
                    derived.check, isInitiator ? nonces.initiator : nonces.responder,
                    isInitiator ? nonces.responder : nonces.initiator, random.value,
                    features: agreement.features(of: checker).authenticationNumber,
                    isInitiator ? parameters.initiator : parameters.responder,
                    isInitiator ? parameters.responder : parameters.initiator)
            }
            let own = check(by: role)
            self = .awaitingCheck(
                expected: check(by: role == .initiator ? .responder : .initiator), own: own,
                derived.longTerm.shortened(to: agreement.keySize))
            guard role == .responder, let held = nonces.heldCheck else {
                return .wait(role == .initiator ? [.send(.pairingDHKeyCheck(.init(number: own)))] : [])
            }
            return step(.packet(.pairingDHKeyCheck(.init(number: held))), agreement, keys, nonces, parameters, crypto)
        case (.awaitingCheck(let expected, let own, let key), .packet(.pairingDHKeyCheck(let check))):
            guard check.number == expected else { return .fail(.dhKeyCheckFailed) }
            return .done(key, role == .responder ? [.send(.pairingDHKeyCheck(.init(number: own)))] : [])
        case (let state, .answer):
            self = state
            return .wait([])
        case (_, .start), (_, .packet):
            return .fail(.unspecified)
        }
    }
}
