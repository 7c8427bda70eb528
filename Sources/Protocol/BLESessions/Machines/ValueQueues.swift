import BLEAdapter
import BLEAttribute
import BLEHost
import BLEWire

/// Values that sessions send without an answer: Write Commands to servers, and updates to subscribed clients. A value waits in the backlog of its link
/// while the host has no room.
enum ValueQueues {
    // MARK: Write Commands

    /// Sends Write Commands or queues them. Drops those of a session that is not connected to the peer. `commandsSent` follows in each case,
    /// once for consecutive ones of a session.
    static func write(
        _ batch: borrowing WriteCommandBatch, users: ConnectionRequests, _ context: inout SessionContext,
        at now: Instant
    ) {
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
                if sent > 0 { context.emit(.commandsSent(batch.commands[index - 1].peer, sent)) }
                sent = 0
                link = users.usableLink(command.peer, session: command.session, context)
            }
            let value = batch.octets.span.extracting(start..<command.end)
            if take(value, handle: command.handle, on: link, &context, at: now) { sent += 1 }
            start = command.end
        }
        if sent > 0, let last = batch.commands.last { context.emit(.commandsSent(last.peer, sent)) }
    }

    /// Sends a Write Command, queues it, or drops it without a link. Returns false if it is queued.
    private static func take(
        _ value: Span<UInt8>, handle: UInt16, on link: Int?, _ context: inout SessionContext, at now: Instant
    ) -> Bool {
        guard let link else { return true }
        if context.links[link].backlog.isEmpty {
            do throws(GATTError) {
                let isTaken = try context.host.writeCommandIfRoom(
                    value, handle: handle, on: context.links[link].identifier, at: now)
                if isTaken == false { context.note(.writeCommandDropped) }
                if isTaken != nil { return true }
            } catch {
                context.note(.writeCommandNotSent(error))
                return true
            }
        }
        context.links[link].backlog.append(value, handle: handle)
        return false
    }

    private static func sendCommand(
        _ value: Span<UInt8>, handle: UInt16, on link: LinkIdentifier, _ context: inout SessionContext, at now: Instant
    ) {
        do throws(GATTError) {
            if try !context.host.writeCommand(value, handle: handle, on: link, at: now) {
                context.note(.writeCommandDropped)
            }
        } catch {
            context.note(.writeCommandNotSent(error))
        }
    }

    // MARK: Updates

    /// Sends a value to the subscribed clients among `targets`. `updatesSent` follows for each target.
    static func update(
        _ value: Span<UInt8>, handle: UInt16?, targets: [PeerIdentifier], _ context: inout SessionContext,
        at now: Instant
    ) {
        for peer in targets {
            guard let index = context.links.index(to: peer, role: .peripheral) else { continue }
            guard let handle, context.links[index].subscriptions.contains(handle) else {
                context.emit(.updatesSent(peer, 1))
                continue
            }
            if context.links[index].backlog.isEmpty, context.host.takesValues(on: context.links[index].identifier) {
                sendUpdate(value, handle: handle, to: index, &context, at: now)
            } else {
                context.links[index].backlog.append(value, handle: handle)
            }
        }
    }

    /// Sends a notification, or an indication if the client enabled indications alone (Vol 3, Part G, 3.3.3.3). An
    /// indication keeps its place in the queue until the client confirms it.
    private static func sendUpdate(
        _ value: Span<UInt8>, handle: UInt16, to index: Int, _ context: inout SessionContext, at now: Instant
    ) {
        let link = context.links[index].identifier
        let configuration = context.host.clientConfiguration(ofValueHandle: handle, on: link)
        if configuration & 1 != 0 {
            context.host.notify(value, handle: handle, on: link, at: now)
        } else if configuration & 2 != 0 {
            context.links[index].unconfirmed += 1
            context.host.indicate(value, handle: handle, on: link, at: now)
            return
        }
        context.emit(.updatesSent(context.links[index].peerIdentifier, 1))
    }

    /// Sends the first values of a backlog: notifications that fit one PDU (Vol 3, Part F, 3.4.7.4), or an indication.
    private static func sendUpdates(
        of backlog: inout ValueBacklog, to index: Int, _ context: inout SessionContext, at now: Instant
    ) {
        let link = context.links[index].identifier
        var values: [AttributeValue] = []
        // ATT_MTU - 1.
        var room = context.links[index].maximumUpdateLength + 2
        var isIndication = false
        while !backlog.isEmpty, !isIndication, values.isEmpty || 4 + backlog.firstCount <= room {
            backlog.takeFirst { handle, value in
                if context.host.clientConfiguration(ofValueHandle: handle, on: link) & 1 != 0 {
                    room -= 4 + value.count
                    values.append(AttributeValue(handle: handle, value: [UInt8](value)))
                } else {
                    isIndication = true
                    notify(values, to: index, &context, at: now)
                    values = []
                    sendUpdate(value, handle: handle, to: index, &context, at: now)
                }
            }
        }
        notify(values, to: index, &context, at: now)
    }

    private static func notify(
        _ values: [AttributeValue], to index: Int, _ context: inout SessionContext, at now: Instant
    ) {
        guard !values.isEmpty else { return }
        context.host.notify(values, on: context.links[index].identifier, at: now)
        context.emit(.updatesSent(context.links[index].peerIdentifier, values.count))
    }

    static func indicationConfirmed(_ link: LinkIdentifier, handle: UInt16, _ context: inout SessionContext) {
        // Indications of Service Changed are the host's own.
        // A client has one unconfirmed indication at a time (Vol 3, Part F, 3.3.2), so confirmations come in order.
        guard handle != context.host.database.serviceChangedHandle,
            let index = context.links.index(of: link, role: .peripheral), context.links[index].unconfirmed > 0
        else { return }
        context.links[index].unconfirmed -= 1
        context.emit(.updatesSent(context.links[index].peerIdentifier, 1))
    }

    // MARK: Room in the host

    /// Sends the values that waited for room in the host: Write Commands as central, updates as peripheral.
    static func drained(_ link: LinkIdentifier, _ context: inout SessionContext, at now: Instant) {
        guard let index = context.links.index(of: link) else { return }
        var sent = 0
        var backlog = ValueBacklog()
        let takesSeveral = context.links[index].role == .peripheral && context.host.takesSeveralValues(on: link)
        while !context.links[index].backlog.isEmpty, context.host.takesValues(on: link) {
            swap(&backlog, &context.links[index].backlog)
            if takesSeveral {
                sendUpdates(of: &backlog, to: index, &context, at: now)
                swap(&backlog, &context.links[index].backlog)
                continue
            }
            backlog.takeFirst { handle, value in
                if context.links[index].role == .central {
                    sendCommand(value, handle: handle, on: link, &context, at: now)
                    sent += 1
                } else {
                    sendUpdate(value, handle: handle, to: index, &context, at: now)
                }
            }
            swap(&backlog, &context.links[index].backlog)
        }
        if sent > 0 { context.emit(.commandsSent(context.links[index].peerIdentifier, sent)) }
    }
}
