import BLEAdapter
import BLEAttribute
import BLEHost
import BLEWire

extension HostCore {
    private func clientIndex(_ link: LinkIdentifier) -> Int? {
        for index in clients.indices where clients[index].link == link { return index }
        return nil
    }

    func clientConnected(_ link: LinkIdentifier, from address: DeviceAddress) {
        let peer = identities.identifier(for: address)
        let mtu = host.mtu(of: link) ?? 23
        clients.append(ClientLink(link: link, peer: peer, mtu: mtu))
        board.content.withLock { $0.clients.append(.init(peer: peer, mtu: mtu)) }
    }

    func clientDisconnected(_ link: LinkIdentifier) {
        guard let index = clientIndex(link) else { return }
        let client = clients[index]
        clients.remove(at: index)
        requests.removeAll(of: link)
        board.content.withLock { content in content.clients.removeAll { $0.peer == client.peer } }
        for handle in client.subscriptions { announce(client, handle, isSubscribed: false) }
        tellReadyToUpdate()
    }

    func clientMTUChanged(_ link: LinkIdentifier, _ mtu: Int) {
        guard let index = clientIndex(link), clients[index].mtu != mtu else { return }
        clients[index].mtu = mtu
        let record = clients[index].record
        board.content.withLock { content in
            if let index = content.clientIndex(record.identifier) { content.clients[index].mtu = mtu }
        }
        for slot in peripherals { slot.observer?.maximumUpdateLengthChanged(record) }
    }

    // MARK: Subscriptions

    func subscriptionChanged(_ link: LinkIdentifier, handle: UInt16, _ configuration: UInt16) {
        guard let index = clientIndex(link) else { return }
        let isSubscribed = configuration & 3 != 0
        let wasSubscribed = clients[index].subscriptions.contains(handle)
        guard isSubscribed != wasSubscribed else { return }
        if isSubscribed {
            clients[index].subscriptions.append(handle)
        } else {
            clients[index].subscriptions.removeAll { $0 == handle }
        }
        announce(clients[index], handle, isSubscribed: isSubscribed)
    }

    private func announce(_ client: ClientLink, _ handle: UInt16, isSubscribed: Bool) {
        guard let target = publisher.target(of: handle) else { return }
        board.content.withLock { content in
            let known = content.subscriptionIndex(target.session, target.characteristic)
            if let known {
                content.subscriptions[known].peers.removeAll { $0 == client.peer }
                if isSubscribed { content.subscriptions[known].peers.append(client.peer) }
            } else if isSubscribed {
                content.subscriptions.append(
                    .init(session: target.session, characteristic: target.characteristic, peers: [client.peer]))
            }
        }
        let observer = peripheralObserver(target.session)
        if isSubscribed {
            observer?.subscribed(client.record, to: target.characteristic)
        } else {
            observer?.unsubscribed(client.record, from: target.characteristic)
        }
    }

    // MARK: Requests

    func readRequested(_ link: LinkIdentifier, _ number: UInt32, handle: UInt16, offset: Int) {
        guard let index = clientIndex(link), let target = publisher.target(of: handle),
            let observer = peripheralObserver(target.session)
        else { return host.respondToRead(number, error: .unlikelyError, on: link, at: now) }
        let request = requests.add(.init(link: link, number: number, isRead: true, needsResponse: true))
        observer.receivedRead(request, of: target.characteristic, offset: offset, from: clients[index].record)
    }

    func writeRequested(
        _ link: LinkIdentifier, _ number: UInt32, _ range: Range<Int>, _ batch: borrowing EventBatch,
        needsResponse: Bool
    ) {
        var items: [WriteItem] = []
        var session: Int?
        for item in batch.items[range] {
            guard let target = publisher.target(of: item.handle), session == nil || session == target.session else {
                // Gone by now, or a prepared write over the services of two sessions, which no one could accept as a whole.
                items.removeAll()
                break
            }
            session = target.session
            let value = [UInt8](batch.bytes.span.extracting(item.value))
            items.append(WriteItem(characteristic: target.characteristic, offset: item.offset, value: value))
        }
        guard let index = clientIndex(link), !items.isEmpty, let session, let observer = peripheralObserver(session)
        else {
            if needsResponse { host.respondToWrite(number, error: .unlikelyError, on: link, at: now) }
            return
        }
        let request = requests.add(.init(link: link, number: number, isRead: false, needsResponse: needsResponse))
        observer.receivedWrite(request, items, needsResponse: needsResponse, from: clients[index].record)
    }

    func respond(to identifier: RequestIdentifier, error: UInt8, value: [UInt8]?) {
        guard let request = requests.take(identifier) else { return }
        if !request.isRead {
            let error = error == 0 ? nil : ATT.ErrorCode(rawValue: error)
            host.respondToWrite(request.number, error: error, on: request.link, at: now)
        } else if error == 0 {
            let octets = value ?? []
            host.respondToRead(request.number, value: octets.span, on: request.link, at: now)
        } else {
            host.respondToRead(request.number, error: .init(rawValue: error), on: request.link, at: now)
        }
    }

    // MARK: Updates

    func update(
        _ value: Span<UInt8>, of characteristic: CharacteristicReference, session: Int, targets: [PeerIdentifier]
    ) {
        let handle = publisher.valueHandle(of: characteristic, session: session)
        for peer in targets {
            guard let index = clients.firstIndex(where: { $0.peer == peer }) else { continue }
            guard let handle, clients[index].subscriptions.contains(handle) else {
                updatesLeft(1, for: peer)
                continue
            }
            if clients[index].backlog.isEmpty, host.freeSlots(on: clients[index].link) > 0 {
                send(value, handle: handle, to: index)
            } else {
                clients[index].backlog.append(value, handle: handle)
            }
        }
    }

    /// Notifies, or indicates where the client asked for that alone. An indication keeps its place in the queue until it is
    /// confirmed.
    private func send(_ value: Span<UInt8>, handle: UInt16, to index: Int) {
        let link = clients[index].link
        let configuration = host.clientConfiguration(ofValueHandle: handle, on: link)
        if configuration & 1 != 0 {
            host.notify(value, handle: handle, on: link, at: now)
        } else if configuration & 2 != 0 {
            clients[index].unconfirmed += 1
            host.indicate(value, handle: handle, on: link, at: now)
            return
        }
        updatesLeft(1, for: clients[index].peer)
    }

    func indicationConfirmed(_ link: LinkIdentifier) {
        // Indications of Service Changed are the host's own.
        guard let index = clientIndex(link), clients[index].unconfirmed > 0 else { return }
        clients[index].unconfirmed -= 1
        updatesLeft(1, for: clients[index].peer)
    }

    func clientQueueDrained(_ link: LinkIdentifier) {
        guard let index = clientIndex(link) else { return }
        while !clients[index].backlog.isEmpty, host.freeSlots(on: link) > 0 {
            var backlog = ValueBacklog()
            swap(&backlog, &clients[index].backlog)
            backlog.takeFirst { handle, value in send(value, handle: handle, to: index) }
            swap(&backlog, &clients[index].backlog)
        }
    }

    private func updatesLeft(_ count: Int, for peer: PeerIdentifier) {
        let isEmpty = board.content.withLock { content in
            guard let index = content.clientIndex(peer) else { return false }
            content.clients[index].queued -= count
            guard content.clients[index].queued <= 0, content.clients[index].isFull else { return false }
            content.clients[index].isFull = false
            return true
        }
        if isEmpty { tellReadyToUpdate() }
    }

    /// Tells the sessions that found no room, once there is room on every link that was full for one of their updates. Other
    /// links do not matter: a client that takes nothing must not hold up the rest.
    private func tellReadyToUpdate() {
        let ready: [Int] = board.content.withLock { content in
            let full = content.clients.filter(\.isFull).map(\.peer)
            var ready: [Int] = []
            for wait in content.waitingForUpdates
            where !wait.peers.contains(where: full.contains) && !ready.contains(wait.session) {
                ready.append(wait.session)
            }
            content.waitingForUpdates.removeAll { ready.contains($0.session) }
            return ready
        }
        for session in ready { peripheralObserver(session)?.readyToUpdate() }
    }

    // MARK: Latency

    func setLatency(_ latency: LatencyWish, of central: PeerIdentifier) {
        guard let client = clients.first(where: { $0.peer == central }) else { return }
        host.requestConnectionParameters(client.link, latency.parameters, at: now)
    }
}

extension LatencyWish {
    /// 15 to 30 ms; 60 to 90 ms; 300 to 400 ms, where every third event may be skipped.
    fileprivate var parameters: RequestedConnectionParameters {
        switch self {
        case .low: RequestedConnectionParameters(intervalMinimum: 12, intervalMaximum: 24, latency: 0, timeout: 200)
        case .medium: RequestedConnectionParameters(intervalMinimum: 48, intervalMaximum: 72, latency: 0, timeout: 400)
        case .high: RequestedConnectionParameters(intervalMinimum: 240, intervalMaximum: 320, latency: 2, timeout: 600)
        }
    }
}
