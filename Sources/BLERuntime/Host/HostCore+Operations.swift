import BLEAdapter
import BLEHost
import BLEWire

extension HostCore {
    /// The numbers of the core's own operations; those of sessions are higher.
    static let nameOperation: UInt32 = 1
    static let serviceChangedOperation: UInt32 = 2
    private static let firstOperation: UInt32 = 3

    func submit(_ operation: GATTOperation, to peer: PeerIdentifier, session: Int) {
        guard let index = connectionIndex(peer), connections[index].isReady,
            let user = connections[index].userIndex(session), connections[index].users[user].state == .connected
        else {
            centralObserver(session)?.completed(operation, of: peer, .failure(.notConnected))
            return
        }
        guard let link = connections[index].link else { return }
        operationCount = max(operationCount &+ 1, Self.firstOperation)
        connections[index].operations.append(.init(id: operationCount, session: session, operation: operation))
        host.submit(operation, id: operationCount, subscriber: UInt32(truncatingIfNeeded: session), on: link, at: now)
    }

    func operationCompleted(_ link: LinkIdentifier, _ id: UInt32, _ result: Result<GATTResult, GATTFailure>) {
        guard let index = connectionIndex(link) else { return }
        if id == Self.nameOperation { return nameWasRead(index, result) }
        // The host ends this link, and `disconnected` is all that comes.
        if result == .failure(.bearerLost) || result == .failure(.notConnected) { return }
        guard let position = connections[index].operations.firstIndex(where: { $0.id == id }) else { return }
        let done = connections[index].operations.remove(at: position)
        let peer = connections[index].peer
        if case .success(.services(let services)) = result, case .discoverServices = done.operation {
            board.content.withLock { content in
                var known = content.peers[peer, default: .init()].services
                for service in services where !known.contains(service.uuid) { known.append(service.uuid) }
                content.peers[peer, default: .init()].services = known
            }
        }
        centralObserver(done.session)?.completed(done.operation, of: peer, result)
    }

    /// Ends the subscriptions and operations of a session that leaves a link which others still use.
    func dropOperations(of session: Int, at index: Int) {
        guard let link = connections[index].link else { return }
        connections[index].operations.removeAll { pending in
            pending.session == session && host.cancelOperation(pending.id, on: link, at: now)
        }
        host.dropSubscriber(UInt32(truncatingIfNeeded: session), on: link, at: now)
    }

    func received(
        _ value: Span<UInt8>, handle: UInt16, on link: LinkIdentifier, subscribers: borrowing [UInt32],
        _ range: Range<Int>
    ) {
        guard let index = connectionIndex(link) else { return }
        let peer = connections[index].peer
        for position in range {
            centralObserver(Int(subscribers[position]))?.received(value, handle: handle, from: peer)
        }
    }

    /// Tells the subscribers; the peer gets its confirmation when the last of them is done.
    func indicated(
        _ value: Span<UInt8>, handle: UInt16, on link: LinkIdentifier, subscribers: borrowing [UInt32],
        _ range: Range<Int>
    ) {
        let confirmation = makeConfirmation(link)
        guard let index = connectionIndex(link) else { return }
        let peer = connections[index].peer
        for position in range {
            centralObserver(Int(subscribers[position]))?.indicated(
                value, handle: handle, from: peer, confirmation: confirmation)
        }
    }

    private func makeConfirmation(_ link: LinkIdentifier) -> IndicationConfirmation {
        IndicationConfirmation { [weak adapter] in
            adapter?.submit { $0.host.confirmIndication(on: link, at: $0.now) }
        }
    }

    func servicesChanged(_ link: LinkIdentifier, _ range: HandleRange) {
        let confirmation = makeConfirmation(link)
        guard let index = connectionIndex(link) else { return }
        let peer = connections[index].peer
        for user in connections[index].users where user.state == .connected {
            centralObserver(user.session)?.servicesChanged(range, of: peer, confirmation: confirmation)
        }
        readName(index, link)
    }

    /// Asks the peer for its device name, unless that is under way.
    func readName(_ index: Int, _ link: LinkIdentifier) {
        guard !connections[index].isReadingName else { return }
        connections[index].isReadingName = true
        host.readDeviceName(id: Self.nameOperation, on: link, at: now)
    }

    private func nameWasRead(_ index: Int, _ result: Result<GATTResult, GATTFailure>) {
        connections[index].isReadingName = false
        guard case .success(.value(let octets)) = result, let name = DeviceName.text(octets) else { return }
        let peer = connections[index].peer
        let address = connections[index].address
        let isNew = board.content.withLock { content in
            let old = content.names(of: peer, at: address)
            content.peers[peer, default: .init()].deviceName = name
            if let place = content.advertisers.place(of: address) { content.advertisers[place].deviceName = name }
            return (old.deviceName ?? old.advertisedName) != name
        }
        rememberNames(index)
        guard isNew else { return }
        for user in connections[index].users where user.state == .connected {
            centralObserver(user.session)?.nameChanged(name, of: peer)
        }
    }

    // MARK: Write Commands

    func writeCommand(_ value: Span<UInt8>, handle: UInt16, to peer: PeerIdentifier) {
        guard let index = connectionIndex(peer), let link = connections[index].link,
            connections[index].isReady
        else { return }
        if connections[index].backlog.isEmpty, host.freeSlots(on: link) > 0 {
            send(value, handle: handle, on: link)
            commandsLeft(1, for: peer)
        } else {
            connections[index].backlog.append(value, handle: handle)
        }
    }

    private func send(_ value: Span<UInt8>, handle: UInt16, on link: LinkIdentifier) {
        do throws(GATTFailure) {
            if try !host.writeCommand(value, handle: handle, on: link, at: now) {
                log.warning("A Write Command was dropped: too many wait already.")
            }
        } catch {
            log.warning("A Write Command was not sent: \(error).")
        }
    }

    func queueDrained(_ link: LinkIdentifier) {
        clientQueueDrained(link)
        guard let index = connectionIndex(link) else { return }
        let peer = connections[index].peer
        var sent = 0
        while !connections[index].backlog.isEmpty, host.freeSlots(on: link) > 0 {
            connections[index].backlog.takeFirst { handle, value in send(value, handle: handle, on: link) }
            sent += 1
        }
        if sent > 0 { commandsLeft(sent, for: peer) }
    }

    /// `count` Write Commands have gone to the host.
    private func commandsLeft(_ count: Int, for peer: PeerIdentifier) {
        let ready: [Int] = board.content.withLock { content in
            guard let index = content.serverIndex(peer) else { return [] }
            content.servers[index].queued -= count
            guard content.servers[index].queued <= 0, content.servers[index].isFull else { return [] }
            content.servers[index].isFull = false
            defer { content.servers[index].waiting.removeAll() }
            return content.servers[index].waiting
        }
        for session in ready { centralObserver(session)?.readyForWriteCommands(to: peer) }
    }
}
