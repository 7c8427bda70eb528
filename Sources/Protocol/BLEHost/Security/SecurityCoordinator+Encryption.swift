import BLEAttribute
import BLESecurity
import BLEWire

/// The encryption of links by the controller (Vol 3, Part C, 10.6; Vol 6, Part B, 5.1.3).
extension SecurityCoordinator {
    /// Encrypts a link as the central with the keys of the bond. Has no effect while a procedure runs.
    mutating func encryptWithBond(_ connection: Connection, at now: Instant, _ output: inout HostOutput) {
        guard connection.securityManager?.procedure == nil else { return }
        guard let bond = bond(of: connection), let key = bond.peerKey else {
            return perform([.failed(.keyMissing)], on: connection, at: now, &output)
        }
        encrypt(connection, with: key, .bond, bond.security, at: now, &output)
        connection.deadlines[.security] = connection.securityManager?.deadline
    }

    /// Encrypts a link, or refreshes its key, as the central.
    mutating func encrypt(
        _ connection: Connection, with stored: StoredKey, _ origin: SecurityManager.KeyOrigin,
        _ security: LinkSecurity, at now: Instant, _ output: inout HostOutput
    ) {
        guard !connection.isEnding else { return }
        connection.securityManager?.procedure = .init(
            origin: origin, security: security, ends: now + SecurityManager.encryptionPeriod)
        output.commands.enqueue(
            HCI.LEEnableEncryption(
                connectionHandle: connection.handle, randomNumber: stored.random,
                encryptedDiversifier: stored.diversifier, longTermKey: stored.key.octets),
            for: .link(connection.identifier, .enableEncryption))
    }

    /// Answers the controller with the key of the running pairing or of the bond. The central named the key by EDIV and
    /// Rand, which are zero for a key of Secure Connections and of the running pairing (Vol 3, Part H, 2.4.4.1).
    mutating func longTermKeyRequested(
        _ request: HCI.LELongTermKeyRequest, on connection: Connection?, at now: Instant, _ output: inout HostOutput
    ) {
        let handle = request.connectionHandle
        guard let connection else {
            output.events.report(.unknownHandle(handle))
            output.commands.enqueue(HCI.LELongTermKeyRequestNegativeReply(connectionHandle: handle), for: .staleLink)
            return
        }
        let purpose = CommandPurpose.link(connection.identifier, .longTermKeyReply)
        guard let answer = key(for: request, of: connection), !connection.isEnding else {
            output.commands.enqueue(HCI.LELongTermKeyRequestNegativeReply(connectionHandle: handle), for: purpose)
            return
        }
        connection.securityManager?.procedure = .init(
            origin: answer.origin, security: answer.security, ends: now + SecurityManager.encryptionPeriod)
        connection.deadlines[.security] = connection.securityManager?.deadline
        output.commands.enqueue(
            HCI.LELongTermKeyRequestReply(connectionHandle: handle, longTermKey: answer.key.octets), for: purpose)
    }

    private func key(
        for request: HCI.LELongTermKeyRequest, of connection: Connection
    ) -> (key: LongTermKey, origin: SecurityManager.KeyOrigin, security: LinkSecurity)? {
        guard connection.role == .peripheral, let pairing = connection.securityManager?.pairing else { return nil }
        if let security = pairing.security {
            return pairing.longTermKey(diversifier: request.encryptedDiversifier, random: request.randomNumber)
                .map { ($0, .pairing, security) }
        }
        guard let bond = bond(of: connection), let stored = bond.localKey,
            stored.diversifier == request.encryptedDiversifier, stored.random == request.randomNumber
        else { return nil }
        return (stored.key, .bond, bond.security)
    }

    /// Takes Encryption Change and Encryption Key Refresh Complete.
    mutating func encryptionChanged(
        _ status: HCI.ErrorCode, isOn: Bool, on connection: Connection, among connections: inout ConnectionTable,
        database: AttributeDatabase, at now: Instant, _ output: inout HostOutput
    ) {
        guard status == .success else { return encryptionFailed(status, on: connection, at: now, &output) }
        guard isOn else {
            // The link layer has no procedure that ends encryption, so the report is a fault or an attack.
            setSecurity(.none, on: connection, database, &output)
            return connection.end(.host(.encryptionEnded), at: now, &output)
        }
        guard let procedure = connection.securityManager?.procedure else {
            // The security of the link is unknown and remains as it was.
            return output.events.report(.unexpectedEncryption, on: connection)
        }
        connection.securityManager?.procedure = nil
        connection.deadlines[.security] = connection.securityManager?.deadline
        connections.confirm(connection, &output)
        // The keys of a pairing persist only after their distribution, and until then prove nothing about an earlier bond.
        var security = procedure.security
        security.isBonded = procedure.origin == .bond && bond(of: connection) != nil
        setSecurity(security, on: connection, database, &output)
        connection.findEnhancedBearers(at: now, &output)
        // Only its own key completes a pairing that waits for the encryption.
        if procedure.origin == .pairing || connection.securityManager?.pairing.security == nil {
            tellPairing(isEncrypted: true, on: connection, at: now, &output)
        }
        if procedure.origin == .bond { encryptedWithBond(connection, at: now, &output) }
    }

    /// Ends a call of `secure`, or goes on to a pairing if the keys of the bond do not suffice.
    private mutating func encryptedWithBond(_ connection: Connection, at now: Instant, _ output: inout HostOutput) {
        if let wanted = connection.securityManager?.wanted, connection.security.level < wanted {
            if connection.securityManager?.isIdle == true { secure(connection, at: now, &output) }
        } else if connection.securityManager?.pairing.isIdle == true {
            connection.securityManager?.wanted = nil
            output.events.emit(.secured(connection.security), of: connection)
        }
    }

    /// Takes the failure of an encryption procedure that the controller reports, or of the command.
    mutating func encryptionFailed(
        _ status: HCI.ErrorCode, on connection: Connection, at now: Instant, _ output: inout HostOutput
    ) {
        guard let procedure = connection.securityManager?.procedure else { return }
        connection.securityManager?.procedure = nil
        switch procedure.origin {
        case .pairing: tellPairing(isEncrypted: false, on: connection, at: now, &output)
        case .bond:
            // A new pairing in place of the bond would accept any device with the peer's address (BLESA). The link ends
            // instead, and the user decides about the bond.
            let isMissing = [.pinOrKeyMissing, .authenticationFailure, .connectionTerminatedDueToMICFailure].contains(
                status)
            perform([.failed(isMissing ? .keyMissing : .encryption)], on: connection, at: now, &output)
            connection.end(.host(isMissing ? .keyMissing : .encryptionFailed), at: now, &output)
        }
    }

    /// Ends an encrypted link on which no packet with a valid MIC arrived during the authenticated payload timeout (Vol 4, Part E,
    /// 7.7.75; Vol 6, Part B, 5.4). LE Ping keeps a healthy link from that, so the peer is gone, or another device sends empty
    /// packets in its place. The default timeout of 30 s is not changed: it exceeds most supervision timeouts, and a shorter one
    /// costs pings on each idle link.
    ///
    /// The reason is not Authentication Failure: if the peer still receives it, it would take that for the loss of the keys.
    func payloadTimedOut(_ connection: Connection, at now: Instant, _ output: inout HostOutput) {
        guard connection.security.isEncrypted else {
            return output.events.report(.unexpectedEncryption, on: connection)
        }
        connection.end(.host(.authenticatedPayloadTimeout), at: now, &output)
    }

    private mutating func tellPairing(
        isEncrypted: Bool, on connection: Connection, at now: Instant, _ output: inout HostOutput
    ) {
        guard var crypto else { return }
        let actions =
            connection.securityManager?.pairing.encryptionChanged(
                isEncrypted: isEncrypted, at: now, using: &crypto) ?? []
        self.crypto = crypto
        perform(actions, on: connection, at: now, &output)
    }

    private mutating func setSecurity(
        _ security: LinkSecurity, on connection: Connection, _ database: AttributeDatabase, _ output: inout HostOutput
    ) {
        connection.apply(security, database: database, &output)
        output.events.emit(.securityChanged(security), of: connection)
    }
}

extension LongTermKey {
    /// The octets for HCI, least significant first.
    fileprivate var octets: InlineArray<16, UInt8> {
        InlineArray { UInt8(truncatingIfNeeded: value >> UInt128(8 * $0)) }
    }
}
