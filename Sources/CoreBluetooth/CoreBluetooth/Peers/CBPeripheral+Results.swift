internal import BLEWire
import Foundation

// The results of operations, on the delegate's queue.
extension CBPeripheral {
    func complete(_ operation: GATTOperation, _ result: Result<GATTResult, GATTError>) {
        let handle = operation.attribute
        let (link, delegate, attribute) = guarded.withLock { state in
            (state.link, state.delegate, handle.flatMap { state.object(at: $0) })
        }
        guard link == .connected || link == .disconnecting else { return }
        defer { commandEnded() }
        let error: (any Error)? =
            switch result {
            case .success: nil
            case .failure(let failure): failure.error
            }
        switch operation {
        case .discoverServices:
            let isStale = guarded.withLock { $0.serviceDiscoveries.end() }
            if case .success(.services(let found)) = result {
                // Once for each change. A link that the program ends keeps its last results.
                if isStale, link == .connected { return discover(operation) }
                add(found)
            }
            delegate?.peripheral(self, didDiscoverServices: error)
        case .discoverIncludedServices:
            guard let service = attribute as? CBService else { return }
            if case .success(.services(let found)) = result { add(found, includedIn: service) }
            delegate?.peripheral(self, didDiscoverIncludedServicesFor: service, error: error)
        case .discoverCharacteristics:
            guard let service = attribute as? CBService else { return }
            if case .success(.characteristics(let found)) = result { add(found, to: service) }
            delegate?.peripheral(self, didDiscoverCharacteristicsFor: service, error: error)
        case .discoverDescriptors:
            guard let characteristic = attribute as? CBCharacteristic else { return }
            if case .success(.descriptors(let found)) = result { add(found, to: characteristic) }
            delegate?.peripheral(self, didDiscoverDescriptorsFor: characteristic, error: error)
        case .read:
            var value: WaitingValue?
            if case .success(.value(let octets)) = result { value = .long(octets) }
            attribute?.completeRead(value, error, of: self, delegate)
        case .write: attribute?.completeWrite(error, of: self, delegate)
        case .setNotify(_, _, let mode):
            guard let characteristic = attribute as? CBCharacteristic else { return }
            characteristic.completeSubscription(error == nil ? mode != .off : nil)
            delegate?.peripheral(self, didUpdateNotificationStateFor: characteristic, error: error)
        case .readRSSI:
            // 127: the RSSI cannot be read (Vol 4, Part E, 7.5.4).
            var rssi = NSNumber(value: 127)
            if case .success(.rssi(let value)) = result {
                rssi = NSNumber(value: Int(value))
                guarded.withLock { $0.rssi = rssi }
            }
            delegate?.peripheral(self, didReadRSSI: rssi, error: error)
        }
    }

    /// Delivers the value of a read.
    func completeRead(_ value: WaitingValue, handle: UInt16) {
        let (link, delegate, attribute) = guarded.withLock { ($0.link, $0.delegate, $0.object(at: handle)) }
        guard link == .connected || link == .disconnecting else { return }
        attribute?.completeRead(value, nil, of: self, delegate)
        commandEnded()
    }

    /// Delivers the value of a notification or an indication (Vol 3, Part F, 3.4.7.1 and 3.4.7.2).
    func receive(_ value: Span<UInt8>, handle: UInt16) {
        let (attribute, delegate) = guarded.withLock { ($0.attributes[handle], $0.delegate) }
        guard let characteristic = attribute as? CBCharacteristic else { return }
        characteristic.setValue(value)
        delegate?.peripheral(self, didUpdateValueFor: characteristic, error: nil)
    }

    func becomeReadyForWriteCommands() {
        let isConnected = guarded.withLock { state in
            state.canSendWriteWithoutResponse = state.link == .connected
            return state.canSendWriteWithoutResponse
        }
        if isConnected { delegate?.peripheralIsReady(toSendWriteWithoutResponse: self) }
    }
}

extension CBPeripheral.State {
    /// The discovered object at a handle, also an invalidated one, for results that were pending at the invalidation.
    fileprivate mutating func object(at handle: UInt16) -> CBAttribute? { attributes[handle] ?? retired[handle] }
}

extension GATTOperation {
    /// The handle under which the object of the operation is kept; nil for an operation on the device.
    fileprivate var attribute: UInt16? {
        switch self {
        case .discoverServices, .readRSSI: nil
        case .discoverIncludedServices(let service, _), .discoverCharacteristics(let service, _): service.start
        case .discoverDescriptors(let handle, _), .read(let handle), .write(let handle, _),
            .setNotify(let handle, _, _):
            handle
        }
    }
}
