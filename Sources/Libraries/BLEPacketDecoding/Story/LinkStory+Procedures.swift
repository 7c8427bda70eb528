import BLESecurity
import BLEWire

/// Procedures of a link: parameters, encryption, pairing, the end.
extension LinkStory {
    // MARK: Parameters

    /// A side asks for other parameters, in a signal with an identifier or in a control PDU.
    mutating func request(
        _ requested: RequestedParameters, by side: LinkSide, identifier: UInt8? = nil, at moment: Moment
    ) {
        parameters.pendingUpdate = (side, identifier)
        output.add(.updateRequested(requested, by: side), at: moment)
        guard side == .peripheral, isRoleKnown else { return }
        for rule in requested.brokenAccessoryRules {
            output.findings.add(.accessoryGuidelines(rule, requested), at: moment)
        }
    }

    mutating func updated(_ connection: LinkParameters, at moment: Moment) {
        output.add(.updated(connection, askedBy: parameters.pendingUpdate?.side), at: moment)
        parameters.pendingUpdate = nil
        parameters.connection = connection
        check(connection, at: moment)
    }

    mutating func updateRefused(_ code: HCI.ErrorCode?, at moment: Moment) {
        let side = parameters.pendingUpdate?.side
        parameters.pendingUpdate = nil
        output.add(.updateRefused(code, askedBy: side), at: moment)
        output.findings.add(.updateRefused(code, askedBy: side), at: moment)
    }

    mutating func changeDataLength(central: UInt16, peripheral: UInt16, at moment: Moment) {
        parameters.dataLength = [central, peripheral]
        output.add(.dataLength(central: central, peripheral: peripheral), at: moment)
    }

    mutating func takeSignal(_ payload: ArraySlice<UInt8>, from side: LinkSide, at moment: Moment) {
        let octets = Array(payload)
        guard let packet = try? L2CAP.SignalPacket(decoding: octets.span) else { return }
        switch packet.code {
        case .connectionParameterUpdateRequest:
            guard let request = try? L2CAP.ConnectionParameterUpdateRequest(decoding: packet.data) else { return }
            self.request(
                RequestedParameters(
                    minimum: request.intervalMinimum, maximum: request.intervalMaximum, latency: request.latency,
                    timeout: request.timeout), by: side, identifier: packet.identifier, at: moment)
        case .connectionParameterUpdateResponse:
            guard let answer = try? L2CAP.ConnectionParameterUpdateResponse(decoding: packet.data),
                answer.result != .accepted
            else { return }
            updateRefused(nil, at: moment)
        case .commandReject:
            if parameters.pendingUpdate?.identifier == packet.identifier { updateRefused(nil, at: moment) }
        case .creditBasedConnectionRequest:
            guard let request = try? L2CAP.CreditBasedConnectionRequest(decoding: packet.data) else { return }
            output.add(.channel(psm: request.spsm, by: side), at: moment)
        case .enhancedConnectionRequest:
            guard let request = try? L2CAP.EnhancedConnectionRequest(decoding: packet.data) else { return }
            output.add(.channel(psm: request.spsm, by: side), at: moment)
        default: break
        }
    }

    // MARK: Security

    mutating func takeSecurity(_ payload: ArraySlice<UInt8>, from side: LinkSide, at moment: Moment) {
        let octets = Array(payload)
        guard let packet = try? SMP.Packet(decoding: octets.span) else { return }
        switch packet {
        case .securityRequest:
            output.add(.securityRequest, at: moment)
            addPairing(PairingStory(begin: moment, isRequested: true))
        case .pairingRequest(let request):
            // A Security Request leads to a Pairing Request, if the central has no keys.
            if let last = pairings.last, last.outcome == .running, last.isRequested, last.initiator == nil {
                pairings[pairings.count - 1].last = moment
            } else {
                addPairing(PairingStory(begin: moment, isRequested: false))
            }
            output.add(.pairing, at: moment)
            changePairing(at: moment) { $0.initiator = request.features }
        case .pairingResponse(let response):
            changePairing(at: moment) { $0.responder = response.features }
            if let pairing = pairings.last, let model = pairing.model, let isSecure = pairing.usesSecureConnections {
                output.add(.pairingMethod(model, secureConnections: isSecure), at: moment)
            }
        case .pairingFailed(let failure):
            changePairing(at: moment) { $0.outcome = .failed(failure.reason, by: side, moment) }
            output.add(.pairingFailed(failure.reason, by: side), at: moment)
            output.findings.add(.pairingFailed(failure.reason, by: side), at: moment)
        default: changePairing(at: moment) { _ in }
        }
    }

    private mutating func addPairing(_ pairing: PairingStory) {
        if let index = pairings.indices.last, pairings[index].outcome == .running {
            pairings[index].outcome = .unfinished
        }
        // The first ones tell how a loop of pairings began; its last one replaces the one before.
        if pairings.count >= Self.pairingLimit { pairings.removeLast() }
        pairings.append(pairing)
    }

    private mutating func changePairing(at moment: Moment, _ change: (inout PairingStory) -> Void) {
        guard let index = pairings.indices.last, pairings[index].outcome == .running else { return }
        pairings[index].last = moment
        change(&pairings[index])
    }

    /// Finds a pairing that does not continue.
    mutating func checkPairing(at moment: Moment) {
        guard let index = pairings.indices.last, pairings[index].outcome == .running,
            moment.since(pairings[index].last) >= PairingStory.timeout
        else { return }
        // A Security Request alone needs no answer if the link is encrypted with known keys.
        if pairings[index].initiator != nil { output.findings.add(.pairingTimeout, at: pairings[index].last) }
        pairings[index].outcome = .unfinished
    }

    mutating func encrypted(at moment: Moment) {
        let isPairing = pairings.last.map { $0.outcome == .running && $0.initiator != nil } ?? false
        encryption.isBonded = !isPairing && !encryption.wasOn || encryption.isBonded
        (encryption.isOn, encryption.wasOn) = (true, true)
        changePairing(at: moment) { $0.outcome = .encrypted(moment) }
        for index in servers.indices { servers[index].security = nil }
        output.add(.encrypted, at: moment)
    }

    mutating func encryptionFailed(_ code: HCI.ErrorCode, at moment: Moment) {
        output.add(.encryptionFailed(code), at: moment)
        output.findings.add(.keyMissing(code), at: moment)
    }

    /// The link is encrypted with another key: a pairing on an encrypted link succeeded.
    mutating func keyRefreshed(at moment: Moment) {
        changePairing(at: moment) { $0.outcome = .encrypted(moment) }
        output.add(.keyRefreshed, at: moment)
    }

    mutating func encryptionEnded(at moment: Moment) {
        encryption.isOn = false
        output.add(.unencrypted, at: moment)
    }

    // MARK: The end

    /// The finding that a reason stands for, which a controller gave when it ended the link or failed to make it.
    static func finding(of reason: HCI.ErrorCode) -> CaptureFinding.Kind? {
        switch reason {
        case .connectionTimeout: .supervisionTimeout
        case .connectionFailedToBeEstablished: .notEstablished
        case .llResponseTimeout: .responseTimeout
        case .connectionTerminatedDueToMICFailure: .micFailure
        case .instantPassed: .instantPassed
        default: nil
        }
    }
}
