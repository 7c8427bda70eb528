import BLEAttribute
import BLEWire

/// What the bearers bring.
extension HostStack {
    /// Sends the PDUs and passes on the events that a call of the link's bearer brought.
    mutating func flush(_ connection: Connection) {
        if !attributeOutput.isEmpty {
            // Taken out of `self`, so that the transmitter can change while it reads them.
            var octets: [UInt8] = []
            swap(&octets, &attributeOutput.pduOctets)
            for index in attributeOutput.pdus.indices where !connection.isEnding {
                let pdu = octets.span.extracting(attributeOutput.pdus[index])
                _ = transmitter.enqueue(pdu, channel: .attribute, on: connection.slot)
            }
            swap(&octets, &attributeOutput.pduOctets)
            for index in attributeOutput.events.indices { pass(attributeOutput.events[index], of: connection) }
            attributeOutput.removePDUsAndEvents()
            // No event refers to what a link stored of which no events are reported.
            if events.isEmpty { attributeOutput.arena.removeAll() }
        }
        connection.deadlines[.attribute] = connection.bearer.deadline
    }

    private mutating func pass(_ event: ATTEvent, of connection: Connection) {
        if connection.isSilent { return }
        let link = connection.identifier
        switch event {
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
        case .indicationConfirmed(let handle): events.append(.indicationConfirmed(link, valueHandle: handle))
        case .servicesChanged(let range): events.append(.servicesChanged(link, range))
        case .bearerFailed: report(.attributeBearer, on: connection)
        }
    }

    /// A link without its attribute bearer is of no use (Vol 3, Part F, 3.3.3).
    mutating func endIfBearerFailed(_ connection: Connection, at now: Instant) {
        guard let failure = connection.bearer.failure else { return }
        end(connection, .host(failure == .timeout ? .attributeTimeout : .attributeViolation), at: now)
    }
}
