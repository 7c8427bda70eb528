import BLEAttribute
import BLEWire

/// The output of the attribute bearers.
extension HostStack {
    /// Ends a call that concerns the attributes of one link alone: passes on the bearer's output and moves packets to
    /// `outgoing`. The PDUs skip the transmitter's queue while no link waits for room in the controller.
    mutating func transmit(_ connection: Connection, at now: Instant) {
        // Commands of earlier calls precede the data.
        flush(connection, skippingQueue: !commandsChanged)
        pump(at: now)
    }

    /// Sends the PDUs and emits the events of the latest call to the link's bearer.
    ///
    /// - Parameter skippingQueue: Whether the PDUs may go to `outgoing` at once. False if other links may have output in the
    ///   same call: `pump` then shares the controller's buffers among all of them.
    mutating func flush(_ connection: Connection, skippingQueue: Bool = false) {
        if let request = attributeOutput.takeRequest(), !connection.isEnding {
            if skippingQueue {
                transmitter.send(request, on: connection.slot, into: &outgoing)
            } else {
                _ = request.withOctets { transmitter.enqueue($0, channel: .attribute, on: connection.slot) }
            }
        }
        if !attributeOutput.furtherEnds.isEmpty { flushPDUs(of: connection, skippingQueue: skippingQueue) }
        if let done = attributeOutput.takeRead() {
            complete(done, on: connection)
        } else if let done = attributeOutput.takeCompletion() {
            complete(done, on: connection)
        }
        if !attributeOutput.furtherEvents.isEmpty { flushEvents(of: connection) }
        connection.deadlines[.attribute] = connection.bearer.deadline
    }

    private mutating func flushPDUs(of connection: Connection, skippingQueue: Bool) {
        // Moved out of `self`, so that the transmitter can change during the read.
        var octets: [UInt8] = []
        swap(&octets, &attributeOutput.furtherOctets)
        var start = 0
        for index in attributeOutput.furtherEnds.indices where !connection.isEnding {
            let end = attributeOutput.furtherEnds[index]
            let pdu = octets.span.extracting(start..<end)
            start = end
            if skippingQueue {
                _ = transmitter.send(pdu, channel: .attribute, on: connection.slot, into: &outgoing)
            } else {
                _ = transmitter.enqueue(pdu, channel: .attribute, on: connection.slot)
            }
        }
        swap(&octets, &attributeOutput.furtherOctets)
        attributeOutput.removeFurtherPDUs()
    }

    /// Passes the end of an operation on, without the work for events if it is the first one.
    private mutating func complete(_ done: consuming ATTCompletion, on connection: Connection) {
        guard !connection.isSilent else { return emptyUnusedArena() }
        if separatesCompletion, !hasEvents {
            completion = HostCompletion(link: connection.identifier, id: done.id, result: done.result)
        } else {
            events.append(.completed(connection.identifier, id: done.id, done.result))
        }
    }

    /// The same for a read.
    private mutating func complete(_ done: ATTReadCompletion, on connection: Connection) {
        guard !connection.isSilent else { return emptyUnusedArena() }
        if separatesCompletion, !hasEvents {
            read = HostReadCompletion(link: connection.identifier, id: done.id, value: done.value)
        } else {
            let value = attributeOutput.arena.copy(done.value)
            events.append(.completed(connection.identifier, id: done.id, .success(.value(value))))
        }
    }

    private mutating func flushEvents(of connection: Connection) {
        var index = 0
        while index < attributeOutput.furtherEvents.count {
            pass(attributeOutput.furtherEvents.take(at: index), of: connection)
            index += 1
        }
        attributeOutput.furtherEvents.empty()
        emptyUnusedArena()
    }

    /// Empties the arena if no event refers to it. A silent link reports no events.
    private mutating func emptyUnusedArena() {
        if !hasEvents { attributeOutput.arena.removeAll() }
    }

    private mutating func pass(_ event: consuming ATTEvent, of connection: Connection) {
        if connection.isSilent { return }
        let link = connection.identifier
        switch consume event {
        case .mtuChanged(let mtu): events.append(.mtuChanged(link, mtu))
        case .completed(let id, let result): events.append(.completed(link, id: id, result))
        case .securityRequired(let id, let error): events.append(.securityRequired(link, id: id, error))
        case .rssiRequested(let id):
            enqueue(HCI.ReadRSSI(connectionHandle: connection.handle), for: .link(link, .readRSSI(id: id)))
        case .notification(let handle, let value, let isIndication, let subscribers):
            events.append(
                .value(link, handle: handle, value, isIndication: isIndication, subscribers: subscribers))
        case .readRequest(let request, let handle, let offset):
            events.append(.readRequest(link, request: request, handle: handle, offset: offset))
        case .writeRequest(let request, let items, let needsResponse):
            events.append(.writeRequest(link, request: request, items: items, needsResponse: needsResponse))
        case .subscriptionChanged(let handle, let configuration):
            events.append(.subscriptionChanged(link, valueHandle: handle, configuration: configuration))
        case .updatesResumed: if connection.role == .peripheral { events.append(.transmitQueueDrained(link)) }
        case .clientStateChanged(let octets): events.append(.clientStateChanged(link, octets))
        case .attributeCacheChanged(let octets): events.append(.attributeCacheChanged(link, octets))
        case .indicationConfirmed(let handle): events.append(.indicationConfirmed(link, valueHandle: handle))
        case .servicesChanged(let range): events.append(.servicesChanged(link, range))
        case .bearerFailed: report(.attributeBearer, on: connection)
        }
    }

    /// Ends a link whose attribute bearer failed: no further attribute traffic is possible (Vol 3, Part F, 3.3.3).
    @inline(__always)
    mutating func endIfBearerFailed(_ connection: Connection, at now: Instant) {
        guard let failure = connection.bearer.failure else { return }
        end(connection, .host(failure == .timeout ? .attributeTimeout : .attributeViolation), at: now)
    }
}
