import BLEWire

/// Authentication stage 1 of just works and numeric comparison (Vol 3, Part H, 2.3.5.6.2). The responder commits to its
/// random value before it receives the initiator's.
enum NumericComparison: Sendable {
    case starting
    /// The initiator waits for the commitment.
    case awaitingConfirm
    /// The responder has its own random value. The initiator also has the responder's commitment.
    case awaitingRandom(UInt128, peerConfirm: UInt128?)
    case awaitingUser(AuthenticatedNonces)
    case ended

    mutating func step(
        _ input: PhaseInput, _ agreement: PairingAgreement, _ keys: ExchangedKeys, _ role: PairingRole,
        _ crypto: inout some CryptoProvider
    ) -> PhaseStep<AuthenticatedNonces> {
        // An input that sets no other state ends the phase and drops its secrets.
        let current = self
        self = .ended
        switch (consume current, input) {
        case (.starting, .start):
            guard role == .responder else {
                self = .awaitingConfirm
                return .wait([])
            }
            let random = crypto.random()
            self = .awaitingRandom(random, peerConfirm: nil)
            return .wait([.send(.pairingConfirm(.init(number: keys.confirm(random, 0, isLocal: true, crypto))))])
        case (.awaitingConfirm, .packet(.pairingConfirm(let confirm))):
            let random = crypto.random()
            self = .awaitingRandom(random, peerConfirm: confirm.number)
            return .wait([.send(.pairingRandom(.init(number: random)))])
        case (.awaitingRandom(let local, let confirm), .packet(.pairingRandom(let peer))):
            if let confirm, keys.confirm(peer.number, 0, isLocal: false, crypto) != confirm {
                return .fail(.confirmValueFailed)
            }
            let nonces = AuthenticatedNonces(local: local, peer: peer.number, role: role)
            let actions: [PairingAction] = role == .responder ? [.send(.pairingRandom(.init(number: local)))] : []
            guard agreement.model == .numericComparison else {
                return .done(nonces, actions)
            }
            let isInitiator = role == .initiator
            let value = crypto.g2(
                isInitiator ? keys.local.x : keys.peer.x, isInitiator ? keys.peer.x : keys.local.x, nonces.initiator,
                nonces.responder)
            self = .awaitingUser(nonces)
            return .wait(actions + [.ask(.compare(ComparisonValue(value: value)))])
        case (.awaitingUser(var nonces), .packet(.pairingDHKeyCheck(let check)))
        where role == .responder && nonces.heldCheck == nil:
            nonces.heldCheck = check.number
            self = .awaitingUser(nonces)
            return .wait([])
        case (.awaitingUser(let nonces), .answer(.accept(let isEqual))):
            return isEqual ? .done(nonces, []) : .fail(.numericComparisonFailed)
        case (let state, .answer):
            self = state
            return .wait([])
        case (_, .start), (_, .packet):
            return .fail(.unspecified)
        }
    }

}
