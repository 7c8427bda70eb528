import BLEWire

/// Links through a host that is elsewhere, with their operations and values.
extension RemoteCentral {
    /// Whether the peer has a link, or one is coming or ending.
    package func hasLink(_ peer: PeerIdentifier) -> Bool { links[peer] != nil }

    package func isUp(_ peer: PeerIdentifier) -> Bool {
        if case .up = links[peer]?.state { true } else { false }
    }

    /// The operation that the host runs; nil without one.
    package func operation(of peer: PeerIdentifier) -> GATTOperation? { links[peer]?.operations.first?.operation }

    /// The sessions that want the link, in their order.
    func users(of peer: PeerIdentifier) -> [Int] { links[peer]?.sessions.keys.sorted() ?? [] }

    // MARK: Requests of sessions

    package mutating func connect(_ use: RemoteUse, _ options: ConnectionOptions, at now: Instant) {
        guard state == .poweredOn, sessions[use.session] != nil else { return }
        if options.startDelay > .zero, links[use.peer]?.sessions[use.session] == nil {
            delayed[use] = Delayed(start: now + options.startDelay, options: options)
        } else {
            delayed[use] = nil
            begin(use, options)
        }
    }

    mutating func beginDelayed(at now: Instant) {
        let due = delayed.filter { $0.value.start <= now }
        func order(_ item: (key: RemoteUse, value: Delayed)) -> (Instant, Int, UInt64, UInt64) {
            (item.value.start, item.key.session, item.key.peer.high, item.key.peer.low)
        }
        for (use, request) in due.sorted(by: { order($0) < order($1) }) {
            delayed[use] = nil
            begin(use, request.options)
        }
    }

    private mutating func begin(_ use: RemoteUse, _ options: ConnectionOptions) {
        guard let observer = sessions[use.session]?.observer else { return }
        if links[use.peer] != nil {
            links[use.peer]?.sessions[use.session] = options
            if isUp(use.peer) { observer.connected(snapshot.record(use.peer)) }
        } else if identification.address(of: use.peer) != nil {
            open(use.peer, [use.session: options])
        } else {
            observer.connectionFailed(use.peer, .establishmentFailed)
        }
    }

    private mutating func open(_ peer: PeerIdentifier, _ sessions: [Int: ConnectionOptions]) {
        links[peer] = RemoteLink(sessions)
        requests.append(.connect(peer))
    }

    package mutating func cancel(_ use: RemoteUse, at now: Instant) {
        if delayed.removeValue(forKey: use) == nil {
            guard links[use.peer]?.sessions[use.session] != nil else { return }
            release(use.peer, use.session, at: now)
        }
        sessions[use.session]?.observer?.disconnected(use.peer, .cancelled, isReconnecting: false)
    }

    /// Removes a session from a link, and ends the link without sessions.
    mutating func release(_ peer: PeerIdentifier, _ number: Int, at now: Instant) {
        guard links[peer]?.sessions[number] != nil else { return }
        let unwanted = links[peer]?.release(number) ?? []
        guard let link = links[peer] else { return }
        guard link.sessions.isEmpty else {
            // No session has the number 0: the results have no receiver.
            for handle in unwanted where isUp(peer) {
                submit(
                    .setNotify(valueHandle: handle, end: .max, mode: .off), RemoteUse(session: 0, peer: peer), at: now)
            }
            return
        }
        switch link.state {
        case .waiting: remove(peer)
        case .connecting, .up: requestEnd(of: peer, at: now)
        case .ending: break
        }
    }

    private mutating func requestEnd(of peer: PeerIdentifier, at now: Instant) {
        // Without the operations and subscriptions: what comes for them is late.
        links[peer] = RemoteLink(links[peer]?.sessions ?? [:], .ending(deadline: now + RemoteLink.endTimeout))
        snapshot.setMaximumTransmissionUnit(nil, of: peer)
        requests.append(.disconnect(peer))
    }

    private mutating func remove(_ peer: PeerIdentifier) {
        guard links.removeValue(forKey: peer) != nil else { return }
        snapshot.setMaximumTransmissionUnit(nil, of: peer)
        requests.append(.forget(peer))
    }

    package mutating func submit(_ operation: GATTOperation, _ use: RemoteUse, at now: Instant) {
        guard isUp(use.peer) else {
            sessions[use.session]?.observer?.completed(operation, of: use.peer, .failure(.notConnected))
            return
        }
        perform(links[use.peer]?.submit(operation, session: use.session, at: now) ?? [], of: use.peer)
    }

    private func deliver(_ first: RemoteLink.Operation, _ peer: PeerIdentifier, _ result: Result<GATTResult, GATTError>)
    {
        sessions[first.session]?.observer?.completed(first.operation, of: peer, result)
    }

    private mutating func perform(_ steps: [RemoteLink.Step], of peer: PeerIdentifier) {
        for step in steps {
            switch step {
            case .ended(let first, let result): deliver(first, peer, result)
            case .perform(let operation): requests.append(.perform(operation, peer))
            }
        }
    }

    /// Takes a write command that the snapshot accepted.
    package mutating func write(_ value: [UInt8], handle: UInt16, to peer: PeerIdentifier) {
        if isUp(peer) {
            requests.append(.write(value, handle: handle, peer))
        } else {
            wrote(value.count)
        }
    }

    package mutating func openChannel(psm: UInt16, _ use: RemoteUse) {
        if isUp(use.peer) {
            requests.append(.openChannel(psm: psm, use))
        } else {
            channelOpened(.failure(.notConnected), psm: psm, use)
        }
    }

    // MARK: Reports of the host

    /// Answers `openChannel`.
    package func channelOpened(_ result: Result<ChannelHandle, ChannelError>, psm: UInt16, _ use: RemoteUse) {
        sessions[use.session]?.observer?.channelOpened(result, psm: psm, of: use.peer)
    }

    /// A link is up.
    ///
    /// - Parameter mtu: The ATT_MTU, in octets.
    package mutating func connected(_ peer: PeerIdentifier, mtu: Int) {
        guard case .connecting = links[peer]?.state else { return }
        links[peer]?.state = .up
        snapshot.setMaximumTransmissionUnit(mtu, of: peer)
        for number in users(of: peer) { sessions[number]?.observer?.connected(snapshot.record(peer)) }
    }

    /// The host reported the end of a link or of an attempt.
    package mutating func ended(_ peer: PeerIdentifier, _ failure: ConnectionError, at now: Instant) {
        switch links[peer]?.state {
        case .connecting where failure == .establishmentFailed:
            // The host gives up after some time, and sessions wait without a limit.
            links[peer]?.state = .waiting(until: now + RemoteLink.retryDelay)
        case .connecting:
            let waiting = users(of: peer)
            remove(peer)
            for number in waiting { sessions[number]?.observer?.connectionFailed(peer, failure) }
        case .up:
            fail(peer, failure)
            restart(peer)
        // Sessions that asked for the peer while the link ended.
        case .ending: restart(peer)
        case .waiting, nil: break
        }
    }

    /// Reports the loss of a link. Sessions that reconnect automatically stay.
    private mutating func fail(_ peer: PeerIdentifier, _ failure: ConnectionError) {
        let users = links[peer]?.sessions ?? [:]
        links[peer]?.sessions = users.filter { $0.value.reconnectsAutomatically }
        for (number, options) in users.sorted(by: { $0.key < $1.key }) {
            sessions[number]?.observer?.disconnected(
                peer, .failed(failure), isReconnecting: options.reconnectsAutomatically)
        }
    }

    /// Removes a link that ended, and begins another one for the sessions that are left.
    private mutating func restart(_ peer: PeerIdentifier) {
        let waiting = links[peer]?.sessions ?? [:]
        remove(peer)
        guard !waiting.isEmpty else { return }
        if identification.address(of: peer) != nil {
            open(peer, waiting)
        } else {
            for number in waiting.keys.sorted() {
                sessions[number]?.observer?.connectionFailed(peer, .establishmentFailed)
            }
        }
    }

    mutating func endLate(at now: Instant) {
        for peer in sorted(links.keys) {
            guard let link = links[peer] else { continue }
            switch link.state {
            case .waiting(let time) where time <= now, .ending(let time) where time <= now: restart(peer)
            case .up where link.deadline.map({ $0 <= now }) == true:
                fail(peer, .attributeTimeout)
                requestEnd(of: peer, at: now)
            default: break
            }
        }
    }

    /// Takes the result of the operation that runs on a link. A failure `.notConnected` is no result: the end of the link has to follow
    /// within 5 s, or the link counts as lost.
    package mutating func finished(_ peer: PeerIdentifier, _ result: Result<GATTResult, GATTError>, at now: Instant) {
        guard isUp(peer) else { return }
        perform(links[peer]?.finish(result, at: now) ?? [], of: peer)
    }

    /// Takes a notification.
    package func received(_ value: Span<UInt8>, handle: UInt16, from peer: PeerIdentifier) {
        guard let subscribers = links[peer]?.subscribers[handle] else { return }
        if subscribers.count == 1, let number = subscribers.first {
            sessions[number]?.observer?.received(value, handle: handle, from: peer)
        } else {
            for number in subscribers.sorted() {
                sessions[number]?.observer?.received(value, handle: handle, from: peer)
            }
        }
    }

    /// Takes a change of a peer's database (Vol 3, Part G, 7.1).
    package mutating func servicesChanged(_ range: HandleRange, of peer: PeerIdentifier) {
        guard isUp(peer) else { return }
        links[peer]?.forgetSubscribers(in: range)
        for number in users(of: peer) { sessions[number]?.observer?.servicesChanged(range, of: peer) }
    }

    /// Write commands of `count` octets left, or were discarded.
    package func wrote(_ count: Int) { snapshot.passed(count) }

    /// No write command waits at the host: tells the sessions that had to wait that the buffer is empty.
    package func releaseWriters() {
        for use in snapshot.left() { sessions[use.session]?.observer?.readyForWriteCommands(to: use.peer) }
    }
}
