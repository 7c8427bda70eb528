import BluetoothPairing
import CoreBluetooth
import DeviceFiles
import Foundation
import Phrases

extension Explorer: CBCentralManagerDelegate {
    package func centralManagerDidUpdateState(_ central: CBCentralManager) {
        writer.callback(
            "state", Phrase("The adapter is \(central.state.phrase)", "适配器状态：\(central.state.phrase)"),
            swift: "centralManagerDidUpdateState(_:)")
        guard central.state != .poweredOn else { return }
        // The links end without further callbacks.
        for index in devices.indices where devices[index].link != .disconnected {
            linkEnded(index, Phrase("The Bluetooth adapter was switched off or removed.", "蓝牙适配器已关闭或被移除。"))
        }
        prompts.removeAll()
        endScan()
    }

    package func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        guard scan.admitsFoundDevice() else { return }
        let advertised = advertisementData[CBAdvertisementDataLocalNameKey] as? String
        let name =
            (advertised ?? peripheral.name).map(ShownText.name) ?? String(peripheral.identifier.uuidString.prefix(8))
        writer.callback(
            "discovered", Phrase("Found \(name), \(RSSI) dBm", "发现 \(name)，\(RSSI) dBm"),
            swift: "centralManager(_:didDiscover:advertisementData:rssi:)", peripheral.identifier)
    }

    package func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        guard let index = devices.index(of: peripheral) else { return }
        devices[index].link = .connected
        devices[index].name = scan.name(of: peripheral.identifier) ?? peripheral.name ?? devices[index].name
        devices[index].clearTree()
        devices[index].discovery.linkEnded()
        let name = devices[index].title
        writer.callback(
            "connected", Phrase("Connected to \(name)", "已连接 \(name)"), swift: "centralManager(_:didConnect:)",
            peripheral.identifier)
        devices[index].recording.add(
            .action(.connect(device: recordedName(index), within: .seconds(10))))
        if devices[index].discovers { discover(index) }
    }

    /// The device as scripts name it. An ambiguous name gives way to the identifier, and so does one that a run would take for a variable.
    private func recordedName(_ index: Int) -> String {
        let identifier = devices[index].identifier
        guard let name = scan.name(of: identifier), !name.contains("${"), !scan.isAmbiguous(name, of: identifier) else {
            return identifier.uuidString
        }
        return name
    }

    package func centralManager(
        _ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?
    ) {
        guard let index = devices.index(of: peripheral) else { return }
        let name = devices[index].title
        linkEnded(index, error.map { Phrase($0) })
        if let error {
            writer.failure(
                "connect-failed", Phrase("The connection to \(name) failed", "连接 \(name) 失败"), error,
                swift: "centralManager(_:didFailToConnect:error:)", peripheral.identifier)
        }
    }

    package func centralManager(
        _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
    ) {
        guard let index = devices.index(of: peripheral) else { return }
        let name = devices[index].title
        let method = "centralManager(_:didDisconnectPeripheral:error:)"
        if devices[index].link == .connected {
            devices[index].recording.add(.action(.expectDisconnect(within: .seconds(60))))
        }
        linkEnded(index, error.map { Phrase($0) })
        if let error {
            writer.failure(
                "disconnected-error", Phrase("\(name) disconnected", "与 \(name) 的连接断开"), error, swift: method,
                peripheral.identifier)
        } else {
            writer.callback(
                "disconnected", Phrase("Disconnected from \(name)", "已断开与 \(name) 的连接"), swift: method,
                peripheral.identifier
            )
        }
    }

    private func linkEnded(_ index: Int, _ reason: Phrase?) {
        devices[index].link = .disconnected
        devices[index].reason = reason
        devices[index].isPairing = false
        devices[index].rssi = nil
        devices[index].clearTree()
        devices[index].discovery.linkEnded()
        devices[index].pendingSignals = 0
        prompts.remove(of: devices[index].identifier)
        touch()
    }
}
