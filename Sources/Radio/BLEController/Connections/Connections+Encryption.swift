import BLEWire

/// The encryption of links: keys, decryption, and the authenticated payload timeout (Vol 6, Part B, 5.1.3 and 5.4).
extension Connections {
    // MARK: Keys

    /// Draws this side's part of the session key diversifier and of the initialization vector.
    mutating func drawSessionPart() -> LL.SessionPart {
        let random = cryptography.provider.random()
        return LL.SessionPart(
            diversifier: UInt64(truncatingIfNeeded: random), vector: UInt32(truncatingIfNeeded: random >> 64))
    }

    /// Answers LL_ENC_REQ and asks the host for the key. A host that masks the event has no key (Vol 6, Part B, 5.1.3.1).
    mutating func askKey(_ request: LL.EncReq, _ slot: Int, _ host: inout HostInterface) {
        links[slot].procedures.answerEncryption(drawSessionPart(), context(of: slot, host), &actions)
        guard host.allows(.longTermKeyRequest) else {
            _ = links[slot].procedures.provideKey(nil, context(of: slot, host), &actions)
            return
        }
        host.emit(
            le: HCI.LELongTermKeyRequest(
                connectionHandle: links[slot].handle, randomNumber: request.randomNumber,
                encryptedDiversifier: request.encryptedDiversifier))
    }

    /// Derives the session key: e(LTK, SKD) (Vol 6, Part B, 5.1.3.1).
    mutating func beginSession(_ session: EncryptionProcedure.Session, _ slot: Int) {
        let key = cryptography.provider.encrypt(session.diversifier, key: session.longTermKey.value)
        links[slot].encryption.begin(cryptography.provider.packetCipher(key: key), vector: session.vector)
    }

    /// Reports the end of an encryption procedure, and starts the authenticated payload timeout.
    mutating func reportEncryption(
        _ report: EncryptionProcedure.Report, _ slot: Int, _ radio: inout ControllerRadio, _ host: inout HostInterface,
        _ medium: inout Medium
    ) {
        let handle = links[slot].handle
        let isEncrypted = links[slot].procedures.encryption.isReceiving
        if report.isRefresh {
            host.emit(HCI.EncryptionKeyRefreshComplete(status: report.status, connectionHandle: handle))
        } else {
            host.emit(
                HCI.EncryptionChange(
                    status: report.status, connectionHandle: handle, encryptionEnabled: isEncrypted ? 1 : 0))
        }
        if isEncrypted { restartPayloadTimeout(slot, &radio, &medium) }
    }

    // MARK: Decryption

    /// Takes the payload of an encrypted PDU. A PDU without a valid MIC ends the link without another PDU (Vol 6, Part B, 2.4).
    mutating func takeEncrypted(
        _ slot: Int, _ kind: LL.DataHeader.Kind, _ payload: Span<UInt8>, _ radio: inout ControllerRadio,
        _ host: inout HostInterface, _ medium: inout Medium
    ) {
        var octets: [UInt8] = []
        swap(&octets, &plaintext)
        let peer: HCI.Role = links[slot].isCentral ? .peripheral : .central
        if links[slot].encryption.open(payload, header: kind.rawValue, from: peer, into: &octets) {
            links[slot].encryption.authenticatedFrom = medium.now
            take(slot, kind, octets.span, &radio, &host, &medium)
        } else {
            endLink(slot, .connectionTerminatedDueToMICFailure, &radio, &host, &medium)
        }
        octets.empty()
        swap(&octets, &plaintext)
    }

    // MARK: The authenticated payload timeout

    /// Restarts the authenticated payload timeout, because encryption started or the host set another time.
    mutating func restartPayloadTimeout(_ slot: Int, _ radio: inout ControllerRadio, _ medium: inout Medium) {
        links[slot].encryption.authenticatedFrom = medium.now
        radio.arm(
            .payload(Int32(slot)), at: medium.now + links[slot].payloadTimeoutSpan - links[slot].payloadReserve, &medium
        )
    }

    /// Requests a PDU with a MIC before the timeout, and reports its expiration (Vol 6, Part B, 5.4).
    mutating func payloadTimerFired(
        _ slot: Int, _ radio: inout ControllerRadio, _ host: inout HostInterface, _ medium: inout Medium
    ) {
        guard links[slot].state.isOpen, links[slot].procedures.encryption.isReceiving else { return }
        var expiration = links[slot].encryption.authenticatedFrom + links[slot].payloadTimeoutSpan
        if medium.now >= expiration {
            host.emit(HCI.AuthenticatedPayloadTimeoutExpired(connectionHandle: links[slot].handle))
            links[slot].encryption.authenticatedFrom = medium.now
            expiration = medium.now + links[slot].payloadTimeoutSpan
        }
        let reminder = expiration - links[slot].payloadReserve
        guard medium.now >= reminder else { return radio.arm(.payload(Int32(slot)), at: reminder, &medium) }
        radio.arm(.payload(Int32(slot)), at: expiration, &medium)
        if links[slot].procedures.local != .ping { requestProcedure(.ping, slot, &radio, &host, &medium) }
    }
}
