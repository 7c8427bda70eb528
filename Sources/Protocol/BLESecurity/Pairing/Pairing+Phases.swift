import BLEWire

extension Pairing {
    /// Passes an input to the running phase, and enters the next phase when it is over.
    mutating func advance(
        _ input: PhaseInput, at now: Instant, _ crypto: inout some CryptoProvider
    ) -> [PairingAction] {
        var current = State.idle
        swap(&current, &state)
        switch consume current {
        case .idle:
            // No pairing runs. The PDU is refused and changes nothing.
            return fail(.unspecified, at: now)
        case .timedOut:
            state = .timedOut
            return []
        case .securityRequested:
            state = .securityRequested
            return fail(.unspecified, at: now)
        case .exchangingFeatures(var phase):
            let step = phase.step(input, parameters)
            state = .exchangingFeatures(phase)
            return follow(step, at: now, &crypto) { agreement in
                agreement.usesSecureConnections
                    ? .exchangingKeys(agreement, .starting) : .legacy(agreement, .starting)
            }
        case .legacy(let agreement, var phase):
            let step = phase.step(input, agreement, parameters, &crypto)
            state = .legacy(agreement, phase)
            return followToEncryption(step, agreement, usesDebugKeys: false, at: now)
        case .exchangingKeys(let agreement, var phase):
            let step = phase.step(input, agreement, &parameters, &crypto)
            state = .exchangingKeys(agreement, phase)
            return follow(step, at: now, &crypto) { Self.stageOne(agreement, $0) }
        case .comparing(let agreement, let keys, var phase):
            let step = phase.step(input, agreement, keys, parameters.role, &crypto)
            state = .comparing(agreement, keys, phase)
            return follow(step, at: now, &crypto) { .checking(agreement, keys, $0, .starting) }
        case .enteringPasskey(let agreement, let keys, var phase):
            let step = phase.step(input, agreement.model, keys, parameters.role, &crypto)
            state = .enteringPasskey(agreement, keys, phase)
            return follow(step, at: now, &crypto) { .checking(agreement, keys, $0, .starting) }
        case .outOfBand(let agreement, let keys, var phase):
            let step = phase.step(input, keys, parameters, &crypto)
            state = .outOfBand(agreement, keys, phase)
            return follow(step, at: now, &crypto) { .checking(agreement, keys, $0, .starting) }
        case .checking(let agreement, let keys, let nonces, var phase):
            let step = phase.step(input, agreement, keys, nonces, parameters, crypto)
            state = .checking(agreement, keys, nonces, phase)
            return followToEncryption(step, agreement, usesDebugKeys: keys.usesDebugKeys, at: now)
        case .encrypting(let agreement, let key, let usesDebugKeys):
            // Keys that arrive before the link is encrypted are refused like any other unexpected input.
            state = .encrypting(agreement, key, usesDebugKeys: usesDebugKeys)
            return fail(.unspecified, at: now)
        case .distributing(let agreement, let key, let usesDebugKeys, var phase):
            let step = phase.step(input, agreement, parameters, &crypto)
            state = .distributing(agreement, key, usesDebugKeys: usesDebugKeys, phase)
            return followToCompletion(step, agreement, key, usesDebugKeys: usesDebugKeys, at: now, crypto)
        }
    }

    /// Starts the phase that follows the ended one.
    private mutating func follow<Product>(
        _ step: PhaseStep<Product>, at now: Instant, _ crypto: inout some CryptoProvider, to next: (Product) -> State
    ) -> [PairingAction] {
        switch step {
        case .wait(let actions): return actions
        case .fail(let reason): return fail(reason, at: now)
        case .done(let product, let actions):
            state = next(product)
            return actions + advance(.start, at: now, &crypto)
        }
    }

    private mutating func followToEncryption(
        _ step: PhaseStep<LongTermKey>, _ agreement: PairingAgreement, usesDebugKeys: Bool, at now: Instant
    ) -> [PairingAction] {
        switch step {
        case .wait(let actions): return actions
        case .fail(let reason): return fail(reason, at: now)
        case .done(let key, let actions):
            state = .encrypting(agreement, key, usesDebugKeys: usesDebugKeys)
            // The key is provided before the PDU that lets the central use it.
            return parameters.role == .initiator ? actions + [.startEncryption(key)] : [.provideKey(key)] + actions
        }
    }

    private mutating func followToCompletion(
        _ step: PhaseStep<KeyDistribution.Product>, _ agreement: PairingAgreement, _ key: LongTermKey,
        usesDebugKeys: Bool, at now: Instant, _ crypto: some CryptoProvider
    ) -> [PairingAction] {
        switch step {
        case .wait(let actions): return actions
        case .fail(let reason): return fail(reason, at: now)
        case .done(let keys, let actions):
            state = .idle
            return actions
                + [.completed(result(agreement, key, usesDebugKeys: usesDebugKeys, keys.local, keys.peer, crypto))]
        }
    }

    private static func stageOne(_ agreement: PairingAgreement, _ keys: ExchangedKeys) -> State {
        switch agreement.model {
        case .justWorks, .numericComparison: .comparing(agreement, keys, .starting)
        case .passkeyOnInitiator, .passkeyOnResponder, .passkeyEnteredTwice:
            .enteringPasskey(agreement, keys, .starting)
        case .outOfBand: .outOfBand(agreement, keys, .starting)
        }
    }

    /// Takes a Security Request of a peripheral (Vol 3, Part H, 2.4.6). It is ignored while a pairing runs.
    mutating func takeSecurityRequest(
        _ request: SMP.SecurityRequest, at now: Instant, _ crypto: inout some CryptoProvider
    ) -> [PairingAction] {
        guard isIdle else { return [] }
        let wanted = request.requirements
        if let known = parameters.knownSecurity(),
            known.isAuthenticated || !wanted.contains(.manInTheMiddle),
            known.isSecureConnections || !wanted.contains(.secureConnections)
        {
            return [.encryptWithBond]
        }
        if let reason = refusal(at: now) { return fail(reason, at: now) }
        state = .exchangingFeatures(FeatureExchange(role: .initiator, requested: wanted))
        return advance(.start, at: now, &crypto)
    }

    /// Takes a Pairing Request of a central.
    mutating func takePairingRequest(
        _ packet: SMP.Packet, at now: Instant, _ crypto: inout some CryptoProvider
    ) -> [PairingAction] {
        switch state {
        case .idle, .securityRequested:
            if let reason = refusal(at: now) { return fail(reason, at: now) }
            state = .exchangingFeatures(FeatureExchange(role: .responder))
            return advance(.packet(packet), at: now, &crypto)
        default:
            return fail(.unspecified, at: now)
        }
    }

    /// The reason to refuse any pairing with the peer now; nil if there is none.
    private func refusal(at now: Instant) -> SMP.FailureReason? {
        if !parameters.policy.isPairable { return .pairingNotSupported }
        if attempts.blockedUntil(at: now) != nil { return .repeatedAttempts }
        return parameters.policy.isBusy ? .busy : nil
    }

    // MARK: Passkeys

    private var passkeyAgreement: PairingAgreement? {
        switch state {
        case .legacy(let agreement, _) where agreement.model.usesPasskey: agreement
        case .exchangingKeys(let agreement, _) where agreement.model.usesPasskey: agreement
        case .enteringPasskey(let agreement, _, _): agreement
        default: nil
        }
    }

    /// Whether both devices support keypress notifications and a passkey is entered (2.3.5.6.3, 3.5.8).
    var acceptsKeypresses: Bool { passkeyAgreement?.usesKeypresses ?? false }

    /// Whether the user of this device enters the passkey.
    var sendsKeypresses: Bool {
        switch state {
        case .legacy(let agreement, .awaitingPasskey): agreement.usesKeypresses
        case .enteringPasskey(let agreement, _, .awaitingPasskey): agreement.usesKeypresses
        default: false
        }
    }

    /// The reason sent to the peer when the user cancels the pairing.
    var cancellationReason: SMP.FailureReason {
        if case .comparing = state { return .numericComparisonFailed }
        return passkeyAgreement == nil ? .unspecified : .passkeyEntryFailed
    }

    // MARK: The result

    private func result(
        _ agreement: PairingAgreement, _ key: LongTermKey, usesDebugKeys: Bool, _ local: DistributedKeys,
        _ peer: DistributedKeys, _ crypto: some CryptoProvider
    ) -> PairingResult {
        let shared = StoredKey(key: key, diversifier: 0, random: 0)
        let secure = agreement.usesSecureConnections
        // The peer is reached at the identity address of the link. Another one that it distributes replaces only a private address.
        let bond = Bond(
            peer: parameters.peerIdentity ?? peer.identity ?? parameters.peerAddress, security: agreement.security,
            usesDebugKeys: usesDebugKeys, localKey: secure ? shared : local.longTermKey,
            peerKey: secure ? shared : peer.longTermKey, peerIdentityKey: peer.identityKey,
            localSignatureKey: local.signatureKey, peerSignatureKey: peer.signatureKey,
            linkKey: agreement.derivesLinkKey ? crypto.linkKey(from: key, withH7: agreement.usesH7) : nil)
        return PairingResult(
            security: agreement.security, model: agreement.model, bond: agreement.isBonding ? bond : nil)
    }
}
