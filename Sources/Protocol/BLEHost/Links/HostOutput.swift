import BLEAttribute
import BLELink
import BLEWire

/// What the machines of a host write: commands and data for the controller, and events for the driver.
package struct HostOutput {
    /// Whole H4 packets for the controller, in order. The driver sends them and empties the array.
    package var packets: [UInt8] = []
    var commands: CommandPump
    var data: DataPath
    package var events = EventQueue()

    init(configuration: HostConfiguration) {
        commands = CommandPump(timeout: configuration.commandTimeout)
        data = DataPath(
            transmitter: ACLTransmitter(
                fullMark: configuration.transmitQueueOctets, limit: configuration.transmitQueueLimit))
    }

    /// Removes what belongs to a controller that is lost, apart from packets that are already written.
    mutating func reset() {
        commands.reset()
        data.reset()
        events.controllerRestarts()
    }

    // MARK: Packets

    /// Moves packets of a call that concerns data alone to `packets`.
    @inline(__always)
    mutating func pump(_ connections: ConnectionTable, at now: Instant) {
        if commands.hasChanged { commands.pump(into: &packets, at: now) }
        // After most packets nothing waits.
        if data.isQuiet { data.moved() } else { pumpWaiting(connections, at: now) }
    }

    private mutating func pumpWaiting(_ connections: ConnectionTable, at now: Instant) {
        if data.channelLinks > 0 {
            for connection in connections where connection.usesChannels {
                connection.closeFailedBearers(at: now, &self)
            }
        }
        data.pump(connections, into: &packets, at: now)
        if data.channelLinks > 0 {
            for connection in connections where connection.usesChannels { connection.flushChannels(&self) }
        }
        data.watchCompletions(at: now)
        guard !data.transmitter.drained.isEmpty else { return }
        for index in data.transmitter.drained.indices {
            let slot = data.transmitter.drained[index]
            if let connection = connections.first(where: { $0.slot == slot }), !connection.isSilent {
                events.append(.transmitQueueDrained(connection.identifier))
            }
        }
        data.transmitter.drained.empty()
    }

    /// Sends an attribute PDU of an opcode, a handle and a value that needs no answer, without the bearer's output. Returns false if it was
    /// dropped because the link's queue is at its limit, and nil, without effect, if the bearer has to refuse it, or if it may leave at once
    /// in fragments.
    mutating func send(
        _ opcode: ATT.Opcode, handle: UInt16, _ value: Span<UInt8>, on connection: Connection,
        among connections: ConnectionTable, at now: Instant
    ) -> Bool? {
        guard connection.bearer.canSend(value.count) else { return nil }
        // Commands of earlier calls precede the data.
        if !commands.hasChanged,
            data.transmitter.send(
                opcode: opcode, handle: handle, value, on: connection.slot, into: &packets)
        {
            return true
        }
        if data.transmitter.hasRoom, data.transmitter.queuedOctets(connection.slot) == 0 { return nil }
        let isTaken = data.transmitter.enqueue(opcode: opcode, handle: handle, value, on: connection.slot)
        // While the controller has no room, nothing else can leave because of this data.
        if data.transmitter.hasRoom || commands.hasChanged {
            pump(connections, at: now)
        } else {
            data.watchCompletions(at: now)
        }
        return isTaken
    }

    // MARK: The output of the attribute bearers

    /// Ends a call that concerns the attributes of one link alone: passes on the bearer's output and moves packets to
    /// `packets`. The PDUs skip the transmitter's queue while no link waits for room in the controller.
    mutating func transmit(_ connection: Connection, among connections: ConnectionTable, at now: Instant) {
        // Commands of earlier calls precede the data.
        flush(connection, skippingQueue: !commands.hasChanged)
        pump(connections, at: now)
    }

    /// Sends the PDUs and emits the events of the latest call to the link's bearer.
    ///
    /// - Parameter skippingQueue: Whether the PDUs may go to `packets` at once. False if other links may have output in the
    ///   same call: `pump` then shares the controller's buffers among all of them.
    mutating func flush(_ connection: Connection, skippingQueue: Bool = false) {
        if let request = events.attributes.takeRequest(), !connection.isEnding {
            if skippingQueue {
                data.transmitter.send(request, on: connection.slot, into: &packets)
            } else {
                _ = request.withOctets { data.transmitter.enqueue($0, channel: .attribute, on: connection.slot) }
            }
        }
        if !events.attributes.enhancedPDUs.isEmpty { flushEnhancedPDUs(of: connection) }
        if !events.attributes.furtherEnds.isEmpty { flushPDUs(of: connection, skippingQueue: skippingQueue) }
        if let done = events.attributes.takeRead() {
            events.complete(done, on: connection)
        } else if let done = events.attributes.takeCompletion() {
            events.complete(done, on: connection)
        }
        if !events.attributes.furtherEvents.isEmpty { flushEvents(of: connection) }
        connection.deadlines[.attribute] = connection.bearer.deadline
    }

    private mutating func flushPDUs(of connection: Connection, skippingQueue: Bool) {
        // Moved out of `self`, so that the transmitter can change during the read.
        var octets: [UInt8] = []
        swap(&octets, &events.attributes.furtherOctets)
        var start = 0
        for index in events.attributes.furtherEnds.indices where !connection.isEnding {
            let end = events.attributes.furtherEnds[index]
            let pdu = octets.span.extracting(start..<end)
            start = end
            if skippingQueue {
                _ = data.transmitter.send(pdu, channel: .attribute, on: connection.slot, into: &packets)
            } else {
                _ = data.transmitter.enqueue(pdu, channel: .attribute, on: connection.slot)
            }
        }
        swap(&octets, &events.attributes.furtherOctets)
        events.attributes.removeFurtherPDUs()
    }

    /// Passes PDUs to the channels of their bearers. A peer that sends requests without credits for the responses loses the bearer.
    private mutating func flushEnhancedPDUs(of connection: Connection) {
        var start = 0
        for pdu in events.attributes.enhancedPDUs where !connection.isEnding {
            let octets = events.attributes.enhancedOctets.span.extracting(start..<pdu.end)
            start = pdu.end
            if connection.channels.send(octets, on: pdu.bearer) == .full { connection.enhanced.fail(pdu.bearer) }
        }
        events.attributes.removeEnhancedPDUs()
    }

    private mutating func flushEvents(of connection: Connection) {
        var index = 0
        while index < events.attributes.furtherEvents.count {
            pass(events.attributes.furtherEvents.take(at: index), of: connection)
            index += 1
        }
        events.attributes.furtherEvents.empty()
    }

    private mutating func pass(_ event: consuming ATTEvent, of connection: Connection) {
        if connection.isSilent { return }
        let link = connection.identifier
        switch consume event {
        case .mtuChanged(let mtu): events.append(.mtuChanged(link, mtu))
        case .completed(let id, let result): events.append(.completed(link, id: id, result))
        case .securityRequired(let id, let error): events.append(.securityRequired(link, id: id, error))
        case .rssiRequested(let id):
            commands.enqueue(HCI.ReadRSSI(connectionHandle: connection.handle), for: .link(link, .readRSSI(id: id)))
        case .value(let value): events.append(.value(link, value))
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
        case .bearerFailed: events.report(.attributeBearer, on: connection)
        case .enhancedBearerFailed(let number, _):
            events.report(.attributeBearer, on: connection)
            connection.enhanced.fail(number)
        case .enhancedBearersSupported(let now):
            connection.enhanced.supported()
            connection.deadlines[.bearers] = now
        }
    }
}
