import CoreBluetooth

/// A phone that connects to a device, subscribes, and prints what its delegate hears.
final class KeepingPhone: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate {
    var log: (String) -> Void = { print($0) }
    var service = Gadget.service

    private let queue: DispatchQueue?
    private var manager: CBCentralManager!
    private var peripheral: CBPeripheral?
    private var values = 0

    init(queue: DispatchQueue? = nil) { self.queue = queue }

    func start() { manager = CBCentralManager(delegate: self, queue: queue) }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        guard central.state == .poweredOn else { return }
        central.scanForPeripherals(withServices: [service])
    }

    func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        guard self.peripheral == nil else { return }
        self.peripheral = peripheral
        central.stopScan()
        connect()
    }

    // lesson: keep
    /// The attempt has no time limit: it waits until the device is in range.
    func connect() {
        guard let peripheral else { return }
        log("connect")
        manager.connect(peripheral)
    }

    /// Ends the link politely. The device hears of it within a few connection intervals.
    func cancel() {
        guard let peripheral else { return }
        log("cancelPeripheralConnection")
        manager.cancelPeripheralConnection(peripheral)
    }

    /// The error is nil if this program ended the link.
    func centralManager(
        _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
    ) {
        log("didDisconnectPeripheral: \(error.map(\.localizedDescription) ?? "without an error")")
        values = 0
        // A lost device is wanted back; a device that this program left is not.
        if error != nil { connect() }
    }
    // lesson: end

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        log("didConnect")
        peripheral.delegate = self
        peripheral.discoverServices([service])
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        for service in peripheral.services ?? [] { peripheral.discoverCharacteristics(nil, for: service) }
    }

    func peripheral(
        _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
    ) {
        for characteristic in service.characteristics ?? [] where characteristic.properties.contains(.notify) {
            peripheral.setNotifyValue(true, for: characteristic)
        }
    }

    func peripheral(
        _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic, error: (any Error)?
    ) { log("didUpdateNotificationStateFor \(characteristic.uuid): \(characteristic.isNotifying ? "on" : "off")") }

    func peripheral(
        _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        values += 1
        if values == 1 { log("didUpdateValueFor \(characteristic.uuid): the first of its values") }
    }
}
