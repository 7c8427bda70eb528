import BLEAdapter
import BLEWire
import ESPHomeAPI

/// Links over the gateway, with their operations and values.
extension GatewayAdapter {
    func record(_ peer: PeerIdentifier) -> PeerRecord {
        let identity = identification.identity(of: peer)
        return PeerRecord(identifier: peer, name: snapshot.withLock { $0.names[identity] })
    }

    // MARK: Requests for links

    func connect(_ number: Int, _ peer: PeerIdentifier, _ options: ConnectionOptions) {
        guard state == .poweredOn, sessions[number] != nil else { return }
        guard options.startDelay > .zero, links[peer]?.sessions[number] == nil else {
            return begin(number, peer, options)
        }
        let use = Use(session: number, peer: peer)
        delayedCount += 1
        let count = delayedCount
        delayed[use] = count
        scheduler.submit(after: options.startDelay) { [weak self] in
            guard let self, delayed[use] == count else { return }
            delayed[use] = nil
            begin(number, peer, options)
        }
    }

    private func begin(_ number: Int, _ peer: PeerIdentifier, _ options: ConnectionOptions) {
        guard let observer = sessions[number]?.observer else { return }
        if links[peer] != nil {
            links[peer]?.sessions[number] = options
            if case .up = links[peer]?.state { observer.connected(record(peer)) }
            return
        }
        guard let device = identification.address(of: peer) else {
            return observer.connectionFailed(peer, .establishmentFailed)
        }
        open(peer, device, [number: options])
        uplink.flush()
    }

    private func open(_ peer: PeerIdentifier, _ device: DeviceAddress, _ sessions: [Int: ConnectionOptions]) {
        var link = RemoteLink(address: device.value)
        link.sessions = sessions
        links[peer] = link
        peers[device.value] = peer
        requestConnection(device)
    }

    private func requestConnection(_ device: DeviceAddress) {
        uplink.send(
            DeviceRequest(
                address: device.value, kind: DeviceRequestKind.connectWithoutCache.rawValue, hasAddressType: true,
                addressType: UInt32(device.asDevice.kind.rawValue)))
    }

    func cancel(_ number: Int, _ peer: PeerIdentifier) {
        if delayed.removeValue(forKey: Use(session: number, peer: peer)) == nil {
            guard links[peer]?.sessions[number] != nil else { return }
            release(peer, number)
        }
        sessions[number]?.observer?.disconnected(peer, .cancelled, isReconnecting: false)
        uplink.flush()
    }

    /// Removes a session from a link, and ends the link without sessions.
    func release(_ peer: PeerIdentifier, _ number: Int) {
        guard links[peer]?.sessions[number] != nil else { return }
        links[peer]?.release(number)
        guard let link = links[peer], link.sessions.isEmpty else { return }
        switch link.state {
        case .waiting: remove(peer)
        case .connecting, .up: requestEnd(of: peer)
        case .ending: break
        }
    }

    private func requestEnd(of peer: PeerIdentifier) {
        guard let address = links[peer]?.address else { return }
        endPairing(peer, .disconnected)
        links[peer]?.state = .ending(deadline: scheduler.now + RemoteLink.endTimeout)
        snapshot.withLock { $0.mtus[peer] = nil }
        uplink.send(DeviceRequest(address: address, kind: DeviceRequestKind.disconnect.rawValue))
    }

    private func remove(_ peer: PeerIdentifier) {
        guard let link = links.removeValue(forKey: peer) else { return }
        peers[link.address] = nil
        snapshot.withLock { $0.mtus[peer] = nil }
    }

    // MARK: Changes of links

    func connectionChanged(_ response: DeviceConnectionResponse) {
        guard let peer = peers[response.address], let link = links[peer] else { return }
        if response.isConnected {
            guard case .connecting = link.state else { return }
            links[peer]?.state = .up
            let mtu = min(517, max(23, Int(response.mtu)))
            snapshot.withLock { $0.mtus[peer] = mtu }
            for number in link.sessions.keys.sorted() { sessions[number]?.observer?.connected(record(peer)) }
        } else {
            ended(peer, Self.failure(response.error))
        }
        uplink.flush()
    }

    /// The gateway reported the end of a link or of an attempt.
    private func ended(_ peer: PeerIdentifier, _ failure: ConnectionError) {
        switch links[peer]?.state {
        case .connecting where failure == .establishmentFailed && links[peer]?.sessions.isEmpty == false:
            // The gateway gives up after some time, and sessions wait without a limit.
            links[peer]?.state = .waiting(until: scheduler.now + RemoteLink.retryDelay)
        case .connecting:
            let waiting = links[peer]?.sessions ?? [:]
            remove(peer)
            for number in waiting.keys.sorted() { sessions[number]?.observer?.connectionFailed(peer, failure) }
        case .up:
            fail(peer, failure)
            restart(peer)
        // Sessions that asked for the peer while the link ended.
        case .ending: restart(peer)
        case .waiting, nil: break
        }
    }

    /// Reports the loss of a link. Sessions that reconnect automatically stay.
    private func fail(_ peer: PeerIdentifier, _ failure: ConnectionError) {
        endPairing(peer, .disconnected)
        let users = links[peer]?.sessions ?? [:]
        links[peer]?.sessions = users.filter { $0.value.reconnectsAutomatically }
        for (number, options) in users.sorted(by: { $0.key < $1.key }) {
            sessions[number]?.observer?.disconnected(
                peer, .failed(failure), isReconnecting: options.reconnectsAutomatically)
        }
    }

    /// Removes a link that ended, and begins another one for the sessions that are left.
    private func restart(_ peer: PeerIdentifier) {
        let waiting = links[peer]?.sessions ?? [:]
        remove(peer)
        guard !waiting.isEmpty else { return }
        if let device = identification.address(of: peer) {
            open(peer, device, waiting)
        } else {
            for number in waiting.keys.sorted() {
                sessions[number]?.observer?.connectionFailed(peer, .establishmentFailed)
            }
        }
    }

    func handleDeadlines() {
        let now = scheduler.now
        endLatePairings(at: now)
        for (peer, link) in links {
            switch link.state {
            case .waiting(let until) where until <= now:
                links[peer]?.state = .connecting
                if let device = identification.address(of: peer) { requestConnection(device) }
            case .ending(let deadline) where deadline <= now: restart(peer)
            case .up where link.deadline.map({ $0 <= now }) == true:
                fail(peer, .attributeTimeout)
                requestEnd(of: peer)
            default: break
            }
        }
    }

    private static func failure(_ error: Int32) -> ConnectionError {
        switch error {
        case 0x08: .supervisionTimeout
        case 0x13: .endedByPeer
        case 0x16: .endedByHost
        case 0x22: .attributeTimeout
        case 0x3E, 0x85: .establishmentFailed
        case 0x09, 0x80: .limitReached
        case 1...0xFF: .controller(UInt8(error))
        default: .establishmentFailed
        }
    }

    // MARK: Operations

    func submit(_ number: Int, _ operation: GATTOperation, _ peer: PeerIdentifier) {
        guard case .up = links[peer]?.state else {
            sessions[number]?.observer?.completed(operation, of: peer, .failure(.notConnected))
            return
        }
        if operation == .readRSSI {
            log.error("The signal strength of links is unknown over \(network).")
        }
        links[peer]?.submit(operation, session: number, at: scheduler.now)
        settle(peer)
    }

    func update(_ address: UInt64, _ body: (inout RemoteLink, Instant) -> Void) {
        guard let peer = peers[address], var link = links.removeValue(forKey: peer) else { return }
        body(&link, scheduler.now)
        links[peer] = link
        settle(peer)
    }

    /// Sends the requests of a link, and delivers its results.
    private func settle(_ peer: PeerIdentifier) {
        for request in links[peer]?.takeRequests() ?? [] {
            switch request {
            case .getServices(let message): uplink.send(message)
            case .read(let message): uplink.send(message)
            case .readDescriptor(let message): uplink.send(message)
            case .write(let message): uplink.send(message)
            case .writeDescriptor(let message): uplink.send(message)
            case .notify(let message): uplink.send(message)
            }
        }
        for result in links[peer]?.takeResults() ?? [] {
            sessions[result.session]?.observer?.completed(result.operation, of: peer, result.result)
        }
        uplink.flush()
    }

    func openChannel(_ number: Int, psm: UInt16, _ peer: PeerIdentifier) {
        log.error("L2CAP channels do not work over \(network): use an adapter of this machine.")
        sessions[number]?.observer?.channelOpened(.failure(.refused), psm: psm, of: peer)
    }

    // MARK: Values

    func deliver(_ message: IncomingMessage) throws(APIError) {
        do throws(ProtobufError) {
            try message.withPayload { (payload: Span<UInt8>) throws(ProtobufError) in
                try GATTNotifyData.decode(payload) { address, handle, value in
                    guard let peer = peers[address], let handle = UInt16(exactly: handle),
                        let subscribers = links[peer]?.subscribers[handle]
                    else { return }
                    if subscribers.count == 1, let number = subscribers.first {
                        sessions[number]?.observer?.received(value, handle: handle, from: peer)
                    } else {
                        for number in subscribers.sorted() {
                            sessions[number]?.observer?.received(value, handle: handle, from: peer)
                        }
                    }
                }
            }
        } catch {
            throw .malformed(error)
        }
    }

    /// Sends a write command that `WriteAdmission` accepted.
    func write(_ value: [UInt8], handle: UInt16, _ peer: PeerIdentifier) {
        if case .up = links[peer]?.state, let address = links[peer]?.address {
            uplink.send(
                GATTWriteRequest(address: address, handle: UInt32(handle), needsResponse: false, data: value))
        }
        snapshot.withLock { $0.writes.passed(value.count) }
        uplink.flush()
        releaseWriters()
    }

    /// Tells sessions that had to wait that the buffer is empty.
    func releaseWriters() {
        guard uplink.queuedOctets == 0 else { return }
        let waiting = snapshot.withLock { $0.writes.left() }
        for use in waiting { sessions[use.session]?.observer?.readyForWriteCommands(to: use.peer) }
    }
}
