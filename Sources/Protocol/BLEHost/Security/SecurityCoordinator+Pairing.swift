import BLELink
import BLESecurity
import BLEWire

/// Pairing (Vol 3, Part H).
extension SecurityCoordinator {
    // MARK: Calls

    /// Brings a link to a security level; `HostStack.secure` has the events.
    mutating func secure(
        _ connection: Connection, minimum: LinkSecurity.Level, at now: Instant, _ output: inout HostOutput
    ) {
        guard let manager = connection.securityManager else { return }
        if connection.security.level >= minimum {
            output.events.append(.pairing(connection.identifier, .secured(connection.security)))
        } else {
            connection.securityManager?.wanted = max(minimum, manager.wanted ?? minimum)
            if manager.isIdle { secure(connection, at: now, &output) }
        }
    }

    /// Passes the user's answer to a link's pairing.
    mutating func answer(_ answer: AgentAnswer, on connection: Connection, at now: Instant, _ output: inout HostOutput)
    {
        advance(connection, at: now, &output) { $0.answer(answer, at: now, using: &$1) }
    }

    /// Ends a running pairing.
    mutating func cancel(_ connection: Connection, at now: Instant, _ output: inout HostOutput) {
        guard let actions = connection.securityManager?.pairing.cancel(at: now) else { return }
        perform(actions, on: connection, at: now, &output)
    }

    // MARK: Procedures

    /// Starts the procedure for the level that is wanted on an idle link.
    mutating func secure(_ connection: Connection, at now: Instant, _ output: inout HostOutput) {
        guard let wanted = connection.securityManager?.wanted else { return }
        if connection.role == .central, !connection.security.isEncrypted, bond(of: connection)?.peerKey != nil {
            // Before keys of a bond are replaced by better ones, the peer proves that it has them.
            encryptWithBond(connection, at: now, &output)
        } else {
            pair(connection, minimum: wanted, at: now, &output)
        }
    }

    /// Starts a pairing as the central, or sends a Security Request as the peripheral.
    private mutating func pair(
        _ connection: Connection, minimum: LinkSecurity.Level, at now: Instant, _ output: inout HostOutput
    ) {
        guard crypto != nil, pairingSettings.policy.isPairable else {
            return perform([.failed(.local(.pairingNotSupported))], on: connection, at: now, &output)
        }
        updateParameters(of: connection)
        if minimum >= .authenticated {
            connection.securityManager?.pairing.parameters.policy.requiresManInTheMiddle = true
        }
        if minimum == .secureConnections {
            connection.securityManager?.pairing.parameters.policy.secureConnectionsOnly = true
        }
        advance(connection, at: now, &output) { $0.start(at: now, using: &$1) }
    }

    /// Passes an input to the pairing of a link, and performs the actions.
    private mutating func advance(
        _ connection: Connection, at now: Instant, _ output: inout HostOutput,
        _ input: (inout Pairing, inout any CryptoProvider) -> [PairingAction]
    ) {
        guard var crypto, connection.securityManager != nil else { return }
        let before = commitment(of: connection)
        let actions = input(&connection.securityManager!.pairing, &crypto)
        self.crypto = crypto
        if let before, commitment(of: connection) != before {
            outOfBand.usedLocal(before)
            usedCommitment = before
        }
        perform(actions, on: connection, at: now, &output)
    }

    /// Gives the next pairing of a link the present settings, and every pairing the present bonds: a device may bond on another link
    /// while a pairing runs.
    private func updateParameters(of connection: Connection) {
        guard let manager = connection.securityManager else { return }
        let knownBonds = bonds.bonds.map { KnownBond(identity: $0.peer, security: $0.security) }
        connection.securityManager?.pairing.parameters.knownBonds = knownBonds
        // A Security Request binds this side to nothing yet: data that the user set after it applies to the pairing.
        if manager.pairing.isIdle || manager.pairing.awaitsPairingRequest,
            !outOfBand.isEmpty || !manager.pairing.parameters.outOfBand.isEmpty
        {
            let data = outOfBand.data(for: addresses(of: connection))
            connection.securityManager?.pairing.parameters.outOfBand = data
        }
        guard manager.pairing.isIdle, var parameters = connection.securityManager?.pairing.parameters else { return }
        parameters.ioCapability = pairingSettings.ioCapability
        parameters.policy = pairingSettings.policy
        // Clients write on links as peripheral alone. Secure Connections Only excludes signatures (Vol 3, Part C, 10.2.4).
        if hasSignedWrites, connection.role == .peripheral, !parameters.policy.secureConnectionsOnly {
            parameters.policy.peerKeys.insert(.signing)
        }
        parameters.isEncrypted = connection.security.isEncrypted && connection.security.isBonded
        parameters.knownBonds = knownBonds
        if let key = pairingSettings.identityKey {
            parameters.localIdentity = LocalIdentity(address: connection.onAir.localIdentity, key: key)
        }
        connection.securityManager?.pairing.parameters = parameters
    }

    /// Takes a frame of the Security Manager channel.
    mutating func receive(
        _ payload: Span<UInt8>, on connection: Connection, at now: Instant, _ output: inout HostOutput
    ) {
        guard !connection.isEnding else { return }
        guard crypto != nil, connection.securityManager != nil else {
            return refusePairing(payload, on: connection, &output)
        }
        if isAnsweredByBond(payload, on: connection) { return encryptWithBond(connection, at: now, &output) }
        updateParameters(of: connection)
        advance(connection, at: now, &output) { $0.receive(payload, at: now, using: &$1) }
    }

    /// Whether a PDU is a Security Request on an unencrypted link to a bonded peer. The keys of the bond answer it, whatever
    /// its requirements are: a pairing would accept any device that uses the peer's address (BLESA). A peer with higher
    /// requirements repeats the request on the encrypted link.
    private func isAnsweredByBond(_ payload: Span<UInt8>, on connection: Connection) -> Bool {
        guard connection.role == .central, !payload.isEmpty, payload[0] == SMP.Code.securityRequest.rawValue,
            !connection.security.isEncrypted, connection.securityManager?.pairing.isIdle == true
        else { return false }
        return bond(of: connection)?.peerKey != nil
    }

    /// Answers Pairing Request and Security Request with Pairing Failed, Pairing Not Supported (Vol 3, Part H, 3.5.5):
    /// the host has no cryptography, or its controller does not encrypt.
    private mutating func refusePairing(_ payload: Span<UInt8>, on connection: Connection, _ output: inout HostOutput) {
        guard !payload.isEmpty,
            [SMP.Code.pairingRequest, .securityRequest].contains(where: { $0.rawValue == payload[0] })
        else { return }
        send(.pairingFailed(.init(reason: .pairingNotSupported)), on: connection, &output)
    }

    private mutating func send(_ packet: SMP.Packet, on connection: Connection, _ output: inout HostOutput) {
        guard !connection.isEnding,
            output.data.transmitter.enqueue(packet.octets.span, channel: .securityManager, on: connection.slot),
            case .pairingFailed = packet, let manager = connection.securityManager, manager.delivery == nil
        else { return }
        if !manager.isUndelivered { undelivered += 1 }
        connection.securityManager?.undeliveredRefusal = output.data.transmitter.packetsUntilDelivered(connection.slot)
    }

    // MARK: Actions

    mutating func perform(
        _ actions: [PairingAction], on connection: Connection, at now: Instant, _ output: inout HostOutput
    ) {
        for action in actions {
            switch action {
            case .send(let packet): send(packet, on: connection, &output)
            case .ask(let request): output.events.emit(.asked(request), of: connection)
            case .dismissAgent: output.events.emit(.dismissed, of: connection)
            case .startEncryption(let key):
                let security = connection.securityManager?.pairing.security ?? .none
                encrypt(
                    connection, with: StoredKey(key: key, diversifier: 0, random: 0), .pairing, security, at: now,
                    &output)
            // The controller asks for the key (`longTermKeyRequested`).
            case .provideKey: break
            case .encryptWithBond: encryptWithBond(connection, at: now, &output)
            case .keypress(let kind): output.events.emit(.keypress(kind), of: connection)
            case .completed(let result): awaitDelivery(of: result, on: connection, after: actions, at: now, &output)
            case .failed(let failure): failed(failure, on: connection, at: now, &output)
            }
        }
        connection.deadlines[.security] = connection.securityManager?.deadline
    }

    /// Completes a pairing. The device that sends the last key waits until the peer has acknowledged it (Vol 3, Part H,
    /// 3.6.1): a link that ends before leaves the peer without a bond.
    private mutating func awaitDelivery(
        of result: PairingResult, on connection: Connection, after actions: [PairingAction], at now: Instant,
        _ output: inout HostOutput
    ) {
        let sendsLast = actions.contains { if case .send = $0 { true } else { false } }
        let packets = output.data.transmitter.packetsUntilDelivered(connection.slot)
        guard sendsLast, packets > 0 else { return completed(result, on: connection, &output) }
        if connection.securityManager?.isUndelivered != true { undelivered += 1 }
        connection.securityManager?.delivery = SecurityManager.Delivery(
            result: result, packets: packets, ends: now + Pairing.timeout)
    }

    /// The controller completed packets of a link.
    mutating func delivered(_ count: Int, on connection: Connection, at now: Instant, _ output: inout HostOutput) {
        if let packets = connection.securityManager?.undeliveredRefusal {
            let isDelivered = packets <= count || output.data.transmitter.isIdle(connection.slot)
            connection.securityManager?.undeliveredRefusal = isDelivered ? nil : packets - count
            if isDelivered {
                undelivered -= 1
                _ = connection.endRefusal(at: now, &output)
            }
            return
        }
        guard var delivery = connection.securityManager?.delivery else { return }
        delivery.packets -= count
        let isDelivered = delivery.packets <= 0 || output.data.transmitter.isIdle(connection.slot)
        connection.securityManager?.delivery = isDelivered ? nil : delivery
        guard isDelivered else { return }
        undelivered -= 1
        connection.deadlines[.security] = connection.securityManager?.deadline
        completed(delivery.result, on: connection, &output)
    }

    /// Whether to keep a bond now. The check of its identity may be outdated: another link may have bonded with that identity before
    /// the peer acknowledged the last key, and the user may have removed the peer.
    private func mayKeep(_ bond: Bond, on connection: Connection) -> Bool {
        guard !connection.isEnding else { return false }
        guard bond.peer != connection.securityManager?.peer, let existing = bonds[bond.peer] else { return true }
        return bond.security.isAuthenticated && !bond.security.isWeaker(than: existing.security)
    }

    private mutating func completed(_ result: PairingResult, on connection: Connection, _ output: inout HostOutput) {
        let bond = result.bond.flatMap { mayKeep($0, on: connection) && addBond($0, signCounters: nil) ? $0 : nil }
        connection.securityManager?.wanted = nil
        if result.model == .outOfBand, let data = connection.securityManager?.pairing.parameters.outOfBand {
            outOfBand.used(data)
        }
        if let bond, let peer = connection.securityManager?.peer, peer != bond.peer {
            // The peer paired under another address than its identity. Its earlier keys are void.
            connection.securityManager?.pairing.parameters.peerIdentity = bond.peer
        }
        // A full table keeps no keys, so they last as long as the link.
        connection.security.isBonded = bond != nil
        output.events.emit(
            .completed(PairingResult(security: connection.security, model: result.model, bond: bond)), of: connection)
    }

    private mutating func failed(
        _ failure: PairingProcedureError, on connection: Connection, at now: Instant, _ output: inout HostOutput
    ) {
        guard let manager = connection.securityManager else { return }
        failedAttempts.store(manager.pairing.attempts, of: manager.peer, at: now)
        connection.securityManager?.wanted = nil
        output.events.emit(.failed(failure), of: connection)
    }

    /// The Security Manager Timer or the time of an encryption procedure has expired.
    mutating func timedOut(_ connection: Connection, at now: Instant, _ output: inout HostOutput) {
        guard let manager = connection.securityManager else { return }
        let actions = connection.securityManager?.pairing.handleTimeout(at: now) ?? []
        perform(actions, on: connection, at: now, &output)
        if let delivery = manager.delivery, delivery.ends <= now {
            // A peer that acknowledges nothing has no keys.
            connection.securityManager?.delivery = nil
            undelivered -= 1
            perform([.failed(.timeout)], on: connection, at: now, &output)
        }
        if let procedure = manager.procedure, procedure.ends <= now {
            // The link can take seconds to end. The procedure has no deadline any more.
            connection.securityManager?.procedure = nil
            connection.deadlines[.security] = connection.securityManager?.deadline
            connection.end(.host(.encryptionTimeout), at: now, &output)
        }
    }
}
