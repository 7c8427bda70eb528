import BLEAdapter
import BLEAttribute
import BLEHost
import BLEWire

/// GATT operations on peers, and the subscriptions of sessions to their values. The host owns the queues; each link has its operations that the host
/// has not completed.
struct OperationQueues {
    /// Identifies the session layer's own operations. Operations of sessions have higher numbers.
    static let nameOperation: UInt32 = 1
    static let serviceChangedOperation: UInt32 = 2
    private static let firstOperation: UInt32 = 3

    /// The end of an operation on a link, for its session or for this layer.
    enum Completion {
        case nothing
        case ofSession(OperationCompletion)
        /// The peer's device name was read. Sessions get the name if it is another one than before.
        case nameChanged(String, PeerKey)
    }

    private var count: UInt32 = 0

    /// Queues an operation in the host. One `completed` follows unless the link ends first.
    mutating func submit(
        _ operation: GATTOperation, session: Int, on index: Int, _ context: inout SessionContext, at now: Instant
    ) {
        count = max(count &+ 1, Self.firstOperation)
        context.links[index].operations.append(.init(id: count, session: session, operation: operation))
        context.host.submit(
            operation, id: count, subscriber: session, on: context.links[index].identifier, at: now)
    }

    /// Takes the success of a read of a session if it is the next operation of its link.
    func takeRead(_ done: HostReadCompletion, into octets: inout [UInt8], _ context: inout SessionContext)
        -> ReadCompletion?
    {
        guard let index = context.links.index(of: done.link, role: .central),
            let pending = context.links[index].operations.first, pending.id == done.id,
            case .read(let handle) = pending.operation
        else { return nil }
        swap(&octets, &context.host.output.events.attributes.arena.octets)
        context.host.output.events.removeAll()
        context.links[index].operations.removeFirst()
        return ReadCompletion(
            value: done.value, handle: handle, peer: context.links[index].peerIdentifier, session: pending.session)
    }

    /// Handles the end of an operation, after the events that precede it.
    func complete(
        _ id: UInt32, _ result: consuming Result<GATTResult, GATTError>, on link: LinkIdentifier,
        _ context: inout SessionContext
    ) -> Completion {
        guard let index = context.links.index(of: link, role: .central) else { return .nothing }
        if id == Self.nameOperation { return nameWasRead(index, result, &context) }
        // The host ends this link. Sessions get `disconnected` alone.
        switch result {
        case .failure(.bearerLost), .failure(.notConnected): return .nothing
        default: break
        }
        guard let done = context.links[index].takeOperation(id) else { return .nothing }
        let peer = context.links[index].peerIdentifier
        if case .discoverServices = done.operation, case .success(.services(let services)) = result {
            context.emit(.servicesFound(peer, services.map(\.uuid)))
        }
        return .ofSession(
            OperationCompletion(operation: done.operation, peer: peer, result: result, session: done.session))
    }

    /// Ends the subscriptions and operations of a session that leaves a link. Other sessions may still use the link. A
    /// running operation still ends in `completed`.
    func drop(of session: Int, to peer: PeerKey, _ context: inout SessionContext, at now: Instant) {
        guard let index = context.links.index(to: peer, role: .central) else { return }
        let link = context.links[index].identifier
        for position in context.links[index].operations.indices.reversed()
        where context.links[index].operations[position].session == session
            && context.host.cancelOperation(context.links[index].operations[position].id, on: link, at: now)
        {
            context.links[index].operations.remove(at: position)
        }
        context.host.dropSubscriber(session, on: link, at: now)
    }

    // MARK: Values

    /// Reports a value to its subscribers.
    func received(
        _ value: ReceivedValue, on link: LinkIdentifier, _ context: inout SessionContext, at now: Instant
    ) {
        guard !value.subscribers.isEmpty, let index = context.links.index(of: link, role: .central) else {
            // A client confirms every indication (Vol 3, Part F, 3.4.7.3), even without a subscriber.
            if value.isIndication { context.host.confirmIndication(on: link, at: now) }
            return
        }
        context.emit(.value(context.links[index].peerIdentifier, link, value))
    }

    /// Reports Service Changed to the sessions that use the link (Vol 3, Part G, 7.1). The host confirms the indication
    /// at once if there are none.
    func servicesChanged(
        _ link: LinkIdentifier, _ range: HandleRange, users: ConnectionRequests, _ context: inout SessionContext,
        at now: Instant
    ) {
        guard let index = context.links.index(of: link, role: .central) else {
            return context.host.confirmIndication(on: link, at: now)
        }
        let sessions = users.appendUsers(of: context.links[index].peer, to: &context)
        if sessions.isEmpty {
            context.host.confirmIndication(on: link, at: now)
        } else {
            let peer = context.links[index].peerIdentifier
            context.emit(.servicesChanged(peer, range, indication: link, sessions: sessions))
        }
        readName(index, &context, at: now)
    }

    /// Reads the peer's device name unless a read is already under way.
    func readName(_ index: Int, _ context: inout SessionContext, at now: Instant) {
        guard !context.links[index].isReadingName else { return }
        context.links[index].isReadingName = true
        context.host.readDeviceName(id: Self.nameOperation, on: context.links[index].identifier, at: now)
    }

    private func nameWasRead(
        _ index: Int, _ result: Result<GATTResult, GATTError>, _ context: inout SessionContext
    ) -> Completion {
        context.links[index].isReadingName = false
        guard case .success(.value(let octets)) = result, let name = DeviceName.text(octets) else { return .nothing }
        let peer = context.links[index].peer
        let old = context.record(of: peer).name
        context.setDeviceName(name, of: peer)
        return old == name ? .nothing : .nameChanged(name, peer)
    }
}
