import DeviceFiles
import BLEValues
import CoreBluetooth
import Foundation
import StudioPhrases

extension Explorer: CBPeripheralDelegate {
    // MARK: Discovery

    package func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        guard let index = index(of: peripheral) else { return }
        if let error { return discoveryFailed(.services, error, "peripheral(_:didDiscoverServices:)", index) }
        discovered(peripheral.services ?? [], of: index)
    }

    package func peripheral(
        _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
    ) {
        guard let index = index(of: peripheral) else { return }
        if let error {
            let method = "peripheral(_:didDiscoverCharacteristicsFor:error:)"
            return discoveryFailed(.characteristics(service), error, method, index)
        }
        discovered(service, of: index)
    }

    package func peripheral(
        _ peripheral: CBPeripheral, didDiscoverDescriptorsFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        guard let index = index(of: peripheral) else { return }
        if let error {
            let method = "peripheral(_:didDiscoverDescriptorsFor:error:)"
            return discoveryFailed(.descriptors(characteristic), error, method, index)
        }
        discovered(characteristic, of: index)
    }

    package func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService]) {
        guard let index = index(of: peripheral) else { return }
        let time = clock()
        // A device can send any number of changes: the log has one line for those before a discovery.
        if devices[index].discovery.due == nil {
            callback(
                "services-changed", Phrase("The device changed its services", "设备改变了它的服务"),
                swift: "peripheral(_:didModifyServices:)", peripheral.identifier)
        }
        devices[index].clearTree()
        devices[index].discovery.servicesChanged(at: time)
        beginDueDiscoveries(at: time)
        touch()
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
            devices[index].modify(characteristic) { $0.error = AttributeFailure(error) }
            if Self.isRefusal(error) {
                devices[index].recording.add(
                    .action(.read(characteristic: path, ValueExpectation(), isRefused: true)))
            }
            return failure(
                "read-failed", Phrase("The read of \(name) failed", "读取 \(name) 失败"), error, swift: method,
                peripheral.identifier)
        }
        let octets = Array((characteristic.value ?? Data()).prefix(512))
        let time = clock()
        let shown =
            devices[index].modify(characteristic) { node in
                node.add(octets, wasRead ? .read : .notification, at: time)
                return ShownText.name { node.text(octets, $0) }
            } ?? Phrase(data: "")
        devices[index].recording.add(
            wasRead
                ? .read(characteristic: path, octets: octets, format: nil, shown: shown.description)
                : .notification(characteristic: path, shown: shown.description))
        callback(
            wasRead ? "value" : "notification", Phrase("\(name): \(shown)", "\(name)：\(shown)"), swift: method,
            peripheral.identifier)
    }

    /// Whether the device answered with an error, as opposed to a link that ended.
    private static func isRefusal(_ error: any Error) -> Bool { error is CBATTError }

    package func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor descriptor: CBDescriptor, error: (any Error)?)
    {
        guard let index = index(of: peripheral) else { return }
        let method = "peripheral(_:didUpdateValueFor:error:)"
        let name = descriptor.uuid.description
        defer { if devices[index].discovery.awaits(.value(descriptor)) { continueDiscovery(index) } }
        devices[index].modify(descriptor) { $0.pendingReads = max(0, $0.pendingReads - 1) }
        if let error {
            devices[index].modify(descriptor) { $0.error = AttributeFailure(error) }
            return failure(
                "read-failed", Phrase("The read of \(name) failed", "读取 \(name) 失败"), error, swift: method,
                peripheral.identifier)
        }
        let octets = Array(descriptor.octets.prefix(512))
        let time = clock()
        devices[index].modify(descriptor) { node in
            node.value = ReceivedValue(octets: octets, time: time, source: .read)
            node.error = nil
        }
        if let characteristic = descriptor.characteristic {
            devices[index].modify(characteristic) { node in
                if let text = descriptor.userDescription { node.label = ShownText.name(text) }
                if let format = descriptor.presentationFormat { node.presentation = format }
            }
        }
        let shown = ShownText.name { AttributeText.text(octets, ofDescriptor: descriptor.uuid, $0) }
        callback("value", Phrase("\(name): \(shown)", "\(name)：\(shown)"), swift: method, peripheral.identifier)
    }

    package func peripheral(
        _ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        guard let index = index(of: peripheral) else { return }
        let method = "peripheral(_:didWriteValueFor:error:)"
        let name = characteristic.uuid.description
        let path = devices[index].path(characteristic)
        let written = devices[index].modify(characteristic) { node -> [UInt8]? in
            node.error = error.map { AttributeFailure($0) }
            return node.pendingWrites.isEmpty ? nil : node.pendingWrites.removeFirst()
        }
        if let error {
            if let octets = written ?? nil, Self.isRefusal(error) {
                devices[index].recording.add(
                    .action(.write(characteristic: path, ScriptValue(octets), response: true, isRefused: true)))
            }
            return failure(
                "write-failed", Phrase("The write of \(name) failed", "写入 \(name) 失败"), error, swift: method,
                peripheral.identifier)
        }
        if let octets = written ?? nil {
            devices[index].recording.add(.write(characteristic: path, octets: octets, response: true))
        }
        callback("written", Phrase("\(name) was written", "已写入 \(name)"), swift: method, peripheral.identifier)
    }

    package func peripheral(
        _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic,
        error: (any Error)?
    ) {
        guard let index = index(of: peripheral) else { return }
        let method = "peripheral(_:didUpdateNotificationStateFor:error:)"
        let name = characteristic.uuid.description
        devices[index].modify(characteristic) { node in
            node.error = error.map { AttributeFailure($0) }
            node.pendingSubscriptions = max(0, node.pendingSubscriptions - 1)
        }
        if let error {
            return failure(
                "subscribe-failed", Phrase("The subscription to \(name) failed", "订阅 \(name) 失败"), error, swift: method,
                peripheral.identifier)
        }
        callback(
            characteristic.isNotifying ? "subscribed" : "unsubscribed",
            characteristic.isNotifying
                ? Phrase("\(name) notifies", "\(name) 开始通知")
                : Phrase("\(name) does not notify any more", "\(name) 不再通知"), swift: method,
            peripheral.identifier)
    }

    package func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral) {
        guard let index = index(of: peripheral) else { return }
        callback(
            "ready", Phrase("The buffer has space for writes without response", "缓冲区又有空间可用于无响应写入"),
            swift: "peripheralIsReady(toSendWriteWithoutResponse:)", peripheral.identifier)
        sendQueuedWrites(index)
    }

    // MARK: The device

    package func peripheral(_ peripheral: CBPeripheral, didReadRSSI RSSI: NSNumber, error: (any Error)?) {
        guard let index = index(of: peripheral) else { return }
        let method = "peripheral(_:didReadRSSI:error:)"
        devices[index].pendingSignals = max(0, devices[index].pendingSignals - 1)
        if let error {
            return failure(
                "rssi-failed", Phrase("The signal strength could not be read", "无法读取信号强度"), error, swift: method,
                peripheral.identifier)
        }
        // 127: not available (Vol 4, Part E, 7.5.4).
        devices[index].rssi = RSSI.intValue == 127 ? nil : RSSI.intValue
        devices[index].recording.add(.action(.rssi(Bounds())))
        callback(
            "rssi", Phrase("The signal strength is \(RSSI) dBm", "信号强度为 \(RSSI) dBm"), swift: method,
            peripheral.identifier)
    }

    package func peripheralDidUpdateName(_ peripheral: CBPeripheral) {
        guard let index = index(of: peripheral) else { return }
        if let name = peripheral.name { devices[index].name = name }
        callback(
            "renamed", Phrase("The device is called \(title(index))", "设备名称为 \(title(index))"),
            swift: "peripheralDidUpdateName(_:)", peripheral.identifier)
    }
}
