import BluetoothPairing
import CoreBluetooth
import DeviceScripts
import Foundation

extension Explorer: CBCentralManagerDelegate {
    package func centralManagerDidUpdateState(_ central: CBCentralManager) {
        callback(
            "state", ["state": central.state.word], "The adapter is \(central.state.word)",
            swift: "centralManagerDidUpdateState(_:)")
        guard central.state != .poweredOn else { return }
        // The links end without further callbacks.
        for index in devices.indices where devices[index].link != .disconnected {
            linkEnded(index, "The Bluetooth adapter was switched off or removed.")
        }
        prompts = []
        endScan()
    }

    package func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        let advertised = advertisementData[CBAdvertisementDataLocalNameKey] as? String
        let name =
            (advertised ?? peripheral.name).map(ShownText.name) ?? String(peripheral.identifier.uuidString.prefix(8))
        callback(
            "discovered", ["name": name, "rssi": RSSI.stringValue], "Found \(name), \(RSSI) dBm",
            swift: "centralManager(_:didDiscover:advertisementData:rssi:)", peripheral.identifier)
    }

    package func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        guard let index = index(of: peripheral) else { return }
        devices[index].link = .connected
        devices[index].name = scan.name(of: peripheral.identifier) ?? peripheral.name ?? devices[index].name
        devices[index].clearTree()
        let name = title(index)
        callback(
            "connected", ["name": name], "Connected to \(name)", swift: "centralManager(_:didConnect:)",
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
        guard let index = index(of: peripheral) else { return }
        let name = title(index)
        linkEnded(index, error.map(Self.sentence))
        if let error {
            failure(
                "connect-failed", ["name": name], "The connection to \(name) failed", error,
                swift: "centralManager(_:didFailToConnect:error:)", peripheral.identifier)
        }
    }

    package func centralManager(
        _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
    ) {
        guard let index = index(of: peripheral) else { return }
        let name = title(index)
        let method = "centralManager(_:didDisconnectPeripheral:error:)"
        if devices[index].link == .connected {
            devices[index].recording.add(.action(.expectDisconnect(within: .seconds(60))))
        }
        linkEnded(index, error.map(Self.sentence))
        if let error {
            failure(
                "disconnected-error", ["name": name], "\(name) disconnected", error, swift: method,
                peripheral.identifier)
        } else {
            callback(
                "disconnected", ["name": name], "Disconnected from \(name)", swift: method, peripheral.identifier)
        }
    }

    private func linkEnded(_ index: Int, _ reason: String?) {
        let identifier = devices[index].identifier.uuidString
        devices[index].link = .disconnected
        devices[index].reason = reason
        devices[index].isPairing = false
        devices[index].rssi = nil
        devices[index].clearTree()
        prompts.removeAll { $0.prompt.device.identifier.uuidString == identifier }
        touch()
    }
}
