import BLEWire

extension Controller {
    // MARK: Opening and closing

    /// Opens a link after CONNECT_IND (Vol 6, Part B, 4.5.4 and 4.5.5).
    mutating func openLink(
        _ slot: Int, _ role: HCI.Role, peer: PeerAddress, privateAddress: DeviceAddress?, _ request: LL.ConnectInd,
        usesAlgorithm2: Bool, windowStart: Instant, _ medium: inout Medium
    ) {
        let procedures = LinkLayerProcedures(
            role: role, features: features.subtracting(.hostOnly),
            version: LL.VersionInd(version: HCI.CoreVersion.v5_4.rawValue, company: 0xFFFF, subversion: 1),
            dataLength: DataLength(tx: suggestedLength, rx: supportedLength), phys: defaultPHYs)
        let link = LinkLayerConnection(
            handle: UInt16(LinkTable.firstHandle + slot), role: role, peer: peer.device, request: request,
            selection: usesAlgorithm2 ? .second(accessAddress: request.accessAddress) : .first(hop: request.hop),
            anchor: windowStart, window: role == .central ? .zero : LL.slot * Int(request.windowSize),
            procedures: procedures)
        links.add(link, in: slot)
        medium.subscribe(index, to: link.accessAddress)
        awaitEvent(slot, &medium)
        // The connection is not established without a PDU within six intervals (Vol 6, Part B, 4.5.2).
        timers.arm(.supervision(Int32(slot)), at: windowStart + link.intervalSpan * 6, &medium)
        reportConnection(
            slot, status: .success, peer: peer.reported, role: role, localPrivateAddress: privateAddress,
            peerPrivateAddress: peer.isResolved ? peer.onAir : nil)
        if suggestedLength.octets > 27 { requestProcedure(.length, slot, &medium) }
    }

    /// Sends LE Connection Complete in the form that the host's event mask selects. `slot` is nil if there is no connection. The short
    /// form has no identity kinds and no private addresses (Vol 4, Part E, 7.7.65.1 and 7.7.65.10).
    mutating func reportConnection(
        _ slot: Int?, status: HCI.ErrorCode, peer: DeviceAddress, role: HCI.Role,
        localPrivateAddress: DeviceAddress? = nil, peerPrivateAddress: DeviceAddress? = nil
    ) {
        let link = slot.map { links[$0] }
        let accuracy = HCI.ClockAccuracy(rawValue: role == .peripheral && link != nil ? 7 : 0)
        let none = DeviceAddress(kind: .random, value: 0)
        if host.allows(.enhancedConnectionComplete) {
            host.emit(
                le: HCI.LEEnhancedConnectionComplete(
                    status: status, connectionHandle: link?.handle ?? 0, role: role, peerAddress: peer,
                    localResolvablePrivateAddress: localPrivateAddress ?? none,
                    peerResolvablePrivateAddress: peerPrivateAddress ?? none,
                    interval: link?.interval ?? 0, latency: link?.latency ?? 0,
                    supervisionTimeout: link?.timeout ?? 0, centralClockAccuracy: accuracy))
        } else {
            host.emit(
                le: HCI.LEConnectionComplete(
                    status: status, connectionHandle: link?.handle ?? 0, role: role, peerAddress: peer.asDevice,
                    interval: link?.interval ?? 0, latency: link?.latency ?? 0,
                    supervisionTimeout: link?.timeout ?? 0, centralClockAccuracy: accuracy))
        }
        guard let link else { return }
        let algorithm: UInt8 = if case .two = link.selection { 1 } else { 0 }
        host.emit(le: HCI.LEChannelSelectionAlgorithm(connectionHandle: link.handle, algorithm: algorithm))
    }

    /// Closes a link and discards the host's data in it.
    mutating func endLink(_ slot: Int, _ reason: HCI.ErrorCode, _ medium: inout Medium) {
        guard links[slot].isOpen else { return }
        links.close(slot)
        buffersInUse -= links[slot].queue.count + Int(links[slot].completed)
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
        guard buffersInUse < Int(configuration.aclBufferCount),
            packet.data.count <= Int(configuration.aclDataLength)
        else { return host.emit(HCI.DataBufferOverflow(linkType: 1)) }
        buffersInUse += 1
        guard packet.data.count > 0 else {
            // A link has no empty fragments.
            links[slot].completed += 1
            return reportCompleted(slot)
        }
        links[slot].queue.append(packet.data, isStart: packet.boundary.isFirst)
        wakeLink(slot, &medium)
    }

    /// Uses an earlier event of a peripheral that skips events by its latency, because data or a PDU is waiting.
    mutating func wakeLink(_ slot: Int, _ medium: inout Medium) {
        if links[slot].wake(now: medium.now) {
            awaitEvent(slot, &medium)
        }
    }

    mutating func reportCompleted(_ slot: Int) {
        let count = links[slot].completed
        guard count > 0 else { return }
        links[slot].completed = 0
        buffersInUse -= Int(count)
        try? host.output.append(
            completedPackets: HCI.CompletedPackets(connectionHandle: links[slot].handle, count: count))
    }

    // MARK: Control procedures

    func context(of slot: Int) -> LinkLayerProcedures.Context {
        LinkLayerProcedures.Context(
            role: links[slot].role, event: links[slot].event, latency: links[slot].latency,
            interval: links[slot].interval, txPHY: links[slot].txPHY, rxPHY: links[slot].rxPHY,
            hostDecidesParameters: host.allows(.remoteConnectionParameterRequest))
    }

    mutating func requestProcedure(_ request: LinkLayerProcedures.Request, _ slot: Int, _ medium: inout Medium) {
        links[slot].procedures.request(request, context(of: slot), &actions)
        performActions(slot, &medium)
        guard links[slot].isOpen else { return }
        wakeLink(slot, &medium)
    }

    /// Performs the actions of a link's procedures. The link may be closed afterwards.
    mutating func performActions(_ slot: Int, _ medium: inout Medium) {
        while !actions.isEmpty {
            let present = actions
            actions.removeAll(keepingCapacity: true)
            for action in present where links[slot].isOpen { perform(action, slot, &medium) }
        }
        guard links[slot].isOpen else { return }
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
        case .reportUpdate(let status): reportParameters(slot, status)
        case .reportPHY(let status): reportPHY(slot, status)
        case .dataLengthChanged:
            links[slot].updatePayloads()
            reportLengths(slot)
        case .askKey(let request): askKey(request, slot)
        case .beginSession(let session): beginSession(session, slot)
        case .reportEncryption(let report): reportEncryption(report, slot, &medium)
        case .schedule(let change): links[slot].changes.append(change)
        case .terminate(let reason): links[slot].ending = reason
        case .terminateLocally(let reason): links[slot].terminate(reason: reason)
        case .end(let reason): endLink(slot, reason, &medium)
        }
    }

    /// Reports changes that took effect to the host, and starts the next procedure.
    mutating func reportChanges(_ changes: [LinkLayerProcedures.Change], _ slot: Int, _ medium: inout Medium) {
        for change in changes {
            switch change {
            case .parameters:
                reportParameters(slot, .success)
                if links[slot].isEstablished {
                    let limit = links[slot].supervisedFrom + links[slot].timeoutSpan
                    timers.arm(.supervision(Int32(slot)), at: max(medium.now, limit), &medium)
                }
            case .phy:
                reportPHY(slot, .success)
                reportLengths(slot)
            case .channelMap: break
            }
            links[slot].procedures.changed(context(of: slot), &actions)
        }
        if !changes.isEmpty { performActions(slot, &medium) }
    }

    /// Reports the data length to the host if it has changed.
    private mutating func reportLengths(_ slot: Int) {
        let lengths = links[slot].lengths
        guard lengths != links[slot].reportedLengths else { return }
        links[slot].reportedLengths = lengths
        host.emit(
            le: HCI.LEDataLengthChange(
                connectionHandle: links[slot].handle, maximumTxOctets: lengths.tx.octets,
                maximumTxTime: lengths.tx.time, maximumRxOctets: lengths.rx.octets, maximumRxTime: lengths.rx.time))
    }

    private mutating func reportParameters(_ slot: Int, _ status: HCI.ErrorCode) {
        host.emit(
            le: HCI.LEConnectionUpdateComplete(
                status: status, connectionHandle: links[slot].handle, interval: links[slot].interval,
                latency: links[slot].latency, supervisionTimeout: links[slot].timeout))
    }

    private mutating func reportPHY(_ slot: Int, _ status: HCI.ErrorCode) {
        host.emit(
            le: HCI.LEPHYUpdateComplete(
                status: status, connectionHandle: links[slot].handle,
                txPHY: HCI.PHY(rawValue: min(3, links[slot].txPHY.rawValue)),
                rxPHY: HCI.PHY(rawValue: min(3, links[slot].rxPHY.rawValue))))
    }

    // MARK: Time limits

    mutating func superviseLink(_ slot: Int, _ medium: inout Medium) {
        guard links[slot].isOpen else { return }
        // Without any PDU of the peer the connection was not established (Vol 6, Part B, 4.5).
        guard links[slot].isEstablished else { return endLink(slot, .connectionFailedToBeEstablished, &medium) }
        let limit = links[slot].supervisedFrom + links[slot].timeoutSpan
        guard medium.now >= limit else { return timers.arm(.supervision(Int32(slot)), at: limit, &medium) }
        // If the peer never acknowledged LL_TERMINATE_IND, the link ended locally (Vol 6, Part B, 5.1.6).
        let isOwn = links[slot].procedures.local == .terminate
        endLink(slot, isOwn ? .connectionTerminatedByLocalHost : links[slot].ending ?? .connectionTimeout, &medium)
    }

    mutating func procedureTimedOut(_ slot: Int, _ medium: inout Medium) {
        guard links[slot].isOpen, links[slot].procedures.isWaiting,
            links[slot].timedWait == links[slot].procedures.waits
        else { return }
        endLink(slot, .llResponseTimeout, &medium)
    }
}
