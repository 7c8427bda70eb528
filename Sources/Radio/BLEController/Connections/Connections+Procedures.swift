import BLEWire

/// The control procedures of links (Vol 6, Part B, 5), and the time limits.
extension Connections {
    // MARK: Control procedures

    func context(of slot: Int, _ host: borrowing HostInterface) -> LinkLayerProcedures.Context {
        links[slot].context(hostDecidesParameters: host.allows(.remoteConnectionParameterRequest))
    }

    mutating func requestProcedure(
        _ request: LinkLayerProcedures.Request, _ slot: Int, _ radio: inout ControllerRadio,
        _ host: inout HostInterface, _ medium: inout Medium
    ) {
        links[slot].procedures.request(request, context(of: slot, host), &actions)
        performActions(slot, &radio, &host, &medium)
        guard links[slot].state.isOpen else { return }
        wakeLink(slot, &radio, &medium)
    }

    /// Performs the actions of a link's procedures. The link may be closed afterwards.
    mutating func performActions(
        _ slot: Int, _ radio: inout ControllerRadio, _ host: inout HostInterface, _ medium: inout Medium
    ) {
        while !actions.isEmpty {
            let present = actions
            actions.removeAll(keepingCapacity: true)
            for action in present where links[slot].state.isOpen { perform(action, slot, &radio, &host, &medium) }
        }
        guard links[slot].state.isOpen else { return }
        if links[slot].procedures.timedWait != links[slot].procedures.waits {
            links[slot].procedures.timedWait = links[slot].procedures.waits
            if links[slot].procedures.isWaiting {
                // The procedure response timeout is 40 s (Vol 6, Part B, 5.2).
                radio.arm(.procedure(Int32(slot)), at: medium.now + .seconds(40), &medium)
            }
        }
    }

    private mutating func perform(
        _ action: LinkLayerProcedures.Action, _ slot: Int, _ radio: inout ControllerRadio, _ host: inout HostInterface,
        _ medium: inout Medium
    ) {
        let handle = links[slot].handle
        switch action {
        case .reportFeatures(let status, let features):
            host.emit(
                le: HCI.LEReadRemoteFeaturesComplete(
                    status: status, connectionHandle: handle, features: HCI.LEFeatures(rawValue: features.rawValue)))
        case .reportVersion(let status, let version):
            host.emit(
                HCI.ReadRemoteVersionInformationComplete(
                    status: status, connectionHandle: handle, version: HCI.CoreVersion(rawValue: version.version),
                    companyIdentifier: version.company, subversion: version.subversion))
        case .askHost(let requested):
            host.emit(
                le: HCI.LERemoteConnectionParameterRequest(
                    connectionHandle: handle, intervalMinimum: requested.intervalMinimum,
                    intervalMaximum: requested.intervalMaximum, maximumLatency: requested.latency,
                    supervisionTimeout: requested.timeout))
        case .reportUpdate(let status): host.reportParameters(links[slot], status)
        case .reportPHY(let status): host.reportPHY(links[slot], status)
        case .learnAccuracy(let accuracy): links[slot].timing.learn(accuracy: accuracy)
        case .reportAccuracy(let status, let accuracy):
            host.emit(
                le: HCI.LERequestPeerSCAComplete(
                    status: status, connectionHandle: handle, clockAccuracy: HCI.ClockAccuracy(rawValue: accuracy)))
        case .proposeSubrate(let change): links[slot].timing.propose(change)
        case .changeSubrate(let change):
            links[slot].timing.change(change)
            host.reportSubrate(links[slot], .success)
            links[slot].procedures.subrateChanged(context(of: slot, host), &actions)
        case .reportSubrate(let status): host.reportSubrate(links[slot], status)
        case .useMoreChannels(let minimum):
            links[slot].channels.minimum = minimum
            let map = links[slot].channels.map.extended(to: minimum)
            if map != links[slot].channels.map { requestProcedure(.channelMap(map), slot, &radio, &host, &medium) }
        case .reportPower(let report): host.reportPower(links[slot], report)
        case .reportChannels(let indication): setReports(indication, slot, &radio, &medium)
        case .learnChannels(let classification): learnChannels(classification, slot, &radio, &host, &medium)
        case .dataLengthChanged:
            links[slot].updatePayloads()
            host.reportLengths(links[slot])
        case .askKey(let request): askKey(request, slot, &host)
        case .beginSession(let session): beginSession(session, slot)
        case .takeSync(let transfer): takeSync(transfer, slot)
        case .reportEncryption(let report): reportEncryption(report, slot, &radio, &host, &medium)
        case .schedule(let change): links[slot].changes.append(change)
        case .terminate(let reason): links[slot].state.end(reason)
        case .terminateLocally(let reason): links[slot].terminate(reason: reason)
        case .end(let reason): endLink(slot, reason, &radio, &host, &medium)
        }
    }

    /// Reports changes that took effect to the host, and starts the next procedure.
    mutating func reportChanges(
        _ changes: [LinkLayerProcedures.Change], _ slot: Int, _ radio: inout ControllerRadio,
        _ host: inout HostInterface, _ medium: inout Medium
    ) {
        for change in changes {
            switch change {
            case .parameters:
                host.reportParameters(links[slot], .success)
                if links[slot].reported.factor > 1 { host.reportSubrate(links[slot], .success) }
                if let supervisedFrom = links[slot].state.supervisedFrom {
                    let limit = supervisedFrom + links[slot].timing.timeoutSpan
                    radio.arm(.supervision(Int32(slot)), at: max(medium.now, limit), &medium)
                }
            case .phy:
                host.reportPHY(links[slot], .success)
                host.reportLengths(links[slot])
            case .channelMap: break
            }
            links[slot].procedures.changed(context(of: slot, host), &actions)
        }
        if !changes.isEmpty { performActions(slot, &radio, &host, &medium) }
    }

    // MARK: Time limits

    mutating func superviseLink(
        _ slot: Int, _ radio: inout ControllerRadio, _ host: inout HostInterface, _ medium: inout Medium
    ) {
        guard links[slot].state.isOpen else { return }
        // Without any PDU of the peer the connection was not established (Vol 6, Part B, 4.5).
        guard let supervisedFrom = links[slot].state.supervisedFrom else {
            return endLink(slot, .connectionFailedToBeEstablished, &radio, &host, &medium)
        }
        let limit = supervisedFrom + links[slot].timing.timeoutSpan
        guard medium.now >= limit else { return radio.arm(.supervision(Int32(slot)), at: limit, &medium) }
        // If the peer never acknowledged LL_TERMINATE_IND, the link ended locally (Vol 6, Part B, 5.1.6).
        let isOwn = links[slot].procedures.local == .terminate
        endLink(
            slot, isOwn ? .connectionTerminatedByLocalHost : links[slot].state.ending ?? .connectionTimeout, &radio,
            &host, &medium)
    }

    mutating func procedureTimedOut(
        _ slot: Int, _ radio: inout ControllerRadio, _ host: inout HostInterface, _ medium: inout Medium
    ) {
        guard links[slot].state.isOpen, links[slot].procedures.isWaiting,
            links[slot].procedures.timedWait == links[slot].procedures.waits
        else { return }
        endLink(slot, .llResponseTimeout, &radio, &host, &medium)
    }
}
