import CoreBluetooth

/// A phone that connects to every device with the service, and counts the values of each.
final class ManyPhone: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate {
    var log: (String) -> Void = { print($0) }

    private let queue: DispatchQueue?
    private var manager: CBCentralManager!
    private var peripherals: [CBPeripheral] = []
    private var values: [UUID: Int] = [:]

    init(queue: DispatchQueue? = nil) { self.queue = queue }

    func start() { manager = CBCentralManager(delegate: self, queue: queue) }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        if central.state == .poweredOn { central.scanForPeripherals(withServices: [Gadget.service]) }
    }

    // lesson: many
    func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        // Every device needs a reference of its own. The scan goes on meanwhile.
        peripherals.append(peripheral)
        peripheral.delegate = self
        central.connect(peripheral)
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        let connected = peripherals.count { $0.state == .connected }
        log("didConnect \(peripheral.name ?? "a device"): \(connected) connected")
        peripheral.discoverServices([Gadget.service])
    }

    func peripheral(
        _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        // The parameter tells which device it was. 由参数 peripheral 区分设备。
        values[peripheral.identifier, default: 0] += 1
    }
    // lesson: end

    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        for service in peripheral.services ?? [] { peripheral.discoverCharacteristics(nil, for: service) }
    }

    func peripheral(
        _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
    ) {
        for characteristic in service.characteristics ?? [] { peripheral.setNotifyValue(true, for: characteristic) }
    }

    func everySecond() {
        guard !values.isEmpty else { return }
        log("\(values.values.reduce(0, +)) values from \(values.count) devices")
    }
}
