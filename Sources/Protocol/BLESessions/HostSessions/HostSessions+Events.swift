import BLEAdapter
import BLEHost
import BLEWire

/// Events of the host.
extension HostSessions {
    mutating func handle(_ event: consuming HostEvent, at now: Instant) {
        switch consume event {
        case .stateChanged(let state): hostStateChanged(state, at: now)
        case .advertisingReport(let report): advertisementReceived(report, at: now)
        case .advertisingChanged(let set, let error):
            if PeriodicRequests.handles.contains(set.handle) {
                periodic.setChanged(set, error, &context, at: now)
            } else {
                advertising.changed(set, error, isOn: power.isUsable, &context, at: now)
            }
        case .periodic(let event): periodic.handle(event, &context, at: now)
        case .periodicReport(let report): periodic.received(report, &context)
        case .scanningFailed(let error): context.note(.scanningRefused(error))
        case .connected(let link, .central, let address, _):
            if let index = connections.linkIsUp(link, to: address, &context, at: now) {
                pairings.encryptIfBonded(index, &context, at: now)
                if !context.host.configuration.exchangesMTU { negotiationEnded(link, at: now) }
            }
        case .connected(let link, .peripheral, let address, _):
            server.clientConnected(link, from: address, &context)
        case .connectionFailed(let address, let error):
            connections.attemptFailed(address, error, isGoingDown: power.isGoingDown, &context, at: now)
        case .disconnected(let link, let cause): linkEnded(link, cause, at: now)
        case .mtuChanged(let link, let mtu): mtuChanged(link, Int(mtu), at: now)
        case .completed(let link, let id, let result): operationCompleted(link, id, result)
        case .securityRequired(let link, _, let error):
            pairings.securityRequired(link, error, &context, at: now)
        case .pairing(let link, let event):
            let isEncrypted = pairings.handle(event, of: link, &context, at: now)
            if isEncrypted { linkIsReady(link, at: now) }
        case .value(let link, let value): operations.received(value, on: link, &context, at: now)
        case .readRequest(let link, let request, let handle, let offset):
            server.readRequested(link, request, handle: handle, offset: offset, &context, at: now)
        case .writeRequest(let link, let request, let items, let needsResponse):
            server.writeRequested(
                link, request, context.host.output.events.attributes.arena.writeItems[items],
                needsResponse: needsResponse, &context, at: now)
        case .subscriptionChanged(let link, let handle, let configuration):
            server.subscriptionChanged(link, handle: handle, configuration, &context)
        case .indicationConfirmed(let link, let handle):
            ValueQueues.indicationConfirmed(link, handle: handle, &context)
        case .clientStateChanged(let link, let octets): pairings.keep(octets, as: .clientState, of: link, context)
        case .attributeCacheChanged(let link, let octets):
            pairings.keep(octets, as: .attributeCache, of: link, context)
        case .signCountersChanged(let peer, let octets): pairings.bondStore.keep(octets, as: .signCounters, of: peer)
        case .servicesChanged(let link, let range):
            operations.servicesChanged(link, range, users: connections, &context, at: now)
        case .channel(let link, .securityRequired(let number, let result)):
            pairings.securityRequired(forChannel: number, of: link, result, &context, at: now)
        case .channel(let link, let event):
            channels.handle(event, of: link, users: connections, &context, at: now)
        case .transmitQueueDrained(let link): ValueQueues.drained(link, &context, at: now)
        case .controllerError(let opcode, let error): context.note(.commandRefused(opcode, error))
        case .protocolViolation(_, let violation): context.note(.protocolViolation(violation))
        case .parametersChanged, .parametersRefused, .phyChanged, .dataLengthChanged, .radio: break
        }
    }

    private mutating func advertisementReceived(_ report: AdvertisingReport, at now: Instant) {
        // An advertisement without an address is of no peer, and one that was not received whole may say anything.
        guard report.address.kind != .anonymous else { return }
        if report.isTruncated { return scans.receivedTruncated(report.address, &context) }
        // Moved out of the context, which changes during the call.
        var octets: [UInt8] = []
        swap(&octets, &context.host.output.events.attributes.arena.octets)
        scans.received(report, octets.span.extracting(report.data), &context, at: now)
        swap(&octets, &context.host.output.events.attributes.arena.octets)
    }

    // MARK: Links

    private mutating func mtuChanged(_ link: LinkIdentifier, _ mtu: Int, at now: Instant) {
        guard let index = context.links.index(of: link) else { return }
        if context.links[index].role == .peripheral {
            server.clientMTUChanged(index, mtu, &context)
        } else if context.links[index].phase == .settingUp {
            negotiationEnded(link, at: now)
        } else {
            context.emit(.mtuChanged(context.links[index].peerIdentifier, .central, mtu: mtu))
        }
    }

    /// The ATT_MTU is settled, or its negotiation has taken too long.
    mutating func negotiationEnded(_ link: LinkIdentifier, at now: Instant) {
        guard let index = context.links.index(of: link) else { return }
        context.links[index].hasMTU = true
        // The host ends a link whose encryption takes too long.
        linkIsReady(link, at: now)
    }

    /// Gives a link to its sessions if its ATT_MTU is settled and its encryption, if there is one, has ended.
    private mutating func linkIsReady(_ link: LinkIdentifier, at now: Instant) {
        guard let index = context.links.index(of: link), context.links[index].hasMTU,
            !context.links[index].awaitsEncryption
        else { return }
        context.timers.cancel(.useLink(link))
        guard context.links[index].phase == .settingUp else { return }
        context.links[index].phase = .ready
        let peer = context.links[index].peer
        let identifier = context.links[index].peerIdentifier
        context.emit(.linkUp(identifier, .central, mtu: context.host.mtu(of: link) ?? Int(ATT.defaultMTU)))
        let slots = context.advertisers.slots(of: context.peers[peer].address)
        if let slot = slots.first(where: { context.advertisers[$0].isConnectable }) ?? slots.first {
            context.publishAdvertisement(slot, of: identifier)
        }
        let cached = context.host.cachedServices(on: link)
        if !cached.isEmpty { context.emit(.servicesFound(identifier, cached)) }
        context.rememberNames(of: peer)
        // The name discovery procedure (Vol 3, Part C, 9.2.7), and indications of Service Changed (Vol 3, Part G, 7.1).
        operations.readName(index, &context, at: now)
        context.host.enableServiceChanged(id: OperationQueues.serviceChangedOperation, on: link, at: now)
        connections.linkIsReady(to: peer, &context)
    }

    private mutating func linkEnded(_ identifier: LinkIdentifier, _ cause: DisconnectionCause, at now: Instant) {
        guard let index = context.links.index(of: identifier) else { return }
        periodic.linkEnded(identifier, &context)
        if context.links[index].role == .peripheral { return server.clientDisconnected(index, &context) }
        if case .host(let reason) = cause { context.note(.linkEndedByHost(reason)) }
        context.timers.cancel(.useLink(identifier))
        let link = context.links.remove(at: index)
        context.emit(.linkDown(link.peerIdentifier, .central))
        if !power.isGoingDown { connections.linkEnded(link, cause, &context, at: now) }
        context.peers.release(link.peer)
    }

    // MARK: Operations

    mutating func operationCompleted(
        _ link: LinkIdentifier, _ id: UInt32, _ result: consuming Result<GATTResult, GATTError>
    ) {
        if let done = completion(id, result, on: link) {
            context.emit(.completed(done.operation, done.peer, done.result, session: done.session))
        }
    }

    /// Handles the end of an operation. Returns it if it is one of a session, after the events that precede it.
    mutating func completion(
        _ id: UInt32, _ result: consuming Result<GATTResult, GATTError>, on link: LinkIdentifier
    ) -> OperationCompletion? {
        switch operations.complete(id, result, on: link, &context) {
        case .nothing: return nil
        case .ofSession(let completion): return completion
        case .nameChanged(let name, let peer):
            let sessions = connections.appendUsers(of: peer, to: &context)
            if !sessions.isEmpty {
                context.emit(.nameChanged(context.peers[peer].identifier, name, sessions: sessions))
            }
            return nil
        }
    }

    // MARK: The adapter

    private mutating func hostStateChanged(_ new: HostState, at now: Instant) {
        switch power.hostChanged(new) {
        case .nothing: break
        case .ready:
            setState(.poweredOn)
            advertising.applyAll(&context, at: now)
            periodic.applyAll(&context, at: now)
        case .off:
            setState(.poweredOff)
            forgetTraffic()
            if power.startsAgain { context.host.start(at: now) }
        case .gone(let state, let failure, let isFinal):
            context.note(isFinal ? .failed(failure, isRepeated: state == power.state) : .resetting(failure))
            // A repeated start-up is not reported if no session has seen the adapter work.
            if state != .resetting || power.state != .unknown { setState(state) }
            forgetTraffic()
            // Sessions add their services again.
            server.forgetServices(&context)
            advertising.removeAll(&context)
            channels.forgetServices(&context)
            power.endGoingDown()
            if isFinal { context.emit(.failed(failure)) }
        }
    }

    /// Removes links, scans and pending operations. Advertising and the local services stay.
    private mutating func forgetTraffic() {
        context.timers.removeTraffic()
        channels.forgetChannels(&context)
        let isInBackground = scans.isInBackground
        scans = ScanRequests()
        scans.isInBackground = isInBackground
        connections.removeAll(&context)
        periodic.forgetTraffic(&context)
        while let link = context.links.first {
            if link.role == .peripheral {
                server.clientDisconnected(0, &context)
            } else {
                context.links.removeFirst()
                context.emit(.linkDown(link.peerIdentifier, .central))
                context.peers.release(link.peer)
            }
        }
        server.removeRequests()
    }
}
