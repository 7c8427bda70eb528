internal import BLEWire
import Foundation

// The results of operations, on the delegate's queue.
extension CBPeripheral {
    func complete(_ operation: GATTOperation, _ result: Result<GATTResult, GATTFailure>) {
        let handle = operation.attribute
        let (link, delegate, attribute) = guarded.withLock { state in
            (state.link, state.delegate, handle.flatMap { state.object(at: $0) })
        }
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
        case .read: completeRead(of: attribute, result, error, delegate)
        case .write:
            switch attribute {
            case let characteristic as CBCharacteristic:
                delegate?.peripheral(self, didWriteValueFor: characteristic, error: error)
            case let descriptor as CBDescriptor:
                delegate?.peripheral(self, didWriteValueFor: descriptor, error: error)
            default: break
            }
        case .setNotify(_, _, let mode):
            guard let characteristic = attribute as? CBCharacteristic else { return }
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
        of attribute: CBAttribute?, _ result: Result<GATTResult, GATTFailure>, _ error: (any Error)?,
        _ delegate: (any CBPeripheralDelegate)?
    ) {
        switch attribute {
        case let characteristic as CBCharacteristic:
            if case .success(.value(let octets)) = result { characteristic.setValue(octets.span) }
            delegate?.peripheral(self, didUpdateValueFor: characteristic, error: error)
        case let descriptor as CBDescriptor:
            if case .success(.value(let octets)) = result { descriptor.setValue(descriptor.typedValue(octets)) }
            delegate?.peripheral(self, didUpdateValueFor: descriptor, error: error)
        default: break
        }
    }

    /// Delivers the value of a read.
    func completeRead(_ value: WaitingValue, handle: UInt16) {
        let (link, delegate, attribute) = guarded.withLock { ($0.link, $0.delegate, $0.object(at: handle)) }
        guard link == .connected || link == .disconnecting else { return }
        switch attribute {
        case let characteristic as CBCharacteristic:
            characteristic.setValue(value)
            delegate?.peripheral(self, didUpdateValueFor: characteristic, error: nil)
        case let descriptor as CBDescriptor:
            descriptor.setValue(descriptor.typedValue(value.octets))
            delegate?.peripheral(self, didUpdateValueFor: descriptor, error: nil)
        default: break
        }
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

extension CBCharacteristic {
    fileprivate func setValue(_ value: WaitingValue) {
        switch value {
        case .data(let data): storage.withLock { $0.value = data }
        case .short(let value): value.withOctets { setValue($0) }
        case .long(let octets): setValue(octets.span)
        }
    }
}

/// A peripheral during consecutive values, which find it and load the weak reference to it once.
/// It cannot be copied, because references to objects with weak references are expensive.
struct HeldPeripheral: ~Copyable {
    private var peripheral: CBPeripheral

    init?(_ peripheral: CBPeripheral?) {
        guard let peripheral else { return nil }
        self.peripheral = peripheral
    }

    borrowing func receive(_ value: Span<UInt8>, handle: UInt16) { peripheral.receive(value, handle: handle) }

    /// Whether the program has released the peripheral.
    mutating func isReleased() -> Bool { isKnownUniquelyReferenced(&peripheral) }
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
