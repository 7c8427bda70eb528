import BLEAdapter
import BLEHost
import BLEWire

/// GATT operations on peers.
extension HostSessions {
    /// Identifies the session layer's own operations. Operations of sessions have higher numbers.
    static let nameOperation: UInt32 = 1
    static let serviceChangedOperation: UInt32 = 2
    private static let firstOperation: UInt32 = 3

    /// Queues an operation in the host. One `completed` follows unless the link ends first.
    package mutating func submit(
        _ operation: GATTOperation, to peer: PeerIdentifier, session: Int, at now: Instant
    ) {
        guard let index = usableLink(peer, session: session) else {
            return emit(.completed(operation, peer, .failure(.notConnected), session: session))
        }
        operationCount = max(operationCount &+ 1, Self.firstOperation)
        links[index].operations.append(.init(id: operationCount, session: session, operation: operation))
        host.submit(
            operation, id: operationCount, subscriber: subscriber(session), on: links[index].identifier, at: now)
    }

    /// The number under which a session subscribes to values of peers.
    private func subscriber(_ session: Int) -> UInt32 { UInt32(truncatingIfNeeded: session) }

    /// Takes the end of an operation if it is the only event, as most are: it needs none of the work for a batch. `processHostEvents`
    /// handles other events.
    package mutating func takeSoleCompletion() -> OperationCompletion? {
        guard isQuiet, let done = host.takeCompletion() else { return nil }
        // A link without events may have left octets in the arena.
        host.drainEvents()
        guard let completion = complete(done.id, done.result, on: done.link) else { return nil }
        if output.isEmpty { return completion }
        emit(completion)
        return nil
    }

    /// Takes the end of a read in the same way, without an array for the value.
    ///
    /// - Parameter octets: An empty buffer. It receives the octets of the arena.
    package mutating func takeSoleRead(into octets: inout [UInt8]) -> ReadCompletion? {
        guard let done = host.read, isQuiet, let index = linkIndex(done.link, role: .central),
            let pending = links[index].operations.first, pending.id == done.id,
            case .read(let handle) = pending.operation
        else { return nil }
        swap(&octets, &host.eventBytes)
        host.drainEvents()
        links[index].operations.removeFirst()
        return ReadCompletion(
            value: done.value, handle: handle, peer: peers[links[index].peer].identifier, session: pending.session)
    }

    /// Whether the end of an operation is the only event, if there is one.
    private var isQuiet: Bool { host.events.isEmpty && output.isEmpty && output.heard.isEmpty }

    mutating func operationCompleted(
        _ link: LinkIdentifier, _ id: UInt32, _ result: consuming Result<GATTResult, GATTError>
    ) {
        if let completion = complete(id, result, on: link) { emit(completion) }
    }

    private mutating func emit(_ completion: consuming OperationCompletion) {
        emit(
            .completed(completion.operation, completion.peer, completion.result, session: completion.session))
    }

    /// Handles the end of an operation. Returns it if it is one of a session, after the events that precede it.
    private mutating func complete(
        _ id: UInt32, _ result: consuming Result<GATTResult, GATTError>, on link: LinkIdentifier
    ) -> OperationCompletion? {
        guard let index = linkIndex(link, role: .central) else { return nil }
        if id == Self.nameOperation {
            nameWasRead(index, result)
            return nil
        }
        // The host ends this link. Sessions get `disconnected` alone.
        switch result {
        case .failure(.bearerLost), .failure(.notConnected): return nil
        default: break
        }
        guard let done = links[index].takeOperation(id) else { return nil }
        let peer = peers[links[index].peer].identifier
        if case .discoverServices = done.operation { reportServices(result, peer) }
        return OperationCompletion(operation: done.operation, peer: peer, result: result, session: done.session)
    }

    /// Publishes the services that a discovery found.
    private mutating func reportServices(_ result: Result<GATTResult, GATTError>, _ peer: PeerIdentifier) {
        guard case .success(.services(let services)) = result else { return }
        emit(.servicesFound(peer, services.map(\.uuid)))
    }

    /// Ends the subscriptions and operations of a session that leaves a link. Other sessions may still use the link. A
    /// running operation still ends in `completed`.
    mutating func dropOperations(of session: Int, to peer: PeerKey, at now: Instant) {
        guard let index = linkIndex(to: peer, role: .central) else { return }
        let link = links[index].identifier
        for position in links[index].operations.indices.reversed()
        where links[index].operations[position].session == session
            && host.cancelOperation(links[index].operations[position].id, on: link, at: now)
        {
            links[index].operations.remove(at: position)
        }
        host.dropSubscriber(subscriber(session), on: link, at: now)
    }

    // MARK: Values

    /// Reports a value to its subscribers.
    mutating func received(
        _ range: Range<Int>, handle: UInt16, on link: LinkIdentifier, isIndication: Bool,
        _ subscribers: ArraySlice<UInt32>, at now: Instant
    ) {
        guard let index = linkIndex(link, role: .central), !subscribers.isEmpty else {
            // A client confirms every indication (Vol 3, Part F, 3.4.7.3), even without a subscriber.
            if isIndication { host.confirmIndication(on: link, at: now) }
            return
        }
        let first = output.sessions.count
        for subscriber in subscribers { output.sessions.append(Int(subscriber)) }
        emit(
            .value(
                peers[links[index].peer].identifier, handle: handle, shifted(range),
                indication: isIndication ? link : nil, sessions: first..<output.sessions.count))
    }

    /// Reports Service Changed to the sessions that use the link (Vol 3, Part G, 7.1). The host confirms the indication
    /// at once if there are none.
    mutating func servicesChanged(_ link: LinkIdentifier, _ range: HandleRange, at now: Instant) {
        guard let index = linkIndex(link, role: .central) else {
            return host.confirmIndication(on: link, at: now)
        }
        let sessions = appendUsers(of: links[index].peer)
        if sessions.isEmpty {
            host.confirmIndication(on: link, at: now)
        } else {
            emit(
                .servicesChanged(peers[links[index].peer].identifier, range, indication: link, sessions: sessions))
        }
        readName(index, at: now)
    }

    /// Appends the sessions that use the link to a peer.
    private mutating func appendUsers(of peer: PeerKey) -> Range<Int> {
        let first = output.sessions.count
        if let request = requestIndex(peer) {
            for user in requests[request].users where user.state == .connected {
                output.sessions.append(user.session)
            }
        }
        return first..<output.sessions.count
    }

    /// Reads the peer's device name unless a read is already under way.
    mutating func readName(_ index: Int, at now: Instant) {
        guard !links[index].isReadingName else { return }
        links[index].isReadingName = true
        host.readDeviceName(id: Self.nameOperation, on: links[index].identifier, at: now)
    }

    private mutating func nameWasRead(_ index: Int, _ result: Result<GATTResult, GATTError>) {
        links[index].isReadingName = false
        guard case .success(.value(let octets)) = result, let name = DeviceName.text(octets) else { return }
        let peer = links[index].peer
        let identifier = peers[peer].identifier
        let old = record(of: peer).name
        if let forgotten = peers.setDeviceName(name, of: identifier) { forgetDeviceName(of: forgotten) }
        if let slot = advertisers.slot(of: peers[peer].address) { advertisers.setDeviceName(name, at: slot) }
        rememberNames(of: peer)
        emit(.named(identifier, name))
        guard old != name else { return }
        let sessions = appendUsers(of: peer)
        if !sessions.isEmpty { emit(.nameChanged(identifier, name, sessions: sessions)) }
    }

    // MARK: Write Commands

    /// Sends Write Commands or queues them. Drops those of a session that is not connected to the peer. `commandsSent` follows in each case,
    /// once for consecutive ones of a session.
    package mutating func write(_ batch: borrowing WriteCommandBatch, at now: Instant) {
        var start = 0
        var sent = 0
        var link: Int?
        for index in batch.commands.indices {
            let command = batch.commands[index]
            let isOther =
                index == 0
                || !(command.peer == batch.commands[index - 1].peer
                    && command.session == batch.commands[index - 1].session)
            if isOther {
                if sent > 0 { emit(.commandsSent(batch.commands[index - 1].peer, sent)) }
                sent = 0
                link = usableLink(command.peer, session: command.session)
            }
            let value = batch.octets.span.extracting(start..<command.end)
            if take(value, handle: command.handle, on: link, at: now) { sent += 1 }
            start = command.end
        }
        if sent > 0, let last = batch.commands.last { emit(.commandsSent(last.peer, sent)) }
    }

    /// Sends a Write Command, queues it, or drops it without a link. Returns false if it is queued.
    private mutating func take(_ value: Span<UInt8>, handle: UInt16, on link: Int?, at now: Instant) -> Bool {
        guard let link else { return true }
        if links[link].backlog.isEmpty {
            do throws(GATTError) {
                let isTaken = try host.writeCommandIfRoom(
                    value, handle: handle, on: links[link].identifier, at: now)
                if isTaken == false { note(.writeCommandDropped) }
                if isTaken != nil { return true }
            } catch {
                note(.writeCommandNotSent(error))
                return true
            }
        }
        links[link].backlog.append(value, handle: handle)
        return false
    }

    private mutating func send(_ value: Span<UInt8>, handle: UInt16, on link: LinkIdentifier, at now: Instant) {
        do throws(GATTError) {
            if try !host.writeCommand(value, handle: handle, on: link, at: now) { note(.writeCommandDropped) }
        } catch {
            note(.writeCommandNotSent(error))
        }
    }

    /// Sends the values that waited for room in the host: Write Commands as central, updates as peripheral.
    mutating func queueDrained(_ link: LinkIdentifier, at now: Instant) {
        guard let index = linkIndex(link) else { return }
        var sent = 0
        var backlog = ValueBacklog()
        while !links[index].backlog.isEmpty, host.takesValues(on: link) {
            swap(&backlog, &links[index].backlog)
            backlog.takeFirst { handle, value in
                if links[index].role == .central {
                    send(value, handle: handle, on: link, at: now)
                    sent += 1
                } else {
                    sendUpdate(value, handle: handle, to: index, at: now)
                }
            }
            swap(&backlog, &links[index].backlog)
        }
        if sent > 0 { emit(.commandsSent(peers[links[index].peer].identifier, sent)) }
    }
}
