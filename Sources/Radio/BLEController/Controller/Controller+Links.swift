import BLEWire

extension Controller {
    // MARK: Opening and closing

    /// Opens a link after CONNECT_IND (Vol 6, Part B, 4.5.4 and 4.5.5).
    mutating func openLink(
        _ slot: Int, _ role: HCI.Role, peer: PeerAddress, privateAddress: DeviceAddress?, _ request: LL.ConnectInd,
        usesAlgorithm2: Bool, windowStart: Instant, _ medium: inout Medium
    ) {
        let procedures = LinkLayerProcedures(
            role: role, features: capabilities.features.subtracting(.hostOnly),
            version: LL.VersionInd(version: HCI.CoreVersion.v5_4.rawValue, company: 0xFFFF, subversion: 1),
            dataLength: DataLength(tx: defaults.suggestedLength, rx: capabilities.length), phys: defaults.phys)
        let link = LinkLayerConnection(
            handle: UInt16(LinkTable.firstHandle + slot), role: role, peer: peer.device, request: request,
            selection: usesAlgorithm2 ? .second(accessAddress: request.accessAddress) : .first(hop: request.hop),
            anchor: windowStart, window: role == .central ? .zero : LL.slot * Int(request.windowSize),
            procedures: procedures)
        links.add(link, in: slot)
        medium.subscribe(index, to: link.accessAddress)
        awaitEvent(slot, &medium)
        // The connection is not established without a PDU within six intervals (Vol 6, Part B, 4.5.2).
        timers.arm(.supervision(Int32(slot)), at: windowStart + link.timing.intervalSpan * 6, &medium)
        host.reportConnection(
            links[slot], status: .success, peer: peer.reported, role: role, localPrivateAddress: privateAddress,
            peerPrivateAddress: peer.isResolved ? peer.onAir : nil)
        if defaults.suggestedLength.octets > 27 { requestProcedure(.length, slot, &medium) }
    }

    /// Closes a link and discards the host's data in it.
    mutating func endLink(_ slot: Int, _ reason: HCI.ErrorCode, _ medium: inout Medium) {
        guard links[slot].state.isOpen else { return }
        links.close(slot)
        flow.free(links[slot].transmitter.queue.count + Int(links[slot].transmitter.completed))
        timers.cancel(ofLink: slot, &medium)
        medium.unsubscribe(index, from: links[slot].accessAddress)
        if owner == .link(slot) {
            medium.cutTransmission(of: index)
            releaseRadio(&medium)
        }
        host.emit(
            HCI.DisconnectionComplete(status: .success, connectionHandle: links[slot].handle, reason: reason))
    }

    // MARK: Data from the host

    mutating func sendData(_ packet: HCI.ACLPacket, _ medium: inout Medium) {
        guard let slot = links.slot(of: packet.connectionHandle) else { return }
        guard flow.take(packet.data.count) else { return host.emit(HCI.DataBufferOverflow(linkType: 1)) }
        guard packet.data.count > 0 else {
            // A link has no empty fragments.
            links[slot].transmitter.completed += 1
            return reportCompleted(slot)
        }
        links[slot].transmitter.queue.append(packet.data, isStart: packet.boundary.isFirst)
        wakeLink(slot, &medium)
    }

    /// Uses an earlier event of a peripheral that skips events by its latency, because data or a PDU is waiting.
    mutating func wakeLink(_ slot: Int, _ medium: inout Medium) {
        if links[slot].wake(now: medium.now) {
            awaitEvent(slot, &medium)
        }
    }

    mutating func reportCompleted(_ slot: Int) {
        let count = links[slot].transmitter.completed
        guard count > 0 else { return }
        links[slot].transmitter.completed = 0
        flow.free(Int(count))
        try? host.output.append(
            completedPackets: HCI.CompletedPackets(connectionHandle: links[slot].handle, count: count))
    }

    // MARK: Control procedures

    func context(of slot: Int) -> LinkLayerProcedures.Context {
        links[slot].context(hostDecidesParameters: host.allows(.remoteConnectionParameterRequest))
    }

    mutating func requestProcedure(_ request: LinkLayerProcedures.Request, _ slot: Int, _ medium: inout Medium) {
        links[slot].procedures.request(request, context(of: slot), &actions)
        performActions(slot, &medium)
        guard links[slot].state.isOpen else { return }
        wakeLink(slot, &medium)
    }

    /// Performs the actions of a link's procedures. The link may be closed afterwards.
    mutating func performActions(_ slot: Int, _ medium: inout Medium) {
        while !actions.isEmpty {
            let present = actions
            actions.removeAll(keepingCapacity: true)
            for action in present where links[slot].state.isOpen { perform(action, slot, &medium) }
        }
        guard links[slot].state.isOpen else { return }
        if links[slot].timedWait != links[slot].procedures.waits {
            links[slot].timedWait = links[slot].procedures.waits
            if links[slot].procedures.isWaiting {
                // The procedure response timeout is 40 s (Vol 6, Part B, 5.2).
                timers.arm(.procedure(Int32(slot)), at: medium.now + .seconds(40), &medium)
            }
        }
    }

    private mutating func perform(_ action: LinkLayerProcedures.Action, _ slot: Int, _ medium: inout Medium) {
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
        case .dataLengthChanged:
            links[slot].updatePayloads()
            host.reportLengths(links[slot])
        case .askKey(let request): askKey(request, slot)
        case .beginSession(let session): beginSession(session, slot)
        case .reportEncryption(let report): reportEncryption(report, slot, &medium)
        case .schedule(let change): links[slot].changes.append(change)
        case .terminate(let reason): links[slot].state.end(reason)
        case .terminateLocally(let reason): links[slot].terminate(reason: reason)
        case .end(let reason): endLink(slot, reason, &medium)
        }
    }

    /// Reports changes that took effect to the host, and starts the next procedure.
    mutating func reportChanges(_ changes: [LinkLayerProcedures.Change], _ slot: Int, _ medium: inout Medium) {
        for change in changes {
            switch change {
            case .parameters:
                host.reportParameters(links[slot], .success)
                if let supervisedFrom = links[slot].state.supervisedFrom {
                    let limit = supervisedFrom + links[slot].timing.timeoutSpan
                    timers.arm(.supervision(Int32(slot)), at: max(medium.now, limit), &medium)
                }
            case .phy:
                host.reportPHY(links[slot], .success)
                host.reportLengths(links[slot])
            case .channelMap: break
            }
            links[slot].procedures.changed(context(of: slot), &actions)
        }
        if !changes.isEmpty { performActions(slot, &medium) }
    }

    // MARK: Time limits

    mutating func superviseLink(_ slot: Int, _ medium: inout Medium) {
        guard links[slot].state.isOpen else { return }
        // Without any PDU of the peer the connection was not established (Vol 6, Part B, 4.5).
        guard let supervisedFrom = links[slot].state.supervisedFrom else {
            return endLink(slot, .connectionFailedToBeEstablished, &medium)
        }
        let limit = supervisedFrom + links[slot].timing.timeoutSpan
        guard medium.now >= limit else { return timers.arm(.supervision(Int32(slot)), at: limit, &medium) }
        // If the peer never acknowledged LL_TERMINATE_IND, the link ended locally (Vol 6, Part B, 5.1.6).
        let isOwn = links[slot].procedures.local == .terminate
        endLink(
            slot, isOwn ? .connectionTerminatedByLocalHost : links[slot].state.ending ?? .connectionTimeout, &medium)
    }

    mutating func procedureTimedOut(_ slot: Int, _ medium: inout Medium) {
        guard links[slot].state.isOpen, links[slot].procedures.isWaiting,
            links[slot].timedWait == links[slot].procedures.waits
        else { return }
        endLink(slot, .llResponseTimeout, &medium)
    }
}
