import CoreBluetooth

/// Finds a device with the Heart Rate service, and prints its pulse.
final class Phone: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate {
    private var device: CBPeripheral?

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        print("Bluetooth is", central.state == .poweredOn ? "on" : "not usable")
        if central.state == .poweredOn { central.scanForPeripherals(withServices: [CBUUID(string: "180D")]) }
    }

    func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        print("found", peripheral.name ?? "a device", "at", RSSI, "dBm")
        device = peripheral
        peripheral.delegate = self
        central.stopScan()
        central.connect(peripheral)
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        peripheral.discoverServices([CBUUID(string: "180D")])
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        for service in peripheral.services ?? [] { peripheral.discoverCharacteristics(nil, for: service) }
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?) {
        for each in service.characteristics ?? [] { peripheral.setNotifyValue(true, for: each) }
    }

    func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor each: CBCharacteristic, error: (any Error)?) {
        if let value = each.value, value.count > 1 { print(value[1], "bpm") }
    }
}

let phone = Phone()
let central = CBCentralManager(delegate: phone, queue: nil)
let wristband = Wristband()  // The other side, if there is no adapter.
dispatchMain()
