import BLEAdapter
import BLEHost
import BLEWire

extension HostSessions {
    mutating func handle(_ event: consuming HostEvent, _ batch: borrowing HostBatch, at now: Instant) {
        switch consume event {
        case .stateChanged(let state): hostStateChanged(state, at: now)
        case .advertisingReport(let report):
            received(report, batch.bytes.span.extracting(report.data), at: now)
        case .advertisingChanged(_, let error): advertisingChanged(error, at: now)
        case .scanningFailed(let error): note(.scanningRefused(error))
        case .connected(let link, .central, let address, _): linkIsUp(link, to: address, at: now)
        case .connected(let link, .peripheral, let address, _): clientConnected(link, from: address)
        case .connectionFailed(let address, let error): attemptFailed(address, error, at: now)
        case .disconnected(let link, let cause): linkEnded(link, cause, at: now)
        case .mtuChanged(let link, let mtu): mtuChanged(link, Int(mtu), at: now)
        case .completed(let link, let id, let result): operationCompleted(link, id, result)
        case .securityRequired(let link, _, let error): securityRequired(link, error, at: now)
        case .pairing(let link, let event): handle(event, of: link, at: now)
        case .value(let link, let handle, let range, let isIndication, let subscribers):
            received(
                range, handle: handle, on: link, isIndication: isIndication, batch.subscribers[subscribers], at: now)
        case .readRequest(let link, let request, let handle, let offset):
            readRequested(link, request, handle: handle, offset: offset, at: now)
        case .writeRequest(let link, let request, let items, let needsResponse):
            writeRequested(link, request, items, batch, needsResponse: needsResponse, at: now)
        case .subscriptionChanged(let link, let handle, let configuration):
            subscriptionChanged(link, handle: handle, configuration)
        case .indicationConfirmed(let link, let handle): indicationConfirmed(link, handle: handle)
        case .clientStateChanged(let link, let octets): keep(octets, as: .clientState, of: link)
        case .attributeCacheChanged(let link, let octets): keep(octets, as: .attributeCache, of: link)
        case .servicesChanged(let link, let range): servicesChanged(link, range, at: now)
        case .channel(let link, let event): handle(event, of: link, at: now)
        case .transmitQueueDrained(let link): queueDrained(link, at: now)
        case .controllerError(let opcode, let error): note(.commandRefused(opcode, error))
        case .protocolViolation(_, let violation): note(.protocolViolation(violation))
        case .parametersChanged, .parametersRefused, .phyChanged, .dataLengthChanged: break
        }
    }
}
