import BLEAdapter
import BLEAttribute
import BLEHost
import BLEWire

/// Clients of the local database.
extension HostSessions {
    private func record(ofClient index: Int) -> CentralRecord {
        CentralRecord(
            identifier: peers[links[index].peer].identifier, maximumUpdateLength: links[index].maximumUpdateLength)
    }

    mutating func clientConnected(_ link: LinkIdentifier, from address: DeviceAddress) {
        let peer = peers.claim(address)
        let mtu = host.mtu(of: link) ?? Int(ATT.defaultMTU)
        var client = Link(link, to: peer, role: .peripheral)
        client.maximumUpdateLength = max(20, mtu - 3)
        links.append(client)
        emit(.linkUp(peers[peer].identifier, .peripheral, mtu: mtu))
    }

    mutating func clientDisconnected(_ index: Int) {
        let record = record(ofClient: index)
        let link = links.remove(at: index)
        clientRequests.removeAll(of: link.identifier)
        for handle in link.subscriptions { announce(record, handle, isSubscribed: false) }
        emit(.linkDown(record.identifier, .peripheral))
        peers.release(link.peer)
    }

    /// A notification carries at most ATT_MTU - 3 octets of a value (Vol 3, Part F, 3.4.7.1).
    mutating func clientMTUChanged(_ index: Int, _ mtu: Int) {
        let length = max(20, mtu - 3)
        guard length != links[index].maximumUpdateLength else { return }
        links[index].maximumUpdateLength = length
        let record = record(ofClient: index)
        emit(.mtuChanged(record.identifier, .peripheral, mtu: mtu))
        emit(.maximumUpdateLengthChanged(record))
    }

    // MARK: Subscriptions

    mutating func subscriptionChanged(_ link: LinkIdentifier, handle: UInt16, _ configuration: UInt16) {
        guard let index = linkIndex(link, role: .peripheral) else { return }
        // Bit 0 enables notifications, bit 1 indications (Vol 3, Part G, 3.3.3.3).
        let isSubscribed = configuration & 3 != 0
        guard isSubscribed != links[index].subscriptions.contains(handle) else { return }
        if isSubscribed {
            links[index].subscriptions.append(handle)
        } else {
            links[index].subscriptions.removeAll { $0 == handle }
        }
        announce(record(ofClient: index), handle, isSubscribed: isSubscribed)
    }

    private mutating func announce(_ central: CentralRecord, _ handle: UInt16, isSubscribed: Bool) {
        guard let target = services.target(of: handle) else { return }
        if isSubscribed {
            emit(.subscribed(central, target.characteristic, session: target.session))
        } else {
            emit(.unsubscribed(central, target.characteristic, session: target.session))
        }
    }

    // MARK: Requests

    mutating func readRequested(
        _ link: LinkIdentifier, _ number: UInt32, handle: UInt16, offset: Int, at now: Instant
    ) {
        guard let index = linkIndex(link, role: .peripheral), let target = services.target(of: handle) else {
            return host.respondToRead(number, error: .unlikelyError, on: link, at: now)
        }
        let request = clientRequests.add(
            .init(session: target.session, link: link, number: number, isRead: true, needsResponse: true))
        emit(
            .readRequest(
                request, target.characteristic, offset: offset, record(ofClient: index), session: target.session))
    }

    mutating func writeRequested(
        _ link: LinkIdentifier, _ number: UInt32, _ range: Range<Int>, _ batch: borrowing HostBatch,
        needsResponse: Bool, at now: Instant
    ) {
        let first = output.items.count
        var session: Int?
        for item in batch.items[range] {
            // An Execute Write Request writes all prepared values (Vol 3, Part F, 3.4.6.3).
            guard let target = services.target(of: item.handle), session == nil || session == target.session else {
                // The service is gone, or a prepared write covers services of two sessions. Neither session could
                // accept such a write as a whole.
                output.items.removeSubrange(first...)
                break
            }
            session = target.session
            output.items.append(
                SessionWriteItem(
                    characteristic: target.characteristic, offset: item.offset, value: shifted(item.value)))
        }
        guard let index = linkIndex(link, role: .peripheral), output.items.count > first, let session else {
            output.items.removeSubrange(first...)
            if needsResponse { host.respondToWrite(number, error: .unlikelyError, on: link, at: now) }
            return
        }
        let request = clientRequests.add(
            .init(session: session, link: link, number: number, isRead: false, needsResponse: needsResponse))
        emit(
            .writeRequest(
                request, items: first..<output.items.count, needsResponse: needsResponse, record(ofClient: index),
                session: session))
    }

    /// Answers a request of a client. An `error` of 0 accepts it. Has no effect if the request is unknown or already
    /// answered.
    package mutating func respond(
        to identifier: RequestIdentifier, error: UInt8, value: [UInt8]?, at now: Instant
    ) {
        guard let request = clientRequests.take(identifier) else { return }
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

    /// Refuses the requests that a session has not answered: their clients wait 30 s at most, and then use the link no more
    /// (Vol 3, Part F, 3.3.3).
    mutating func refuseRequests(of session: Int, at now: Instant) {
        for request in clientRequests.waiting(for: session) {
            respond(to: request, error: ATT.ErrorCode.unlikelyError.rawValue, value: nil, at: now)
        }
    }

    // MARK: Updates

    /// Sends a value to the subscribed clients among `targets`. `updatesSent` follows for each target.
    package mutating func update(
        _ value: Span<UInt8>, of characteristic: CharacteristicReference, session: Int, targets: [PeerIdentifier],
        at now: Instant
    ) {
        let handle = services.valueHandle(of: characteristic, session: session)
        for peer in targets {
            guard let index = linkIndex(to: peer, role: .peripheral) else { continue }
            guard let handle, links[index].subscriptions.contains(handle) else {
                emit(.updatesSent(peer, 1))
                continue
            }
            if links[index].backlog.isEmpty, host.takesValues(on: links[index].identifier) {
                sendUpdate(value, handle: handle, to: index, at: now)
            } else {
                links[index].backlog.append(value, handle: handle)
            }
        }
    }

    /// Sends a notification, or an indication if the client enabled indications alone (Vol 3, Part G, 3.3.3.3). An
    /// indication keeps its place in the queue until the client confirms it.
    mutating func sendUpdate(_ value: Span<UInt8>, handle: UInt16, to index: Int, at now: Instant) {
        let link = links[index].identifier
        let configuration = host.clientConfiguration(ofValueHandle: handle, on: link)
        if configuration & 1 != 0 {
            host.notify(value, handle: handle, on: link, at: now)
        } else if configuration & 2 != 0 {
            links[index].unconfirmed += 1
            host.indicate(value, handle: handle, on: link, at: now)
            return
        }
        emit(.updatesSent(peers[links[index].peer].identifier, 1))
    }

    mutating func indicationConfirmed(_ link: LinkIdentifier, handle: UInt16) {
        // Indications of Service Changed are the host's own.
        // A client has one unconfirmed indication at a time (Vol 3, Part F, 3.3.2), so confirmations come in order.
        guard handle != host.database.serviceChangedHandle, let index = linkIndex(link, role: .peripheral),
            links[index].unconfirmed > 0
        else { return }
        links[index].unconfirmed -= 1
        emit(.updatesSent(peers[links[index].peer].identifier, 1))
    }

    // MARK: Latency

    /// Requests other parameters of the link to a central (Vol 3, Part C, 9.3.9).
    package mutating func setLatency(_ latency: RequestedLatency, of central: PeerIdentifier, at now: Instant) {
        guard let index = linkIndex(to: central, role: .peripheral) else { return }
        host.requestConnectionParameters(links[index].identifier, latency.parameters, at: now)
    }
}

extension RequestedLatency {
    /// Intervals: 15 to 30 ms; 60 to 90 ms; 300 to 400 ms, where the peripheral may skip two of three events (Vol 6,
    /// Part B, 4.5.1).
    fileprivate var parameters: RequestedConnectionParameters {
        switch self {
        case .low: RequestedConnectionParameters(intervalMinimum: 12, intervalMaximum: 24, latency: 0, timeout: 200)
        case .medium: RequestedConnectionParameters(intervalMinimum: 48, intervalMaximum: 72, latency: 0, timeout: 400)
        case .high: RequestedConnectionParameters(intervalMinimum: 240, intervalMaximum: 320, latency: 2, timeout: 600)
        }
    }
}
