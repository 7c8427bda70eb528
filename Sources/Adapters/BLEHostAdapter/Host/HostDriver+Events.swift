import BLEAdapter
import BLEHost
import BLESessions
import BLEWire

extension HostDriver {
    /// Calls the observers of an event, and publishes the data for other threads.
    func handle(_ event: SessionEvent, _ output: borrowing SessionOutput) {
        switch event {
        case .adapterState(let state, let session):
            if state == .poweredOn {
                snapshot.setUsesExtendedAdvertising(sessions.host.usesExtendedAdvertising)
                onPower?()
            }
            if let observer = central(session) {
                observer.adapterStateChanged(state)
            } else if let observer = peripheral(session) {
                observer.adapterStateChanged(state)
            } else {
                periodic(session)?.adapterStateChanged(state)
            }
        case .discovered(let number):
            let run = output.runs[number]
            for index in run.sessions {
                central(output.sessions[index])?.discovered(output.discoveries[run.discoveries])
            }
        case .completed(let operation, let peer, let result, let session):
            report { central(session)?.completed(operation, of: peer, result) }
        case .value(let peer, let link, let value):
            let octets = output.arena.octets.span.extracting(value.octets)
            let confirmation = value.isIndication ? makeConfirmation(link) : nil
            for index in value.subscribers {
                let observer = central(output.arena.subscribers[index])
                if let confirmation {
                    observer?.indicated(octets, handle: value.handle, from: peer, confirmation: confirmation)
                } else {
                    observer?.received(octets, handle: value.handle, from: peer)
                }
            }
        case .readRequest(let request, let characteristic, let offset, let central, let session):
            guard let observer = peripheral(session) else { return refuse(request) }
            report { observer.receivedRead(request, of: characteristic, offset: offset, from: central) }
        case .writeRequest(let request, let items, let needsResponse, let central, let session):
            guard let observer = peripheral(session) else { return refuse(request) }
            let items = output.items[items].map {
                WriteItem(
                    characteristic: $0.characteristic, offset: $0.offset, value: output.arena.copy($0.value))
            }
            report { observer.receivedWrite(request, items, needsResponse: needsResponse, from: central) }
        case .pairing(let notice): handle(notice)
        case .periodic(let notice): handle(notice, output)
        // Listed one by one, so that the compiler requires a decision for each new event.
        case .connected, .connectionFailed, .disconnected, .servicesChanged, .nameChanged:
            handleConnection(event, output)
        case .serviceAdded, .advertisingStarted, .subscribed, .unsubscribed, .maximumUpdateLengthChanged:
            handleServer(event)
        case .channelPublished, .channelUnpublished, .channelRefused, .channelOpened, .channelAccepted,
            .channelReceived, .channelWritable, .channelClosing, .channelClosed:
            handleChannel(event, output)
        case .linkUp, .linkDown, .mtuChanged, .advertised, .servicesFound, .named, .serviceRemoved,
            .commandsSent, .updatesSent, .remember, .identityLearned, .failed, .note:
            publish(event)
        }
    }

    /// Handles the events of connections of central sessions.
    private func handleConnection(_ event: SessionEvent, _ output: borrowing SessionOutput) {
        switch event {
        case .connected(let peer, let session): central(session)?.connected(peer)
        case .connectionFailed(let peer, let failure, let session):
            central(session)?.connectionFailed(peer, failure)
        case .disconnected(let peer, let end, let isReconnecting, let session):
            central(session)?.disconnected(peer, end, isReconnecting: isReconnecting)
        case .servicesChanged(let peer, let range, let indication, let sessions):
            let confirmation = makeConfirmation(indication)
            for index in sessions {
                central(output.sessions[index])?.servicesChanged(range, of: peer, confirmation: confirmation)
            }
        case .nameChanged(let peer, let name, let sessions):
            for index in sessions { central(output.sessions[index])?.nameChanged(name, of: peer) }
        default: break
        }
    }

    /// Handles the events of the services and the advertising of peripheral sessions.
    private func handleServer(_ event: SessionEvent) {
        switch event {
        case .serviceAdded(let token, let failure, let session):
            peripheral(session)?.serviceAdded(token: token, failure)
        case .advertisingStarted(let failure, let session): peripheral(session)?.advertisingStarted(failure)
        case .subscribed(let central, let characteristic, let session):
            snapshot.subscribe(central.identifier, to: characteristic, session: session)
            peripheral(session)?.subscribed(central, to: characteristic)
        case .unsubscribed(let central, let characteristic, let session):
            snapshot.unsubscribe(central.identifier, from: characteristic, session: session)
            peripheral(session)?.unsubscribed(central, from: characteristic)
        case .maximumUpdateLengthChanged(let central):
            forEachPeripheral { $0.maximumUpdateLengthChanged(central) }
        default: break
        }
    }

    /// Passes consecutive notifications of one session to its observer in runs. Returns the index of the next event.
    func deliverValues(from start: Int, _ output: borrowing SessionOutput) -> Int {
        guard case .value(_, _, let first) = output.events[start], !first.isIndication, first.subscribers.count == 1
        else { return start }
        let subscriber = output.arena.subscribers[first.subscribers.lowerBound]
        guard let observer = central(subscriber) else { return start }
        var run = ValueRun()
        swap(&run, &spare.values)
        var index = start
        while index < output.events.count, case .value(let peer, _, let value) = output.events[index],
            !value.isIndication, value.subscribers.count == 1,
            output.arena.subscribers[value.subscribers.lowerBound] == subscriber
        {
            run.append(output.arena.octets.span.extracting(value.octets), handle: value.handle, from: peer)
            index += 1
            if run.isFull { observer.received(&run) }
        }
        if !run.isEmpty { observer.received(&run) }
        swap(&run, &spare.values)
        return index
    }

    /// Handles the events that change the snapshot, the store or the log.
    private func publish(_ event: SessionEvent) {
        switch event {
        case .linkUp(let peer, .central, let mtu):
            admission.addServer(peer)
            snapshot.connect(peer, mtu: mtu)
        case .linkUp(let peer, .peripheral, _): admission.addClient(peer)
        case .linkDown(let peer, .central):
            snapshot.disconnect(peer)
            admission.removeServer(peer)
        case .linkDown(let peer, .peripheral): reportReadyToUpdate(admission.removeClient(peer))
        case .mtuChanged(let peer, .central, let mtu): snapshot.setMTU(mtu, of: peer)
        case .advertised(let peer, let octets): snapshot.setAdvertisement(octets, of: peer)
        case .servicesFound(let peer, let services): snapshot.add(services, of: peer)
        case .named(let peer, let name): snapshot.setName(name, of: peer)
        case .serviceRemoved(let token, let session): snapshot.removeSubscriptions(token: token, session: session)
        case .commandsSent(let peer, let count):
            for session in admission.commandsSent(count, to: peer) {
                central(session)?.readyForWriteCommands(to: peer)
            }
        case .updatesSent(let peer, let count): reportReadyToUpdate(admission.updatesSent(count, to: peer))
        case .remember(let address, let names): store.remember(address, names)
        case .identityLearned(let peer, let identity): store.learn(identity, of: peer)
        case .failed(let failure): onFailure?(failure)
        case .note(let note): record(note)
        default: break
        }
    }

    private func record(_ note: SessionDiagnostic) {
        switch (note, onFailureNote) {
        case (.failed(_, isRepeated: false), let report?): report(note.sentence, false)
        case (.resetting, let report?): report(note.sentence, true)
        default: log.log(level: note.level, "\(note.sentence)")
        }
    }

    /// Answers a request without an observer, because its client waits 30 s at most (Vol 3, Part F, 3.3.3).
    private func refuse(_ request: RequestIdentifier) {
        sessions.respond(to: request, error: ATT.ErrorCode.unlikelyError.rawValue, value: nil, at: now)
    }

    private func reportReadyToUpdate(_ ready: [Int]) {
        for session in ready { peripheral(session)?.readyToUpdate() }
    }

    /// The confirmation of an indication (Vol 3, Part F, 3.4.7.3).
    private func makeConfirmation(_ link: LinkIdentifier) -> IndicationConfirmation {
        IndicationConfirmation { [weak adapter] in
            adapter?.submit { $0.sessions.host.confirmIndication(on: link, at: $0.now) }
        }
    }
}
