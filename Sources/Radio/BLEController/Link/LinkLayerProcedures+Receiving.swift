import BLEWire

extension LinkLayerProcedures {
    static let mostUnacknowledged = 16

    /// Takes a control PDU from the peer: opcode and parameters. Never traps.
    mutating func receive(_ bytes: Span<UInt8>, _ context: Context, _ actions: inout [Action]) {
        guard bytes.count > 0 else { return }
        // If the peer does not acknowledge the answers, further requests are dropped. LL_TERMINATE_IND is always accepted.
        guard outgoing.count < Self.mostUnacknowledged || bytes[0] == LL.ControlOpcode.terminateInd.rawValue else {
            return
        }
        guard let pdu = try? LL.ControlPDU(decoding: bytes) else {
            // A PDU with an invalid length is answered like an unknown opcode (Vol 6, Part B, 2.4.2), except LL_UNKNOWN_RSP itself.
            let opcode = LL.ControlOpcode(rawValue: bytes[0])
            if encryption.isStrict { return actions.append(.end(.connectionTerminatedDueToMICFailure)) }
            if opcode != .unknownRsp { send(LL.UnknownRsp(unknownType: opcode)) }
            return
        }
        if !receiveForEncryption(pdu, bytes, context, &actions) { receive(pdu, context, &actions) }
    }

    private mutating func receive(_ pdu: LL.ControlPDU, _ context: Context, _ actions: inout [Action]) {
        guard pdu.opcode.mayBeSent(toCentral: context.isCentral) else { return refuseUnknown(pdu.opcode) }
        switch pdu {
        // The encryption procedure takes its PDUs.
        case .encReq, .encRsp, .startEncReq, .startEncRsp, .pauseEncReq, .pauseEncRsp: break
        case .connectionUpdateInd(let change):
            take(.parameters(change), isValid: change.isValid, context, &actions)
        case .channelMapInd(let change):
            take(.channelMap(change), isValid: change.channelMap.count >= 2, context, &actions)
        case .phyUpdateInd(let change): receive(change, context, &actions)
        case .terminateInd(let terminate):
            actions.append(.terminate(HCI.ErrorCode(rawValue: terminate.reason)))
        case .unknownRsp(let answer):
            fail(answer.unknownType, .unsupportedRemoteFeature, context, &actions)
        case .rejectExtInd(let answer):
            fail(answer.rejectOpcode, HCI.ErrorCode(rawValue: answer.errorCode), context, &actions)
        case .rejectInd(let answer):
            fail(rejectedOpcode(context), HCI.ErrorCode(rawValue: answer.errorCode), context, &actions)
        case .featureReq(let request): answer(request.features)
        case .peripheralFeatureReq(let request): answer(request.features)
        case .featureRsp(let response):
            learn(response.features)
            endFeatures(.success, response.features, context, &actions)
        case .versionInd(let version):
            learn(version)
            sendVersion()
            if local == .version { finish(context, &actions, .reportVersion(.success, version)) }
        case .pingReq: send(LL.PingRsp())
        case .pingRsp: if local == .ping { finish(context, &actions, nil) }
        case .lengthReq(let request):
            take(request.maxRxOctets, request.maxRxTime, request.maxTxOctets, request.maxTxTime, &actions)
            send(dataLength.response(isCoded: peerMayBeCoded))
        case .lengthRsp(let response):
            guard local == .length else { return }
            take(response.maxRxOctets, response.maxRxTime, response.maxTxOctets, response.maxTxTime, &actions)
            finish(context, &actions, nil)
        case .connectionParamReq(let request): receive(request, context, &actions)
        case .connectionParamRsp(let response): receive(response, context, &actions)
        case .phyReq(let request): receive(request, context, &actions)
        case .phyRsp(let response):
            guard context.isCentral, local == .phy else { return }
            decidePHY(response.txPHYs, response.rxPHYs, context, &actions)
        case .minUsedChannelsInd(let indication): receive(indication, context, &actions)
        case .clockAccuracyReq(let request): answer(request, &actions)
        case .clockAccuracyRsp(let response): receive(response, context, &actions)
        case .subrateReq(let request): receive(request, context, &actions)
        case .subrateInd(let change): receive(change, context, &actions)
        case .powerControlReq, .powerControlRsp, .powerChangeInd, .channelReportingInd, .channelStatusInd:
            receivePower(pdu, context, &actions)
        case .periodicSyncInd(let transfer) where localFeatures.contains(.periodicSyncTransferRecipient):
            actions.append(.takeSync(TrainIndication(transfer)))
        case .periodicSyncWRInd(let transfer) where localFeatures.contains(.periodicSyncTransferRecipient):
            actions.append(.takeSync(TrainIndication(transfer)))
        case .periodicSyncInd, .periodicSyncWRInd: refuseUnknown(pdu.opcode)
        case .unknown(let opcode, _): refuseUnknown(opcode)
        }
    }

    /// Takes the host's answer to `askHost`: parameters, or the reason of the refusal. Returns false if no request is pending.
    mutating func answerParameters(
        _ answer: Result<RequestedParameters, HCI.ErrorCode>, _ context: Context, _ actions: inout [Action]
    ) -> Bool {
        guard case .parameters(let request) = remote else { return false }
        switch answer {
        case .success(let requested):
            if context.isCentral {
                remote = .change
                sendUpdate(requested, context, &actions)
            } else {
                remote = .parametersAnswered
                noteWaiting()
                send(
                    LL.ConnectionParamRsp(
                        intervalMin: requested.intervalMinimum, intervalMax: requested.intervalMaximum,
                        latency: requested.latency,
                        timeout: requested.timeout, preferredPeriodicity: 0,
                        referenceConnectionEvent: request.referenceConnectionEvent, offset0: 0xFFFF, offset1: 0xFFFF,
                        offset2: 0xFFFF, offset3: 0xFFFF, offset4: 0xFFFF, offset5: 0xFFFF))
            }
        case .failure(let reason):
            remote = .none
            reject(.connectionParamReq, reason)
            beginNext(context, &actions)
        }
        return true
    }

    // MARK: Requests

    /// A central requests features with LL_FEATURE_REQ, a peripheral with LL_PERIPHERAL_FEATURE_REQ (Vol 6, Part B,
    /// 5.1.4). The response has the features that both sides support (2.4.2.10).
    private mutating func answer(_ features: LL.FeatureSet) {
        learn(features)
        send(LL.FeatureRsp(features: localFeatures.intersection(features)))
    }

    private mutating func take(
        _ rxOctets: UInt16, _ rxTime: UInt16, _ txOctets: UInt16, _ txTime: UInt16, _ actions: inout [Action]
    ) {
        if dataLength.receive(rxOctets: rxOctets, rxTime: rxTime, txOctets: txOctets, txTime: txTime) {
            actions.append(.dataLengthChanged)
        }
    }

    private mutating func receive(_ request: LL.ConnectionParamReq, _ context: Context, _ actions: inout [Action]) {
        if let error = collision(sameProcedure: asksForParameters, context) {
            return reject(.connectionParamReq, error)
        }
        let requested = RequestedParameters(
            intervalMinimum: request.intervalMin, intervalMaximum: request.intervalMax, latency: request.latency,
            timeout: request.timeout)
        guard requested.isValid else { return reject(.connectionParamReq, .invalidLLParameters) }
        // If the event is masked, the host does not support the procedure (Vol 6, Part B, 5.1.7.1).
        guard context.hostDecidesParameters else { return reject(.connectionParamReq, .unsupportedRemoteFeature) }
        remote = .parameters(request)
        actions.append(.askHost(requested))
    }

    /// Takes the peripheral's response, possibly with other parameters. The update with them follows (Vol 6, Part B, 5.1.7.2).
    private mutating func receive(_ response: LL.ConnectionParamRsp, _ context: Context, _ actions: inout [Action]) {
        guard context.isCentral, case .parameters(let requested) = local else { return }
        var granted = RequestedParameters(
            intervalMinimum: response.intervalMin, intervalMaximum: response.intervalMax, latency: response.latency,
            timeout: response.timeout)
        guard granted.isValid else {
            reject(.connectionParamRsp, .invalidLLParameters)
            return finish(context, &actions, .reportUpdate(.invalidLLParameters))
        }
        // The local host's range narrows the peripheral's range.
        if requested.intervalMinimum <= granted.intervalMaximum, granted.intervalMinimum <= requested.intervalMaximum {
            granted.intervalMinimum = max(granted.intervalMinimum, requested.intervalMinimum)
            granted.intervalMaximum = min(granted.intervalMaximum, requested.intervalMaximum)
        }
        local = .change
        sendUpdate(granted, context, &actions)
    }

    private mutating func receive(_ request: LL.PHYReq, _ context: Context, _ actions: inout [Action]) {
        if let error = collision(sameProcedure: local == .phy, context) { return reject(.phyReq, error) }
        if context.isCentral {
            decidePHY(request.txPHYs, request.rxPHYs, context, &actions)
        } else {
            remote = .phy
            noteWaiting()
            send(LL.PHYRsp(txPHYs: phys.tx, rxPHYs: phys.rx))
        }
    }

    /// The central selects from the PHYs that both sides prefer (Vol 6, Part B, 5.1.10).
    private mutating func decidePHY(
        _ peerTx: LL.PHYSet, _ peerRx: LL.PHYSet, _ context: Context, _ actions: inout [Action]
    ) {
        let change = LL.PHYUpdateInd(
            centralToPeripheral: Self.fastest(phys.tx.intersection(peerRx), besides: context.txPHY),
            peripheralToCentral: Self.fastest(phys.rx.intersection(peerTx), besides: context.rxPHY),
            instant: context.nextInstant)
        send(change)
        let isOwn = local == .phy
        guard !change.centralToPeripheral.isEmpty || !change.peripheralToCentral.isEmpty else {
            if isOwn { finish(context, &actions, .reportPHY(.success)) }
            return
        }
        if isOwn { local = .change } else { remote = .change }
        actions.append(.schedule(.phy(change)))
    }

    /// The fastest PHY of a set; none if it is in use already.
    private static func fastest(_ set: LL.PHYSet, besides present: LL.PHY) -> LL.PHYSet {
        if set.contains(.twoM) { return present == .twoM ? [] : .twoM }
        if set.contains(.oneM) { return present == .oneM ? [] : .oneM }
        return set.contains(.coded) && !present.isCoded ? .coded : []
    }

    /// The error with which the central rejects a colliding request of the peer. A peripheral yields (Vol 6, Part B, 5.3).
    func collision(sameProcedure: Bool, _ context: Context) -> HCI.ErrorCode? {
        guard context.isCentral else { return nil }
        switch local {
        case .change, .parameters, .phy, .subrating:
            return sameProcedure ? .llProcedureCollision : .differentTransactionCollision
        case .none, .features, .version, .ping, .length, .clockAccuracy, .subrate, .powerControl, .encryption,
            .terminate:
            return remote == .none ? nil : .differentTransactionCollision
        }
    }

    // MARK: Changes at an instant

    private mutating func receive(_ change: LL.PHYUpdateInd, _ context: Context, _ actions: inout [Action]) {
        let isValid = isUsable(change.centralToPeripheral) && isUsable(change.peripheralToCentral)
        guard change.centralToPeripheral.isEmpty && change.peripheralToCentral.isEmpty else {
            return take(.phy(change), isValid: isValid, context, &actions)
        }
        if remote == .phy { remote = .none }
        if local == .phy { finish(context, &actions, .reportPHY(.success)) } else { beginNext(context, &actions) }
    }

    /// Whether the set is empty, for no change, or contains one supported PHY.
    private func isUsable(_ set: LL.PHYSet) -> Bool {
        switch set {
        case [], .oneM: true
        case .twoM: localFeatures.contains(.twoM)
        case .coded: localFeatures.contains(.coded)
        default: false
        }
    }

    private mutating func take(_ change: Change, isValid: Bool, _ context: Context, _ actions: inout [Action]) {
        // A central must not start a second change before the instant of the first one (Vol 6, Part B, 5.3).
        guard isValid, local != .change, remote != .change else { return }
        guard !context.isPast(change.instant) else { return actions.append(.end(.instantPassed)) }
        switch (change, local) {
        case (.parameters, _) where remote == .parametersAnswered: remote = .change
        case (.parameters, .parameters), (.phy, .phy):
            local = .change
            if remote == .phy { remote = .none }
        default: remote = .change
        }
        actions.append(.schedule(change))
    }

    // MARK: Refusals

    /// Answers an unknown or unsupported PDU (Vol 6, Part B, 2.4.2.8).
    mutating func refuseUnknown(_ opcode: LL.ControlOpcode) {
        send(LL.UnknownRsp(unknownType: opcode))
    }

    /// Rejects with LL_REJECT_EXT_IND unless the peer does not support it (Vol 6, Part B, 2.4.2.18).
    mutating func reject(_ opcode: LL.ControlOpcode, _ error: HCI.ErrorCode) {
        if remoteFeatures?.contains(.extendedReject) ?? true {
            send(LL.RejectExtInd(rejectOpcode: opcode, errorCode: error.rawValue))
        } else {
            send(LL.RejectInd(errorCode: error.rawValue))
        }
    }

    /// The opcode of the pending request.
    private func awaitedOpcode(_ context: Context) -> LL.ControlOpcode {
        switch local {
        case .features: context.isCentral ? .featureReq : .peripheralFeatureReq
        case .version: .versionInd
        case .ping: .pingReq
        case .length: .lengthReq
        case .parameters: .connectionParamReq
        case .phy: .phyReq
        case .clockAccuracy: .clockAccuracyReq
        case .subrate: .subrateReq
        case .powerControl: .powerControlReq
        case .none, .encryption, .change, .subrating, .terminate: .unknownRsp
        }
    }

    /// The opcode that LL_REJECT_IND rejects. The PDU does not contain it: it is the one of the pending request, else of the response before
    /// an update (Vol 6, Part B, 2.4.2.14).
    private func rejectedOpcode(_ context: Context) -> LL.ControlOpcode {
        let awaited = awaitedOpcode(context)
        return awaited == .unknownRsp && remote == .parametersAnswered ? .connectionParamRsp : awaited
    }

    /// Takes the peer's rejection of a PDU.
    private mutating func fail(
        _ opcode: LL.ControlOpcode, _ error: HCI.ErrorCode, _ context: Context, _ actions: inout [Action]
    ) {
        guard opcode == awaitedOpcode(context) else {
            // The central rejected the response to its request, or an update that it cannot reject.
            if case .phy = remote, opcode == .phyRsp {
                remote = .none
                beginNext(context, &actions)
            }
            if case .parametersAnswered = remote, opcode == .connectionParamRsp {
                remote = .none
                beginNext(context, &actions)
            }
            return
        }
        switch local {
        case .features: endFeatures(error, [], context, &actions)
        case .version:
            finish(context, &actions, .reportVersion(error, LL.VersionInd(version: 0, company: 0, subversion: 0)))
        case .parameters(let requested) where context.isCentral && error == .unsupportedRemoteFeature:
            // The peer or its host does not support the procedure, so the central updates the parameters alone (Vol 6, Part B,
            // 5.1.7.1).
            local = .change
            sendUpdate(requested, context, &actions)
        case .parameters: finish(context, &actions, .reportUpdate(error))
        case .phy: finish(context, &actions, .reportPHY(error))
        case .clockAccuracy: finish(context, &actions, .reportAccuracy(error, 0))
        case .subrate: finish(context, &actions, .reportSubrate(error))
        case .powerControl(let request):
            let report = power.refuse(request, error)
            finish(context, &actions, report.map { Action.reportPower($0) })
        case .ping, .length: finish(context, &actions, nil)
        case .none, .encryption, .change, .subrating, .terminate: break
        }
    }

    mutating func finish(_ context: Context, _ actions: inout [Action], _ action: Action?) {
        local = .none
        if let action { actions.append(action) }
        beginNext(context, &actions)
    }
}

extension LL.ControlOpcode {
    /// Whether the peer's role permits the PDU (Vol 6, Part B, 2.4.2).
    fileprivate func mayBeSent(toCentral isCentral: Bool) -> Bool {
        switch self {
        case .connectionUpdateInd, .channelMapInd, .phyUpdateInd, .featureReq, .subrateInd, .channelReportingInd:
            !isCentral
        case .peripheralFeatureReq, .subrateReq, .minUsedChannelsInd, .channelStatusInd: isCentral
        default: true
        }
    }
}

extension LL.ConnectionUpdateInd {
    /// Whether the peripheral can apply the parameters (Vol 6, Part B, 2.4.2.1).
    var isValid: Bool {
        (6...3200).contains(interval) && latency <= 499 && (10...3200).contains(timeout) && windowSize >= 1
            && UInt16(windowSize) <= min(8, interval - 1) && windowOffset <= interval
            && UInt32(timeout) * 4 > (1 + UInt32(latency)) * UInt32(interval)
    }
}
