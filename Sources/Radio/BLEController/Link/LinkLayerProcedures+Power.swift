import BLEWire

/// The procedures about transmit power and about the quality of channels (Vol 6, Part B, 5.1.17, 5.1.18, 5.1.21 and 5.1.22).
extension LinkLayerProcedures {
    /// Whether this controller sends on a PHY.
    private func supports(_ phy: LL.PHY) -> Bool {
        switch phy {
        case .oneM: true
        case .twoM: localFeatures.contains(.twoM)
        case .codedS8, .codedS2: localFeatures.contains(.coded)
        }
    }

    // MARK: Requests to the peer

    mutating func beginPowerControl(_ request: PowerRequest, _ actions: inout [Action]) {
        power.noteRequest(on: request.phy)
        if let remoteFeatures, !remoteFeatures.contains(.powerControl) {
            if let action = refusal(of: request, .unsupportedRemoteFeature) { actions.append(action) }
            return
        }
        wait(.powerControl(request))
        send(
            LL.PowerControlReq(
                phys: LL.PowerPHYSet(request.phy), delta: request.delta, power: power.power(on: request.phy)))
    }

    /// What the host learns after the end of a request without an answer.
    mutating func refusal(of request: PowerRequest, _ error: HCI.ErrorCode) -> Action? {
        switch request.purpose {
        case .own:
            if error == .unsupportedRemoteFeature { power.noteRefusal() }
            return nil
        case .read:
            return .reportPower(
                PowerReport(
                    status: error, reason: .remoteRead, phy: request.phy,
                    level: LinkPower.Level(power: LinkPower.unavailable), delta: LinkPower.unavailable))
        }
    }

    mutating func receive(_ answer: LL.PowerControlRsp, _ context: Context, _ actions: inout [Action]) {
        guard case .powerControl(let request) = local else { return }
        let change = power.learn(answer.power, answer.limits, on: request.phy)
        let level = power.peerLevel(on: request.phy)
        switch request.purpose {
        case .read:
            // Without a power, the other fields have no meaning (Vol 6, Part B, 2.4.2.34).
            let delta = level.isKnown ? answer.delta : LinkPower.unavailable
            finish(
                context, &actions,
                .reportPower(PowerReport(reason: .remoteRead, phy: request.phy, level: level, delta: delta)))
        case .own:
            if let change { reportPeer(request.phy, change, &actions) }
            finish(context, &actions, nil)
        }
    }

    // MARK: The peer's requests and changes

    /// Changes this controller's power by the peer's request, and answers it.
    mutating func answer(_ request: LL.PowerControlReq, _ context: Context, _ actions: inout [Action]) {
        guard localFeatures.contains(.powerControl) else { return refuseUnknown(.powerControlReq) }
        guard let phy = request.phys.sole, supports(phy) else {
            return reject(.powerControlReq, .unsupportedLLParameterValue)
        }
        guard request.power != LinkPower.unmanaged else { return reject(.powerControlReq, .invalidLLParameters) }
        power.noteInterest()
        if let change = power.learn(request.power, nil, on: phy) { reportPeer(phy, change, &actions) }
        let delta = power.change(by: request.delta, on: phy)
        let level = power.level(on: phy)
        // The received power says nothing about a PHY that is not in use. A reduction must not meet a request of this side.
        let reduction =
            phy == context.rxPHY && !isAskingForPower
            ? power.acceptableReduction(rssi: context.rssi) : LinkPower.noReduction
        send(
            LL.PowerControlRsp(
                limits: level.limits, delta: delta, power: level.power, acceptableReduction: reduction))
        reportOwn(phy, delta, &actions)
    }

    /// Whether a request for power is on its way or queued.
    private var isAskingForPower: Bool {
        if case .powerControl = local { return true }
        return requests.contains { if case .powerControl = $0 { true } else { false } }
    }

    mutating func receive(_ indication: LL.PowerChangeInd, _ actions: inout [Action]) {
        guard localFeatures.contains(.powerControl) else { return refuseUnknown(.powerChangeInd) }
        for phy in indication.phys.phys where supports(phy) {
            if let change = power.learn(indication.power, indication.limits, on: phy) {
                reportPeer(phy, change, &actions)
            }
        }
    }

    /// Changes this controller's power by its own decision.
    mutating func changePower(to level: Int8, on phy: LL.PHY, _ actions: inout [Action]) {
        let delta = power.set(Int(level), on: phy)
        guard delta != 0 else { return }
        if power.isPeerInterested {
            let level = power.level(on: phy)
            send(
                LL.PowerChangeInd(
                    phys: LL.PowerPHYSet(phy), limits: level.limits, delta: delta, power: level.power))
        }
        reportOwn(phy, delta, &actions)
    }

    private func reportOwn(_ phy: LL.PHY, _ delta: Int8, _ actions: inout [Action]) {
        guard delta != 0, power.reports.contains(.local) else { return }
        actions.append(
            .reportPower(PowerReport(reason: .localChanged, phy: phy, level: power.level(on: phy), delta: delta)))
    }

    private func reportPeer(_ phy: LL.PHY, _ delta: Int8, _ actions: inout [Action]) {
        guard power.reports.contains(.remote) else { return }
        actions.append(
            .reportPower(PowerReport(reason: .remoteChanged, phy: phy, level: power.peerLevel(on: phy), delta: delta)))
    }

    // MARK: Channels

    mutating func receive(_ indication: LL.ChannelReportingInd, _ actions: inout [Action]) {
        guard localFeatures.contains(.channelClassification), indication.isValid else {
            return refuseUnknown(.channelReportingInd)
        }
        actions.append(.reportChannels(indication))
    }

    mutating func receive(_ status: LL.ChannelStatusInd, _ actions: inout [Action]) {
        guard localFeatures.contains(.channelClassification) else { return refuseUnknown(.channelStatusInd) }
        actions.append(.learnChannels(status.classification))
    }
}

extension LL.ChannelReportingInd {
    /// Whether the times are in their ranges (Vol 6, Part B, 2.4.2.38).
    var isValid: Bool {
        (5...150).contains(minimumSpacing) && (5...150).contains(maximumDelay) && minimumSpacing <= maximumDelay
    }
}
