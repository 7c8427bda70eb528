import CoreBluetooth
import Foundation
import Phrases

extension Explorer: CBPeripheralDelegate {
    // MARK: Discovery

    package func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        guard let index = devices.index(of: peripheral) else { return }
        if let error { return discoveryFailed(.services, error, "peripheral(_:didDiscoverServices:)", index) }
        discovered(peripheral.services ?? [], of: index)
    }

    package func peripheral(
        _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
    ) {
        guard let index = devices.index(of: peripheral) else { return }
        if let error {
            let method = "peripheral(_:didDiscoverCharacteristicsFor:error:)"
            return discoveryFailed(.characteristics(service), error, method, index)
        }
        discovered(service, of: index)
    }

    package func peripheral(
        _ peripheral: CBPeripheral, didDiscoverDescriptorsFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        guard let index = devices.index(of: peripheral) else { return }
        if let error {
            let method = "peripheral(_:didDiscoverDescriptorsFor:error:)"
            return discoveryFailed(.descriptors(characteristic), error, method, index)
        }
        discovered(characteristic, of: index)
    }

    package func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService]) {
        guard let index = devices.index(of: peripheral) else { return }
        let time = clock()
        // A device can send any number of changes: the log has one line for those before a discovery.
        if devices[index].discovery.due == nil {
            writer.callback(
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
        guard let index = devices.index(of: peripheral) else { return }
        let line = devices[index].received(characteristic, error, at: clock())
        writer.add(line, swift: "peripheral(_:didUpdateValueFor:error:)", peripheral.identifier)
    }

    package func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor descriptor: CBDescriptor, error: (any Error)?)
    {
        guard let index = devices.index(of: peripheral) else { return }
        let line = devices[index].received(descriptor, error, at: clock())
        writer.add(line, swift: "peripheral(_:didUpdateValueFor:error:)", peripheral.identifier)
        if devices[index].discovery.awaits(.value(descriptor)) { continueDiscovery(index) }
    }

    package func peripheral(
        _ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        guard let index = devices.index(of: peripheral) else { return }
        let line = devices[index].wrote(characteristic, error)
        writer.add(line, swift: "peripheral(_:didWriteValueFor:error:)", peripheral.identifier)
    }

    package func peripheral(
        _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic,
        error: (any Error)?
    ) {
        guard let index = devices.index(of: peripheral) else { return }
        let line = devices[index].subscribed(characteristic, error)
        writer.add(line, swift: "peripheral(_:didUpdateNotificationStateFor:error:)", peripheral.identifier)
    }

    package func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral) {
        guard let index = devices.index(of: peripheral) else { return }
        writer.callback(
            "ready", Phrase("The buffer has space for writes without response", "缓冲区又有空间可用于无响应写入"),
            swift: "peripheralIsReady(toSendWriteWithoutResponse:)", peripheral.identifier)
        sendQueuedWrites(index)
    }

    // MARK: The device

    package func peripheral(_ peripheral: CBPeripheral, didReadRSSI RSSI: NSNumber, error: (any Error)?) {
        guard let index = devices.index(of: peripheral) else { return }
        let line = devices[index].received(rssi: RSSI, error)
        writer.add(line, swift: "peripheral(_:didReadRSSI:error:)", peripheral.identifier)
    }

    package func peripheralDidUpdateName(_ peripheral: CBPeripheral) {
        guard let index = devices.index(of: peripheral) else { return }
        if let name = peripheral.name { devices[index].name = name }
        writer.callback(
            "renamed", Phrase("The device is called \(devices[index].title)", "设备名称为 \(devices[index].title)"),
            swift: "peripheralDidUpdateName(_:)", peripheral.identifier)
    }
}
