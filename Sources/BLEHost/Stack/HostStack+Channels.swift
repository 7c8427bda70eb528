import BLEAttribute
import BLELink
import BLEWire

extension HostStack {
    /// Takes one ACL fragment of a link.
    mutating func receive(_ fragment: Span<UInt8>, isContinuation: Bool, on connection: Connection, at now: Instant) {
        let outcome = connection.reassembler.receive(isContinuation: isContinuation, fragment)
        if let fault = outcome.fault { report(.fragment(ProtocolViolation.FragmentFault(fault)), on: connection) }
        switch outcome.progress {
        case .incomplete: break
        case .whole: route(fragment, on: connection, at: now)
        case .assembled:
            var frame: [UInt8] = []
            swap(&frame, &connection.reassembler.buffer)
            route(frame.span, on: connection, at: now)
            // Given back before it is emptied: shared with this function, it would be copied.
            swap(&frame, &connection.reassembler.buffer)
            connection.reassembler.finish()
        }
    }

    private mutating func route(_ bytes: Span<UInt8>, on connection: Connection, at now: Instant) {
        guard let frame = try? L2CAP.Frame(decoding: bytes) else { return }
        switch frame.channel {
        case .attribute:
            connection.bearer.receive(frame.payload, database: &database, at: now, output: &attributeOutput)
            flush(connection)
            endIfBearerFailed(connection, at: now)
        case .signalling: receiveSignal(frame.payload, on: connection, at: now)
        case .securityManager: refusePairing(frame.payload, on: connection)
        default:
            if !connection.channels.receive(frame.payload, on: frame.channel, at: now) {
                report(.unknownChannel(frame.channel.rawValue), on: connection)
            }
        }
    }

    /// A link without its attribute bearer is of no use (Vol 3, Part F, 3.3.3).
    mutating func endIfBearerFailed(_ connection: Connection, at now: Instant) {
        guard let failure = connection.bearer.failure else { return }
        end(connection, .host(failure == .timeout ? .attributeTimeout : .attributeViolation), at: now)
    }

    private mutating func receiveSignal(_ payload: Span<UInt8>, on connection: Connection, at now: Instant) {
        if receiveChannelSignal(payload, on: connection, at: now) { return }
        let action = connection.signalling.receive(payload, output: &signalOutput)
        switch action {
        case .none, .send: break
        case .parameterUpdateRequested(let identifier, let request):
            let wish = ConnectionParameterWish(
                intervalMinimum: request.intervalMinimum, intervalMaximum: request.intervalMaximum,
                latency: request.latency, timeout: request.timeout)
            let accepted = ParameterPolicy.accepts(wish)
            connection.signalling.respond(identifier: identifier, accepted: accepted, output: &signalOutput)
            if accepted { update(connection, wish, isOurs: false) }
        case .parameterUpdateAnswered(let accepted):
            // If accepted, the central's update is to follow.
            if !accepted { refuseParameters(connection) }
        case .parameterUpdateTimedOut: refuseParameters(connection)
        case .ignored, .refused: report(.signalling, on: connection)
        }
        connection.deadlines[.signalling] = connection.signalling.deadline
        sendSignal(on: connection)
    }

    /// Sends what a signalling channel has put into `signalOutput`.
    mutating func sendSignal(on connection: Connection) {
        connection.deadlines[.signalling] = connection.signalling.deadline
        guard !signalOutput.isEmpty else { return }
        var packet: [UInt8] = []
        swap(&packet, &signalOutput)
        if !connection.isEnding {
            _ = transmitter.enqueue(packet.span, channel: .signalling, on: connection.slot)
        }
        packet.empty()
        swap(&packet, &signalOutput)
    }

    /// Without a security manager every request to pair ends in Pairing Failed, Pairing Not Supported
    /// (Vol 3, Part H, 3.5.5).
    private mutating func refusePairing(_ payload: Span<UInt8>, on connection: Connection) {
        guard !payload.isEmpty, payload[0] == 0x01 || payload[0] == 0x0B else { return }
        let failed: [2 of UInt8] = [0x05, 0x05]
        _ = transmitter.enqueue(failed.span, channel: .securityManager, on: connection.slot)
    }

    /// Acts on what a bearer has put into `attributeOutput`.
    mutating func flush(_ connection: Connection) {
        guard !attributeOutput.isEmpty else {
            connection.deadlines[.attribute] = connection.bearer.deadline
            return
        }
        // Taken out of `self`, so that its octets can be lent while the rest of `self` changes.
        var output = ATTOutput()
        swap(&output, &attributeOutput)
        for index in output.pdus.indices where !connection.isEnding {
            let pdu = output.bytes.span.extracting(output.pdus[index])
            _ = transmitter.enqueue(pdu, channel: .attribute, on: connection.slot)
        }
        if !connection.isSilent {
            for index in output.events.indices { tell(output.events[index], output, on: connection) }
        }
        output.removeAll()
        swap(&output, &attributeOutput)
        connection.deadlines[.attribute] = connection.bearer.deadline
    }

    private mutating func tell(_ event: ATTEvent, _ output: borrowing ATTOutput, on connection: Connection) {
        let link = connection.identifier
        switch event {
        case .mtuChanged(let mtu): events.append(.mtuChanged(link, mtu))
        case .completed(let id, let result): events.append(.completed(link, id: id, result))
        case .notification(let handle, let value, let isIndication, let subscribers):
            let first = eventSubscribers.count
            for index in subscribers { eventSubscribers.append(output.subscribers[index]) }
            events.append(
                .value(
                    link, handle: handle, keep(value, of: output), isIndication: isIndication,
                    subscribers: first..<eventSubscribers.count))
        case .rssiRequested(let id):
            enqueue(HCI.ReadRSSI(connectionHandle: connection.handle), for: .link(link, .readRSSI(id: id)))
        case .readRequest(let request, let handle, let offset):
            events.append(.readRequest(link, request: request, handle: handle, offset: offset))
        case .writeRequest(let request, let items, let needsResponse):
            let start = eventItems.count
            for index in items {
                var item = output.writeItems[index]
                item.value = keep(item.value, of: output)
                eventItems.append(item)
            }
            events.append(
                .writeRequest(
                    link, request: request, items: start..<eventItems.count, needsResponse: needsResponse))
        case .subscriptionChanged(let handle, let configuration):
            events.append(.subscriptionChanged(link, valueHandle: handle, configuration: configuration))
        case .indicationConfirmed(let handle): events.append(.indicationConfirmed(link, valueHandle: handle))
        case .servicesChanged(let range): events.append(.servicesChanged(link, range))
        case .bearerFailed: report(.attributeBearer, on: connection)
        }
    }

    /// Copies octets of the bearer's output to those of the events.
    private mutating func keep(_ range: Range<Int>, of output: borrowing ATTOutput) -> Range<Int> {
        let start = eventBytes.count
        eventBytes.append(contentsOf: output.bytes[range])
        return start..<eventBytes.count
    }
}

extension ProtocolViolation.FragmentFault {
    init(_ fault: ACLReassembler.Fault) {
        switch fault {
        case .missingStart: self = .missingStart
        case .tooLong: self = .tooLong
        case .aboveLimit: self = .aboveLimit
        case .unfinished: self = .unfinished
        }
    }
}
