import BLEWire

/// Encryption among the other procedures of the link: what it sends, holds back and reports.
extension LinkLayerProcedures {
    /// Answers the `askKey` action with this side's part of the session, before the host provides the key.
    mutating func answerEncryption(_ part: LL.SessionPart, _ context: Context, _ actions: inout [Action]) {
        apply(encryption.answer(part), context, &actions)
    }

    /// Takes the host's key, or nil if the host has none. Returns false if the host was not asked.
    mutating func provideKey(_ key: LongTermKey?, _ context: Context, _ actions: inout [Action]) -> Bool {
        guard let effects = encryption.provide(key) else { return false }
        apply(effects, context, &actions)
        return true
    }

    mutating func beginEncryption(
        _ request: EncryptionProcedure.Request, _ context: Context, _ actions: inout [Action]
    ) {
        if let remoteFeatures, !remoteFeatures.contains(.encryption) {
            return actions.append(
                .reportEncryption(
                    EncryptionProcedure.Report(
                        status: .unsupportedRemoteFeature, isRefresh: encryption.isReceiving)))
        }
        local = .encryption
        apply(encryption.begin(request), context, &actions)
    }

    /// Passes a control PDU to the encryption procedure. Returns whether the PDU is dealt with.
    mutating func receiveForEncryption(
        _ pdu: LL.ControlPDU, _ octets: Span<UInt8>, _ context: Context, _ actions: inout [Action]
    ) -> Bool {
        switch encryption.receive(pdu) {
        case .none: return false
        case .refused: refuseUnknown(pdu.opcode)
        case .deferred:
            // The peer sent the PDU before it received LL_ENC_REQ or LL_PAUSE_ENC_REQ.
            if waiting.count < Self.mostUnacknowledged { waiting.append(.toTake([UInt8](octets))) }
        case .effects(let effects): apply(effects, context, &actions)
        }
        return true
    }

    private mutating func apply(
        _ effects: [EncryptionProcedure.Effect], _ context: Context, _ actions: inout [Action]
    ) {
        noteWaiting()
        for effect in effects {
            switch effect {
            case .send(let message): send(message)
            case .askHost(let request): actions.append(.askKey(request))
            case .begin(let session): actions.append(.beginSession(session))
            case .finished(let report):
                if local == .encryption { local = .none }
                if let report { actions.append(.reportEncryption(report)) }
                resume(context, &actions)
            case .terminate(let reason): actions.append(.terminateLocally(reason))
            case .end(let reason): actions.append(.end(reason))
            }
        }
    }

    private mutating func send(_ message: EncryptionProcedure.Message) {
        switch message {
        case .encReq(let request): queue(request)
        case .encRsp(let response): queue(response)
        case .startEncReq: queue(LL.StartEncReq())
        case .startEncRsp: queue(LL.StartEncRsp())
        case .pauseEncReq: queue(LL.PauseEncReq())
        case .pauseEncRsp: queue(LL.PauseEncRsp())
        case .reject(let error):
            // Every central knows LL_REJECT_IND; before a feature exchange it may not know LL_REJECT_EXT_IND (Vol 6, Part B, 5.1.3.1).
            if remoteFeatures?.contains(.extendedReject) == true {
                queue(LL.RejectExtInd(rejectOpcode: .encReq, errorCode: error.rawValue))
            } else {
                queue(LL.RejectInd(errorCode: error.rawValue))
            }
        }
    }

    /// Continues the procedures that waited for the end of this one.
    private mutating func resume(_ context: Context, _ actions: inout [Action]) {
        let waiting = waiting
        self.waiting = []
        for pdu in waiting { if case .toSend(let octets) = pdu { queue(octets: octets) } }
        for pdu in waiting { if case .toTake(let octets) = pdu { receive(octets.span, context, &actions) } }
        beginNext(context, &actions)
    }
}
