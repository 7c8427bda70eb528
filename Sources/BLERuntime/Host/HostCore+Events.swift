import BLEAdapter
import BLEHost
import BLEWire

extension HostCore {
    func handle(_ event: HostEvent, _ batch: borrowing EventBatch) {
        switch event {
        case .stateChanged(let state): hostStateChanged(state)
        case .advertisingReport(let report):
            received(report, batch.bytes.span.extracting(report.data))
        case .advertisingChanged(_, let error): advertisingChanged(error)
        case .scanningFailed(let error):
            log.warning("The controller refuses to scan: error \(error.rawValue).")
        case .connected(let link, .central, let address, _): linkIsUp(link, to: address)
        case .connected(let link, .peripheral, let address, _): clientConnected(link, from: address)
        case .connectionFailed(let address, let error): attemptFailed(address, error)
        case .disconnected(let link, let cause):
            linkEnded(link, cause)
            clientDisconnected(link)
        case .mtuChanged(let link, let mtu): mtuChanged(link, Int(mtu))
        case .completed(let link, let id, let result): operationCompleted(link, id, result)
        case .securityRequired(let link, _, _): host.resumeOperation(repeating: false, on: link, at: now)
        case .value(let link, let handle, let range, let isIndication, let subscribers):
            let value = batch.bytes.span.extracting(range)
            if isIndication {
                indicated(value, handle: handle, on: link, subscribers: batch.subscribers, subscribers)
            } else {
                received(value, handle: handle, on: link, subscribers: batch.subscribers, subscribers)
            }
        case .readRequest(let link, let request, let handle, let offset):
            readRequested(link, request, handle: handle, offset: offset)
        case .writeRequest(let link, let request, let items, let needsResponse):
            writeRequested(link, request, items, batch, needsResponse: needsResponse)
        case .subscriptionChanged(let link, let handle, let configuration):
            subscriptionChanged(link, handle: handle, configuration)
        case .indicationConfirmed(let link, _): indicationConfirmed(link)
        case .servicesChanged(let link, let range): servicesChanged(link, range)
        case .channel(let link, let event): handle(event, of: link, batch)
        case .transmitQueueDrained(let link): queueDrained(link)
        case .controllerError(let opcode, let error):
            log.debug("The controller refused command \(opcode.rawValue): error \(error.rawValue).")
        case .protocolViolation(_, let violation):
            log.debug("Dropped or refused, as the specification says: \(violation).")
        case .parametersChanged, .parametersRefused, .phyChanged, .dataLengthChanged: break
        }
    }

    /// Tells every session of a change of the adapter's state.
    func setState(_ new: AdapterState) {
        guard new != state else { return }
        state = new
        for slot in centrals where slot.isOpen { slot.observer?.adapterStateChanged(new) }
        for slot in peripherals where slot.isOpen { slot.observer?.adapterStateChanged(new) }
    }

    func centralObserver(_ session: Int) -> (any CentralObserver)? {
        // By index: to copy a weak reference is expensive.
        for index in centrals.indices where centrals[index].number == session { return centrals[index].observer }
        return nil
    }

    func peripheralObserver(_ session: Int) -> (any PeripheralObserver)? {
        for index in peripherals.indices where peripherals[index].number == session {
            return peripherals[index].observer
        }
        return nil
    }
}
