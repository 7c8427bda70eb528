import CoreBluetooth

/// A phone that reads, writes and subscribes without a look at the properties, and prints what its delegate hears.
final class TryingPhone: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate {
    var log: (String) -> Void = { print($0) }

    private let queue: DispatchQueue?
    private var manager: CBCentralManager!
    private var peripheral: CBPeripheral?

    init(queue: DispatchQueue? = nil) { self.queue = queue }

    func start() { manager = CBCentralManager(delegate: self, queue: queue) }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        if central.state == .poweredOn { central.scanForPeripherals(withServices: [Gadget.service]) }
    }

    func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        guard self.peripheral == nil else { return }
        self.peripheral = peripheral
        central.stopScan()
        central.connect(peripheral)
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        peripheral.delegate = self
        peripheral.discoverServices([Gadget.service])
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        for service in peripheral.services ?? [] { peripheral.discoverCharacteristics(nil, for: service) }
    }

    // lesson: try
    func peripheral(
        _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
    ) {
        guard let characteristic = service.characteristics?.first else { return }
        log("readValue, writeValue, setNotifyValue")
        peripheral.readValue(for: characteristic)
        peripheral.writeValue(Data([7]), for: characteristic, type: .withResponse)
        peripheral.setNotifyValue(true, for: characteristic)
    }

    func peripheral(
        _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        let octets = characteristic.value.map { $0.map { String($0) }.joined(separator: " ") } ?? "nothing"
        log("didUpdateValueFor: \(error?.localizedDescription ?? octets)")
    }

    func peripheral(
        _ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) { log("didWriteValueFor: \(error?.localizedDescription ?? "written")") }

    func peripheral(
        _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic, error: (any Error)?
    ) { log("didUpdateNotificationStateFor: \(error?.localizedDescription ?? "on")") }
    // lesson: end
}
