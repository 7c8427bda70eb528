import BLEValues
import CoreBluetooth
import DeviceScripts
import Foundation

extension Explorer: CBPeripheralDelegate {
    // MARK: Discovery

    package func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        guard let index = index(of: peripheral) else { return }
        let method = "peripheral(_:didDiscoverServices:)"
        if let error {
            failure("discovery-failed", [:], "The discovery failed", error, swift: method, peripheral.identifier)
            return endDiscovery(index)
        }
        let services = devices[index].setServices(peripheral.services ?? [])
        callback(
            "services", ["count": "\(services.count)"], "The device has \(services.count) services", swift: method,
            peripheral.identifier)
        for service in services {
            devices[index].discoveries += 1
            let name = service.uuid.description
            call(
                "discover-characteristics", ["name": name], "Discover the characteristics of \(name)",
                swift: "peripheral.discoverCharacteristics(nil, for: service)", peripheral.identifier)
            peripheral.discoverCharacteristics(nil, for: service)
        }
        endDiscovery(index)
    }

    package func peripheral(
        _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
    ) {
        guard let index = index(of: peripheral) else { return }
        let method = "peripheral(_:didDiscoverCharacteristicsFor:error:)"
        if let error {
            failure("discovery-failed", [:], "The discovery failed", error, swift: method, peripheral.identifier)
            return endDiscovery(index)
        }
        let name = service.uuid.description
        let characteristics = devices[index].setCharacteristics(of: service)
        callback(
            "characteristics", ["name": name, "count": "\(characteristics.count)"],
            "\(name) has \(characteristics.count) characteristics", swift: method, peripheral.identifier)
        for characteristic in characteristics {
            devices[index].discoveries += 1
            call(
                "discover-descriptors", ["name": characteristic.uuid.description],
                "Discover the descriptors of \(characteristic.uuid.description)",
                swift: "peripheral.discoverDescriptors(for: characteristic)", peripheral.identifier)
            peripheral.discoverDescriptors(for: characteristic)
        }
        endDiscovery(index)
    }

    package func peripheral(
        _ peripheral: CBPeripheral, didDiscoverDescriptorsFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        guard let index = index(of: peripheral) else { return }
        let method = "peripheral(_:didDiscoverDescriptorsFor:error:)"
        if let error {
            failure("discovery-failed", [:], "The discovery failed", error, swift: method, peripheral.identifier)
            return endDiscovery(index)
        }
        let name = characteristic.uuid.description
        let descriptors = devices[index].setDescriptors(of: characteristic)
        callback(
            "descriptors", ["name": name, "count": "\(descriptors.count)"],
            "\(name) has \(descriptors.count) descriptors", swift: method, peripheral.identifier)
        // The description and the format belong to the characteristic.
        for descriptor in descriptors
        where [DescriptorNode.userDescription, DescriptorNode.presentationFormat].contains(descriptor.uuid.shortValue) {
            devices[index].discoveries += 1
            call(
                "read", ["name": descriptor.uuid.description], "Read \(descriptor.uuid.description)",
                swift: "peripheral.readValue(for: descriptor)", peripheral.identifier)
            peripheral.readValue(for: descriptor)
        }
        endDiscovery(index)
    }

    /// Counts a completed step of the discovery.
    private func endDiscovery(_ index: Int) {
        guard devices[index].discoveries > 0 else { return }
        devices[index].discoveries -= 1
        guard devices[index].discoveries == 0 else { return touch() }
        devices[index].recording.add(.action(.discover))
        note("discovery-complete", [:], "The discovery is complete", devices[index].identifier)
    }

    package func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService]) {
        guard let index = index(of: peripheral) else { return }
        callback(
            "services-changed", [:], "The device changed its services", swift: "peripheral(_:didModifyServices:)",
            peripheral.identifier)
        devices[index].clearTree()
        discover(index)
    }

    // MARK: Values

    package func peripheral(
        _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        guard let index = index(of: peripheral) else { return }
        let method = "peripheral(_:didUpdateValueFor:error:)"
        let name = characteristic.uuid.description
        let path = devices[index].path(characteristic)
        let wasRead =
            devices[index].modify(characteristic) { node in
                defer { node.pendingReads = max(0, node.pendingReads - 1) }
                return node.pendingReads > 0
            } ?? false
        if let error {
            devices[index].modify(characteristic) { $0.error = Self.sentence(error) }
            if Self.isRefusal(error) {
                devices[index].recording.add(
                    .action(.read(characteristic: path, ValueExpectation(), isRefused: true)))
            }
            return failure(
                "read-failed", ["name": name], "The read of \(name) failed", error, swift: method,
                peripheral.identifier)
        }
        let octets = Array((characteristic.value ?? Data()).prefix(512))
        let time = clock()
        let shown =
            devices[index].modify(characteristic) { node in
                node.add(octets, wasRead ? .read : .notification, at: time)
                return ShownText.name(node.text(octets))
            } ?? ""
        devices[index].recording.add(
            wasRead
                ? .read(characteristic: path, octets: octets, format: nil, shown: shown)
                : .notification(characteristic: path, shown: shown))
        callback(
            wasRead ? "value" : "notification", ["name": name, "value": shown], "\(name): \(shown)", swift: method,
            peripheral.identifier)
    }

    /// Whether the device answered with an error, as opposed to a link that ended.
    private static func isRefusal(_ error: any Error) -> Bool { error is CBATTError }

    package func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor descriptor: CBDescriptor, error: (any Error)?)
    {
        guard let index = index(of: peripheral) else { return }
        let method = "peripheral(_:didUpdateValueFor:error:)"
        let name = descriptor.uuid.description
        let isPart = [DescriptorNode.userDescription, DescriptorNode.presentationFormat]
            .contains(descriptor.uuid.shortValue)
        defer { if isPart { endDiscovery(index) } }
        if let error {
            devices[index].modify(descriptor) { $0.error = Self.sentence(error) }
            return failure(
                "read-failed", ["name": name], "The read of \(name) failed", error, swift: method,
                peripheral.identifier)
        }
        let octets = Array(descriptor.octets.prefix(512))
        let time = clock()
        devices[index].modify(descriptor) { node in
            node.value = ObservedOctets(octets: octets, time: time, source: .read)
            node.error = nil
        }
        if let characteristic = descriptor.characteristic {
            devices[index].modify(characteristic) { node in
                if descriptor.uuid.shortValue == DescriptorNode.userDescription, let text = descriptor.value as? String,
                    !text.isEmpty
                {
                    node.label = ShownText.name(text)
                }
                if descriptor.uuid.shortValue == DescriptorNode.presentationFormat {
                    node.presentation = PresentationFormat(octets)
                }
            }
        }
        let shown = ShownText.name(FittingText.text(octets, nil))
        callback("value", ["name": name, "value": shown], "\(name): \(shown)", swift: method, peripheral.identifier)
    }

    package func peripheral(
        _ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        guard let index = index(of: peripheral) else { return }
        let method = "peripheral(_:didWriteValueFor:error:)"
        let name = characteristic.uuid.description
        let path = devices[index].path(characteristic)
        let written = devices[index].modify(characteristic) { node -> [UInt8]? in
            node.error = error.map(Self.sentence)
            return node.pendingWrites.isEmpty ? nil : node.pendingWrites.removeFirst()
        }
        if let error {
            if let octets = written ?? nil, Self.isRefusal(error) {
                devices[index].recording.add(
                    .action(.write(characteristic: path, ScriptValue(octets), response: true, isRefused: true)))
            }
            return failure(
                "write-failed", ["name": name], "The write of \(name) failed", error, swift: method,
                peripheral.identifier)
        }
        if let octets = written ?? nil {
            devices[index].recording.add(.write(characteristic: path, octets: octets, response: true))
        }
        callback("written", ["name": name], "\(name) was written", swift: method, peripheral.identifier)
    }

    package func peripheral(
        _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic,
        error: (any Error)?
    ) {
        guard let index = index(of: peripheral) else { return }
        let method = "peripheral(_:didUpdateNotificationStateFor:error:)"
        let name = characteristic.uuid.description
        devices[index].modify(characteristic) { $0.error = error.map(Self.sentence) }
        if let error {
            return failure(
                "subscribe-failed", ["name": name], "The subscription to \(name) failed", error, swift: method,
                peripheral.identifier)
        }
        callback(
            characteristic.isNotifying ? "subscribed" : "unsubscribed", ["name": name],
            characteristic.isNotifying ? "\(name) notifies" : "\(name) does not notify any more", swift: method,
            peripheral.identifier)
    }

    package func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral) {
        guard let index = index(of: peripheral) else { return }
        callback(
            "ready", [:], "The buffer has space for writes without response",
            swift: "peripheralIsReady(toSendWriteWithoutResponse:)", peripheral.identifier)
        sendQueuedWrites(index)
    }

    // MARK: The device

    package func peripheral(_ peripheral: CBPeripheral, didReadRSSI RSSI: NSNumber, error: (any Error)?) {
        guard let index = index(of: peripheral) else { return }
        let method = "peripheral(_:didReadRSSI:error:)"
        if let error {
            return failure(
                "rssi-failed", [:], "The signal strength could not be read", error, swift: method,
                peripheral.identifier)
        }
        // 127: not available (Vol 4, Part E, 7.5.4).
        devices[index].rssi = RSSI.intValue == 127 ? nil : RSSI.intValue
        devices[index].recording.add(.action(.rssi(Bounds())))
        callback(
            "rssi", ["rssi": RSSI.stringValue], "The signal strength is \(RSSI) dBm", swift: method,
            peripheral.identifier)
    }

    package func peripheralDidUpdateName(_ peripheral: CBPeripheral) {
        guard let index = index(of: peripheral) else { return }
        if let name = peripheral.name { devices[index].name = name }
        callback(
            "renamed", ["name": title(index)], "The device is called \(title(index))",
            swift: "peripheralDidUpdateName(_:)", peripheral.identifier)
    }
}
