import BLEWire

/// Phase 2 of LE legacy pairing, which results in the short term key (Vol 3, Part H, 2.3.5.5).
enum LegacyAuthentication: Sendable {
    case starting
    /// The user has not entered the passkey. The initiator's confirm value may have arrived.
    case awaitingPasskey(peerConfirm: UInt128?)
    case awaitingConfirm(TemporaryKey, random: UInt128, confirm: UInt128)
    case awaitingRandom(TemporaryKey, random: UInt128, peerConfirm: UInt128)
    case ended

    mutating func step(
        _ input: PhaseInput, _ agreement: PairingAgreement, _ parameters: PairingParameters,
        _ crypto: inout some CryptoProvider
    ) -> PhaseStep<LongTermKey> {
        let isInitiator = parameters.role == .initiator
        // An input that sets no other state ends the phase and drops its secrets.
        let current = self
        self = .ended
        switch (consume current, input) {
        case (.starting, .start):
            switch agreement.model {
            case .justWorks, .numericComparison:
                return commit(.justWorks, [], isInitiator, agreement, parameters, &crypto)
            case .outOfBand:
                guard let key = parameters.outOfBand.legacyKey else { return .fail(.outOfBandNotAvailable) }
                return commit(key, [], isInitiator, agreement, parameters, &crypto)
            case .passkeyOnInitiator, .passkeyOnResponder, .passkeyEnteredTwice:
                guard agreement.model.displays(parameters.role) else {
                    self = .awaitingPasskey(peerConfirm: nil)
                    return .wait([.ask(.enterPasskey)])
                }
                let passkey = Passkey(value: crypto.random())
                let key = TemporaryKey(value: passkey.value)
                return commit(key, [.ask(.display(passkey))], isInitiator, agreement, parameters, &crypto)
            }
        case (.awaitingPasskey(let held), .answer(.passkey(let passkey))):
            let key = TemporaryKey(value: passkey.value)
            let step = commit(key, [], isInitiator, agreement, parameters, &crypto)
            guard let held else { return step }
            return self.step(
                .packet(.pairingConfirm(.init(number: held))), agreement, parameters, &crypto)
        case (.awaitingPasskey(peerConfirm: nil), .packet(.pairingConfirm(let confirm))) where !isInitiator:
            self = .awaitingPasskey(peerConfirm: confirm.number)
            return .wait([])
        case (.awaitingConfirm(let key, let random, let confirm), .packet(.pairingConfirm(let peer))):
            // An equal value is this device's own value, reflected by the peer.
            guard peer.number != confirm else { return .fail(.confirmValueFailed) }
            self = .awaitingRandom(key, random: random, peerConfirm: peer.number)
            let answer: SMP.Packet =
                isInitiator ? .pairingRandom(.init(number: random)) : .pairingConfirm(.init(number: confirm))
            return .wait([.send(answer)])
        case (.awaitingRandom(let key, let random, let peerConfirm), .packet(.pairingRandom(let peer))):
            guard peer.number != random,
                confirm(key, peer.number, agreement, parameters, crypto) == peerConfirm
            else { return .fail(.confirmValueFailed) }
            let shortTerm = crypto.s1(
                key.value, responder: isInitiator ? peer.number : random,
                initiator: isInitiator ? random : peer.number)
            return .done(
                LongTermKey(value: shortTerm).shortened(to: agreement.keySize),
                isInitiator ? [] : [.send(.pairingRandom(.init(number: random)))])
        case (let state, .answer):
            self = state
            return .wait([])
        case (_, .start), (_, .packet):
            return .fail(.unspecified)
        }
    }

    /// Draws the random value. The initiator sends its confirm value at once.
    private mutating func commit(
        _ key: TemporaryKey, _ actions: [PairingAction], _ isInitiator: Bool, _ agreement: PairingAgreement,
        _ parameters: PairingParameters, _ crypto: inout some CryptoProvider
    ) -> PhaseStep<LongTermKey> {
        let random = crypto.random()
        let value = confirm(key, random, agreement, parameters, crypto)
        self = .awaitingConfirm(key, random: random, confirm: value)
        return .wait(actions + (isInitiator ? [.send(.pairingConfirm(.init(number: value)))] : []))
    }

    private func confirm(
        _ key: TemporaryKey, _ random: UInt128, _ agreement: PairingAgreement, _ parameters: PairingParameters,
        _ crypto: some CryptoProvider
    ) -> UInt128 {
        crypto.c1(
            key.value, random: random, request: agreement.request.number, response: agreement.response.number,
            initiator: parameters.initiator, responder: parameters.responder)
    }
}
