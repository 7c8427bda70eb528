import BLEWire

/// Authentication stage 1 of passkey entry (Vol 3, Part H, 2.3.5.6.3): twenty rounds, each for one bit of the passkey.
enum PasskeyEntry: Sendable {
    /// A round in progress, for the bit of the passkey with this index.
    struct Round: Hashable, Sendable {
        let passkey: Passkey
        var index = 0
        /// The peer's random values of earlier rounds. A repeated value is a replay.
        var seen: [UInt128] = []

        /// The last argument of f4: the bit above 0x80.
        var bit: UInt8 { 0x80 | UInt8(truncatingIfNeeded: passkey.value >> UInt128(index)) & 1 }
    }

    static let rounds = 20

    case starting
    /// The user has not entered the passkey. The initiator's first confirm value may have arrived.
    case awaitingPasskey(peerConfirm: UInt128?)
    /// The initiator has its random and confirm values. The responder has neither.
    case awaitingConfirm(Round, local: UInt128?, confirm: UInt128?)
    case awaitingRandom(Round, local: UInt128, peerConfirm: UInt128)
    case ended

    mutating func step(
        _ input: PhaseInput, _ model: AssociationModel, _ keys: ExchangedKeys, _ role: PairingRole,
        _ crypto: inout some CryptoProvider
    ) -> PhaseStep<AuthenticatedNonces> {
        // An input that sets no other state ends the phase and drops its secrets.
        let current = self
        self = .ended
        switch (consume current, input) {
        case (.starting, .start):
            guard model.displays(role) else {
                self = .awaitingPasskey(peerConfirm: nil)
                return .wait([.ask(.enterPasskey)])
            }
            let passkey = Passkey(value: crypto.random())
            return begin(Round(passkey: passkey), [.ask(.display(passkey))], keys, role, &crypto)
        case (.awaitingPasskey(peerConfirm: nil), .packet(.pairingConfirm(let confirm))) where role == .responder:
            self = .awaitingPasskey(peerConfirm: confirm.number)
            return .wait([])
        case (.awaitingPasskey(let held), .answer(.passkey(let passkey))):
            let step = begin(Round(passkey: passkey), [], keys, role, &crypto)
            guard let held else { return step }
            return self.step(.packet(.pairingConfirm(.init(number: held))), model, keys, role, &crypto)
        case (.awaitingConfirm(let round, let local, let confirm), .packet(.pairingConfirm(let peer))):
            if let local {
                // An equal value is this device's own value, reflected by the peer.
                guard peer.number != confirm else { return .fail(.confirmValueFailed) }
                self = .awaitingRandom(round, local: local, peerConfirm: peer.number)
                return .wait([.send(.pairingRandom(.init(number: local)))])
            }
            let random = crypto.random()
            self = .awaitingRandom(round, local: random, peerConfirm: peer.number)
            let own = keys.confirm(random, round.bit, isLocal: true, crypto)
            return .wait([.send(.pairingConfirm(.init(number: own)))])
        case (.awaitingRandom(var round, let local, let peerConfirm), .packet(.pairingRandom(let peer))):
            guard peer.number != local, !round.seen.contains(peer.number),
                keys.confirm(peer.number, round.bit, isLocal: false, crypto) == peerConfirm
            else { return .fail(.confirmValueFailed) }
            let actions: [PairingAction] = role == .responder ? [.send(.pairingRandom(.init(number: local)))] : []
            round.seen.append(peer.number)
            round.index += 1
            guard round.index == Self.rounds else { return begin(round, actions, keys, role, &crypto) }
            let passkey = round.passkey.value
            return .done(
                AuthenticatedNonces(
                    local: local, peer: peer.number, role: role, localRandom: passkey, peerRandom: passkey), actions)
        case (let state, .answer):
            self = state
            return .wait([])
        case (_, .start), (_, .packet):
            return .fail(.unspecified)
        }
    }

    /// Begins a round. The initiator commits to a fresh random value.
    private mutating func begin(
        _ round: Round, _ actions: [PairingAction], _ keys: ExchangedKeys, _ role: PairingRole,
        _ crypto: inout some CryptoProvider
    ) -> PhaseStep<AuthenticatedNonces> {
        guard role == .initiator else {
            self = .awaitingConfirm(round, local: nil, confirm: nil)
            return .wait(actions)
        }
        let random = crypto.random()
        let confirm = keys.confirm(random, round.bit, isLocal: true, crypto)
        self = .awaitingConfirm(round, local: random, confirm: confirm)
        return .wait(actions + [.send(.pairingConfirm(.init(number: confirm)))])
    }
}
