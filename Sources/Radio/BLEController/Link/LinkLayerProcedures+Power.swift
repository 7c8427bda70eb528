import BLEWire

/// The procedures about transmit power and about the quality of channels (Vol 6, Part B, 5.1.17, 5.1.18, 5.1.21 and 5.1.22).
extension LinkLayerProcedures {
    mutating func beginPowerControl(_ request: PowerRequest, _ actions: inout [Action]) {
        power.noteRequest(on: request.phy)
        if let remoteFeatures, !remoteFeatures.contains(.powerControl) {
            if let report = power.refuse(request, .unsupportedRemoteFeature) { actions.append(.reportPower(report)) }
            return
        }
        wait(.powerControl(request))
        send(
            LL.PowerControlReq(
                phys: LL.PowerPHYSet(request.phy), delta: request.delta, power: power.power(on: request.phy)))
    }

    /// Takes a PDU about power or channels.
    mutating func receivePower(_ pdu: LL.ControlPDU, _ context: Context, _ actions: inout [Action]) {
        let (hasPower, hasChannels) =
            (localFeatures.contains(.powerControl), localFeatures.contains(.channelClassification))
        switch pdu {
        case .powerControlReq(let request) where hasPower: answer(request, context, &actions)
        case .powerControlRsp(let response):
            guard case .powerControl(let request) = local else { return }
            let report = power.take(response, to: request)
            finish(context, &actions, report.map { Action.reportPower($0) })
        case .powerChangeInd(let indication) where hasPower:
            for report in power.take(indication, among: ownPHYs) { actions.append(.reportPower(report)) }
        case .channelReportingInd(let indication) where hasChannels && indication.isValid:
            actions.append(.reportChannels(indication))
        case .channelStatusInd(let status) where hasChannels: actions.append(.learnChannels(status.classification))
        default: refuseUnknown(pdu.opcode)
        }
    }

    /// Changes this controller's power by the peer's request, and answers it.
    private mutating func answer(_ request: LL.PowerControlReq, _ context: Context, _ actions: inout [Action]) {
        guard let phy = request.phys.sole, ownPHYs.contains(LL.PowerPHYSet(phy)) else {
            return reject(.powerControlReq, .unsupportedLLParameterValue)
        }
        guard request.power != LinkPower.unmanaged else { return reject(.powerControlReq, .invalidLLParameters) }
        // The received power says nothing about a PHY that is not in use. A reduction must not meet a request of this side.
        let reduction =
            phy == context.rxPHY && !isAskingForPower
            ? power.acceptableReduction(rssi: context.rssi) : LinkPower.noReduction
        let (response, reports) = power.answer(request, on: phy, reduction: reduction)
        send(response)
        for report in reports { actions.append(.reportPower(report)) }
    }

    /// Whether a request for power is on its way or queued.
    private var isAskingForPower: Bool {
        if case .powerControl = local { return true }
        return requests.contains { if case .powerControl = $0 { true } else { false } }
    }

    /// The PHYs on which this controller sends.
    private var ownPHYs: LL.PowerPHYSet {
        var phys = LL.PowerPHYSet.oneM
        if localFeatures.contains(.twoM) { phys.insert(.twoM) }
        if localFeatures.contains(.coded) { phys.formUnion([.codedS8, .codedS2]) }
        return phys
    }

    /// Changes this controller's power by its own decision.
    mutating func changePower(to level: Int8, on phy: LL.PHY, _ actions: inout [Action]) {
        let (indication, report) = power.change(to: level, on: phy)
        if let indication { send(indication) }
        if let report { actions.append(.reportPower(report)) }
    }
}

extension LL.ChannelReportingInd {
    /// Whether the times are in their ranges (Vol 6, Part B, 2.4.2.38).
    var isValid: Bool {
        (5...150).contains(minimumSpacing) && (5...150).contains(maximumDelay) && minimumSpacing <= maximumDelay
    }
}
