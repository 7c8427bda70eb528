import BLEWire

extension LinkLayerProcedures {
    private static let mostUnacknowledged = 16

    /// Takes a control PDU from the peer: opcode and fields, whatever they hold.
    mutating func receive(_ bytes: Span<UInt8>, _ context: Context, _ actions: inout [Action]) {
        guard bytes.count > 0 else { return }
        // A peer that asks and asks, and acknowledges none of the answers, is heard no longer, but for its farewell.
        guard outgoing.count < Self.mostUnacknowledged || bytes[0] == LL.ControlOpcode.terminateInd.rawValue else {
            return
        }
        guard let pdu = try? LL.ControlPDU(decoding: bytes) else {
            // A wrong length is answered like an unknown opcode (2.4.2), unless it would answer an answer.
            let opcode = LL.ControlOpcode(rawValue: bytes[0])
            if opcode != .unknownRsp { send(LL.UnknownRsp(unknownType: opcode)) }
            return
        }
        switch pdu {
        case .connectionUpdateInd(let change):
            guard !context.isCentral else { return refuseUnknown(.connectionUpdateInd) }
            take(.parameters(change), isValid: change.isValid, context, &actions)
        case .channelMapInd(let change):
            guard !context.isCentral else { return refuseUnknown(.channelMapInd) }
            take(.channelMap(change), isValid: change.channelMap.count >= 2, context, &actions)
        case .phyUpdateInd(let change):
            guard !context.isCentral else { return refuseUnknown(.phyUpdateInd) }
            receive(change, context, &actions)
        case .terminateInd(let terminate):
            actions.append(.terminate(HCI.ErrorCode(rawValue: terminate.reason)))
        case .unknownRsp(let answer):
            fail(answer.unknownType, .unsupportedRemoteFeature, context, &actions)
        case .rejectExtInd(let answer):
            fail(answer.rejectOpcode, HCI.ErrorCode(rawValue: answer.errorCode), context, &actions)
        case .rejectInd(let answer):
            // It does not say what it rejects: the request that waits, else the answer for which the update is to come (2.4.2.14).
            let awaited = awaitedOpcode(context)
            let isOfAnswer = awaited == .unknownRsp && remote == .parametersAnswered
            fail(
                isOfAnswer ? .connectionParamRsp : awaited, HCI.ErrorCode(rawValue: answer.errorCode), context, &actions
            )
        case .featureReq(let request):
            guard !context.isCentral else { return refuseUnknown(.featureReq) }
            answer(request.features)
        case .peripheralFeatureReq(let request):
            guard context.isCentral else { return refuseUnknown(.peripheralFeatureReq) }
            answer(request.features)
        case .featureRsp(let response):
            learn(response.features)
            if local == .features {
                finish(context, &actions, .reportFeatures(.success, response.features))
            }
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
        case .unknown(let opcode, _): refuseUnknown(opcode)
        }
    }

    /// The host's answer to `askHost`: parameters, or why it refuses. False if it was not asked.
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
        // A masked event means that the host knows nothing of the procedure (5.1.7.1).
        guard context.hostDecidesParameters else { return reject(.connectionParamReq, .unsupportedRemoteFeature) }
        remote = .parameters(request)
        actions.append(.askHost(requested))
    }

    /// The peripheral agrees to the central's request, perhaps with other numbers; the update with them follows (5.1.7.2).
    private mutating func receive(_ response: LL.ConnectionParamRsp, _ context: Context, _ actions: inout [Action]) {
        guard context.isCentral, case .parameters(let requested) = local else { return }
        var granted = RequestedParameters(
            intervalMinimum: response.intervalMin, intervalMaximum: response.intervalMax, latency: response.latency,
            timeout: response.timeout)
        guard granted.isValid else {
            reject(.connectionParamRsp, .invalidLLParameters)
            return finish(context, &actions, .reportUpdate(.invalidLLParameters))
        }
        // The own host's range counts as far as the peripheral's leaves it room.
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

    /// The central chooses from what both would use (5.1.10).
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

    /// What the peer's request collides with, at the central, which then refuses; the peripheral gives way (5.3).
    private func collision(sameProcedure: Bool, _ context: Context) -> HCI.ErrorCode? {
        guard context.isCentral else { return nil }
        switch local {
        case .change, .parameters, .phy: return sameProcedure ? .llProcedureCollision : .differentTransactionCollision
        case .none, .features, .version, .ping, .length, .terminate:
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

    /// Whether the set is empty, for no change, or one PHY that this side has.
    private func isUsable(_ set: LL.PHYSet) -> Bool {
        switch set {
        case [], .oneM: true
        case .twoM: localFeatures.contains(.twoM)
        case .coded: localFeatures.contains(.coded)
        default: false
        }
    }

    private mutating func take(_ change: Change, isValid: Bool, _ context: Context, _ actions: inout [Action]) {
        // A central begins no second change before the first has happened (5.3).
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

    private mutating func refuseUnknown(_ opcode: LL.ControlOpcode) {
        send(LL.UnknownRsp(unknownType: opcode))
    }

    private mutating func reject(_ opcode: LL.ControlOpcode, _ error: HCI.ErrorCode) {
        if remoteFeatures?.contains(.extendedReject) ?? true {
            send(LL.RejectExtInd(rejectOpcode: opcode, errorCode: error.rawValue))
        } else {
            send(LL.RejectInd(errorCode: error.rawValue))
        }
    }

    /// The opcode of the request that waits for its answer.
    private func awaitedOpcode(_ context: Context) -> LL.ControlOpcode {
        switch local {
        case .features: context.isCentral ? .featureReq : .peripheralFeatureReq
        case .version: .versionInd
        case .ping: .pingReq
        case .length: .lengthReq
        case .parameters: .connectionParamReq
        case .phy: .phyReq
        case .none, .change, .terminate: .unknownRsp
        }
    }

    /// The peer refused, or does not know, a PDU of ours.
    private mutating func fail(
        _ opcode: LL.ControlOpcode, _ error: HCI.ErrorCode, _ context: Context, _ actions: inout [Action]
    ) {
        guard opcode == awaitedOpcode(context) else {
            // The central refused our answer to its request, or a change that it had not to refuse.
            if case .phy = remote, opcode == .phyRsp { remote = .none }
            if case .parametersAnswered = remote, opcode == .connectionParamRsp {
                remote = .none
                beginNext(context, &actions)
            }
            return
        }
        switch local {
        case .features: finish(context, &actions, .reportFeatures(error, []))
        case .version:
            finish(context, &actions, .reportVersion(error, LL.VersionInd(version: 0, company: 0, subversion: 0)))
        case .parameters(let requested) where context.isCentral && error == .unsupportedRemoteFeature:
            // The peer, or its host, does not know the procedure: the central's word alone counts (5.1.7.1).
            local = .change
            sendUpdate(requested, context, &actions)
        case .parameters: finish(context, &actions, .reportUpdate(error))
        case .phy: finish(context, &actions, .reportPHY(error))
        case .ping, .length: finish(context, &actions, nil)
        case .none, .change, .terminate: break
        }
    }

    private mutating func finish(_ context: Context, _ actions: inout [Action], _ action: Action?) {
        local = .none
        if let action { actions.append(action) }
        beginNext(context, &actions)
    }
}

extension LL.ConnectionUpdateInd {
    /// Whether the peripheral can follow (Vol 6, Part B, 2.4.2.1).
    var isValid: Bool {
        (6...3200).contains(interval) && latency <= 499 && (10...3200).contains(timeout) && windowSize >= 1
            && UInt16(windowSize) <= min(8, interval - 1) && windowOffset <= interval
            && UInt32(timeout) * 4 > (1 + UInt32(latency)) * UInt32(interval)
    }
}
