import BLEWire

/// The Security Manager of one link (Vol 3, Part H, 2.3), sans-IO: a value without a clock, randomness or I/O.
///
/// The owner passes in the inputs of the link and the agent, performs the actions in order, and calls
/// `handleTimeout(at:)` at `deadline`. Only `.completed` returns keys. Every other end drops them.
package struct Pairing: Sendable {
    /// The Security Manager Timer (3.4).
    package static let timeout = TimeSpan.seconds(30)

    // The payloads are apart, so that a link without a pairing does not pay for them.
    indirect enum State: Sendable {
        case idle
        /// The peripheral sent a Security Request and waits for the central.
        case securityRequested
        case exchangingFeatures(FeatureExchange)
        case legacy(PairingAgreement, LegacyAuthentication)
        case exchangingKeys(PairingAgreement, PublicKeyExchange)
        case comparing(PairingAgreement, ExchangedKeys, NumericComparison)
        case enteringPasskey(PairingAgreement, ExchangedKeys, PasskeyEntry)
        case outOfBand(PairingAgreement, ExchangedKeys, OutOfBandAuthentication)
        case checking(PairingAgreement, ExchangedKeys, AuthenticatedNonces, CheckExchange)
        case encrypting(PairingAgreement, LongTermKey, usesDebugKeys: Bool)
        case distributing(PairingAgreement, LongTermKey, usesDebugKeys: Bool, KeyDistribution)
        /// No further PDU is sent on this link (3.4).
        case timedOut
    }

    /// The parameters of the link. Changes apply to its next pairing.
    package var parameters: PairingParameters
    /// The failures so far. A `FailedAttemptsTable` keeps them between links.
    package private(set) var attempts: FailedAttempts
    /// The time to call `handleTimeout(at:)`; nil while no procedure runs.
    package private(set) var deadline: Instant?
    var state = State.idle
    /// The agent has a request that must be dismissed when the pairing ends.
    private var hasAsked = false

    package init(parameters: PairingParameters, attempts: FailedAttempts = FailedAttempts()) {
        self.parameters = parameters
        self.attempts = attempts
    }

    package var isIdle: Bool { if case .idle = state { true } else { false } }
    /// Whether this side has sent a Security Request, and the peer has not begun a pairing.
    package var awaitsPairingRequest: Bool { if case .securityRequested = state { true } else { false } }
    /// The security of the link under the key of this pairing; nil before the devices have that key.
    package var security: LinkSecurity? {
        switch state {
        case .encrypting(let agreement, _, _), .distributing(let agreement, _, _, _): agreement.security
        default: nil
        }
    }
    /// Whether the timer expired. No pairing is possible until the devices connect again.
    package var isTimedOut: Bool { if case .timedOut = state { true } else { false } }

    // MARK: Calls of the owner

    /// Starts pairing as the initiator, or requests security as the responder. Has no effect while a pairing runs.
    package mutating func start(at now: Instant, using crypto: inout some CryptoProvider) -> [PairingAction] {
        guard !isTimedOut else { return [.failed(.timeout)] }
        guard isIdle else { return [] }
        guard attempts.blockedUntil(at: now) == nil else { return [.failed(.local(.repeatedAttempts))] }
        guard parameters.role == .initiator else {
            state = .securityRequested
            let request = SMP.SecurityRequest(requirements: parameters.policy.requirements)
            return finish([.send(.securityRequest(request))], at: now)
        }
        state = .exchangingFeatures(FeatureExchange(role: .initiator))
        return finish(advance(.start, at: now, &crypto), at: now)
    }

    /// Ends a running pairing, for example because the program removes the device.
    package mutating func cancel(at now: Instant) -> [PairingAction] {
        switch state {
        case .idle, .timedOut: []
        default: finish(fail(.unspecified, at: now), at: now)
        }
    }

    /// Takes the agent's answer. Has no effect if no request waits for it.
    package mutating func answer(
        _ answer: AgentAnswer, at now: Instant, using crypto: inout some CryptoProvider
    ) -> [PairingAction] {
        switch (state, answer) {
        case (.idle, _), (.timedOut, _), (.securityRequested, _), (.encrypting, _), (.distributing, _):
            return []
        case (_, .cancel):
            return finish(fail(cancellationReason, at: now), at: now)
        case (_, .keypress(let kind)):
            guard sendsKeypresses else { return [] }
            return finish([.send(.keypressNotification(.init(kind: kind)))], at: now)
        case (_, .accept), (_, .passkey):
            return finish(advance(.answer(answer), at: now, &crypto), at: now)
        }
    }

    // MARK: Input of the link

    /// Takes a PDU of the Security Manager channel.
    package mutating func receive(
        _ octets: Span<UInt8>, at now: Instant, using crypto: inout some CryptoProvider
    ) -> [PairingAction] {
        guard !isTimedOut else { return [] }
        let packet: SMP.Packet
        do throws(DecodeError) {
            packet = try SMP.Packet(decoding: octets)
        } catch {
            // Codes that are reserved for future use are ignored (3.3). So is a PDU without a code.
            guard error != .unexpectedType, !octets.isEmpty else { return [] }
            if octets[0] == SMP.Code.pairingFailed.rawValue { return end(.remote(.unspecified), at: now) }
            return finish(fail(.invalidParameters, at: now), at: now)
        }
        switch packet {
        case .pairingFailed(let failed):
            return end(.remote(failed.reason), at: now)
        case .pairingRequest where parameters.role == .initiator,
            .pairingResponse where parameters.role == .responder,
            .securityRequest where parameters.role == .responder:
            // No device with this role supports the command.
            return finish(fail(.commandNotSupported, at: now), at: now)
        case .securityRequest(let request):
            return finish(takeSecurityRequest(request, at: now, &crypto), at: now)
        case .pairingRequest:
            return finish(takePairingRequest(packet, at: now, &crypto), at: now)
        case .keypressNotification(let notification) where acceptsKeypresses:
            guard notification.kind.isDefined else { return finish(fail(.invalidParameters, at: now), at: now) }
            return [.keypress(notification.kind)]
        default:
            return finish(advance(.packet(packet), at: now, &crypto), at: now)
        }
    }

    /// The key for an LTK request of the controller; nil if this pairing has no such key.
    package func longTermKey(diversifier: UInt16, random: UInt64) -> LongTermKey? {
        guard parameters.role == .responder, diversifier == 0, random == 0,
            case .encrypting(_, let key, _) = state
        else { return nil }
        return key
    }

    /// Takes the controller's report that the encryption changed or failed to change.
    package mutating func encryptionChanged(
        isEncrypted: Bool, at now: Instant, using crypto: inout some CryptoProvider
    ) -> [PairingAction] {
        switch (state, isEncrypted) {
        case (.encrypting(let agreement, let key, let usesDebugKeys), true):
            state = .distributing(agreement, key, usesDebugKeys: usesDebugKeys, .starting)
            return finish(advance(.start, at: now, &crypto), at: now)
        case (.securityRequested, true):
            // The central had a key already.
            state = .idle
            return finish([], at: now)
        case (.encrypting, false), (.distributing, false):
            return end(.encryption, at: now)
        default:
            return []
        }
    }

    package mutating func linkClosed(at now: Instant) -> [PairingAction] { end(.disconnected, at: now) }

    package mutating func handleTimeout(at now: Instant) -> [PairingAction] {
        guard let deadline, now >= deadline else { return [] }
        let actions = end(.timeout, at: now)
        state = .timedOut
        return actions
    }

    // MARK: Ends

    /// Ends the pairing and sends the reason to the peer, or refuses a PDU while no pairing runs.
    mutating func fail(_ reason: SMP.FailureReason, at now: Instant) -> [PairingAction] {
        [.send(.pairingFailed(.init(reason: reason)))] + end(.local(reason), at: now)
    }

    private mutating func end(_ failure: PairingProcedureError, at now: Instant) -> [PairingAction] {
        switch state {
        case .idle, .timedOut: return []
        case .securityRequested, .exchangingFeatures: break
        default:
            // The devices have begun to authenticate each other, so the peer could test a guess (2.3.6).
            attempts.failed(at: now)
        }
        state = .idle
        return finish([.failed(failure)], at: now)
    }

    /// Updates the timer and the agent's request according to the actions.
    private mutating func finish(_ actions: [PairingAction], at now: Instant) -> [PairingAction] {
        var actions = actions
        for action in actions {
            switch action {
            // The timer restarts when a PDU is queued (3.4).
            case .send: deadline = now + Self.timeout
            case .ask: hasAsked = true
            default: break
            }
        }
        if isIdle || isTimedOut {
            deadline = nil
            if hasAsked { actions.append(.dismissAgent) }
            hasAsked = false
        } else if deadline == nil {
            deadline = now + Self.timeout
        }
        return actions
    }
}
