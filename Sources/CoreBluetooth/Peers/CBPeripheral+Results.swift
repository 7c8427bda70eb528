internal import BLEWire
import Foundation

// The results of operations, on the delegate's queue.
extension CBPeripheral {
    func complete(_ operation: GATTOperation, _ result: Result<GATTResult, GATTFailure>) {
        let (link, delegate) = guarded.withLock { ($0.link, $0.delegate) }
        guard link == .connected || link == .disconnecting else { return }
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
        case .discoverIncludedServices(let range, _):
            guard let service = service(at: range) else { return }
            if case .success(.services(let found)) = result { add(found, includedIn: service) }
            delegate?.peripheral(self, didDiscoverIncludedServicesFor: service, error: error)
        case .discoverCharacteristics(let range, _):
            guard let service = service(at: range) else { return }
            if case .success(.characteristics(let found)) = result { add(found, to: service) }
            delegate?.peripheral(self, didDiscoverCharacteristicsFor: service, error: error)
        case .discoverDescriptors(let handle, _):
            guard let characteristic = attribute(at: handle) as? CBCharacteristic else { return }
            if case .success(.descriptors(let found)) = result { add(found, to: characteristic) }
            delegate?.peripheral(self, didDiscoverDescriptorsFor: characteristic, error: error)
        case .read(let handle): completeRead(handle, result, error, delegate)
        case .write(let handle, _):
            switch attribute(at: handle) {
            case let characteristic as CBCharacteristic:
                delegate?.peripheral(self, didWriteValueFor: characteristic, error: error)
            case let descriptor as CBDescriptor:
                delegate?.peripheral(self, didWriteValueFor: descriptor, error: error)
            default: break
            }
        case .setNotify(let handle, _, let mode):
            guard let characteristic = attribute(at: handle) as? CBCharacteristic else { return }
            if error == nil { characteristic.storage.withLock { $0.isNotifying = mode != .off } }
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

    private func completeRead(
        _ handle: UInt16, _ result: Result<GATTResult, GATTFailure>, _ error: (any Error)?,
        _ delegate: (any CBPeripheralDelegate)?
    ) {
        switch attribute(at: handle) {
        case let characteristic as CBCharacteristic:
            if case .success(.value(let octets)) = result {
                characteristic.storage.withLock { $0.value = Data(octets) }
            }
            delegate?.peripheral(self, didUpdateValueFor: characteristic, error: error)
        case let descriptor as CBDescriptor:
            if case .success(.value(let octets)) = result { descriptor.setValue(descriptor.typedValue(octets)) }
            delegate?.peripheral(self, didUpdateValueFor: descriptor, error: error)
        default: break
        }
    }

    /// Delivers the value of a notification or an indication (Vol 3, Part F, 3.4.7.1 and 3.4.7.2).
    func receive(_ data: Data, handle: UInt16) {
        let (attribute, delegate) = guarded.withLock { ($0.attributes[handle], $0.delegate) }
        guard let characteristic = attribute as? CBCharacteristic else { return }
        characteristic.storage.withLock { $0.value = data }
        delegate?.peripheral(self, didUpdateValueFor: characteristic, error: nil)
    }

    func becomeReadyForWriteCommands() {
        let isConnected = guarded.withLock { state in
            state.canSendWriteWithoutResponse = state.link == .connected
            return state.canSendWriteWithoutResponse
        }
        if isConnected { delegate?.peripheralIsReady(toSendWriteWithoutResponse: self) }
    }

    /// The object at a handle. Includes invalidated objects, for results that were pending at the invalidation.
    private func attribute(at handle: UInt16) -> CBAttribute? {
        guarded.withLock { $0.attributes[handle] ?? $0.retired[handle] }
    }

    private func service(at range: HandleRange) -> CBService? {
        attribute(at: range.start) as? CBService
    }
}
