import BluetoothPairing
import CoreBluetooth

/// A phone that reads a protected value, which pairs the two devices, and lists the paired devices.
final class PairingPhone: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate {
    var log: (String) -> Void = { print($0) }

    private let queue: DispatchQueue?
    private var manager: CBCentralManager!
    private var pairings: PairingManager!
    private var peripheral: CBPeripheral?

    init(queue: DispatchQueue? = nil) { self.queue = queue }

    func start() {
        manager = CBCentralManager(delegate: self, queue: queue)
        pairings = PairingManager()
    }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        guard central.state == .poweredOn else { return }
        log("paired devices: \(pairings.bonds.count)")
        central.scanForPeripherals(withServices: [Gadget.service])
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
        log("didConnect")
        peripheral.delegate = self
        peripheral.discoverServices([Gadget.service])
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        for service in peripheral.services ?? [] { peripheral.discoverCharacteristics(nil, for: service) }
    }

    // lesson: pair
    func peripheral(
        _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
    ) {
        // The device refuses the first read: the value is protected. The system then pairs, and reads again.
        for characteristic in service.characteristics ?? [] { peripheral.readValue(for: characteristic) }
    }

    func peripheral(
        _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        log("didUpdateValueFor \(characteristic.uuid): \(error.map(\.localizedDescription) ?? "read")")
        // CoreBluetooth cannot list paired devices; BluetoothPairing can.
        log("paired devices: \(pairings.bonds.count), this one: \(isPaired(peripheral) ? "yes" : "no")")
    }

    private func isPaired(_ peripheral: CBPeripheral) -> Bool {
        pairings.bonds.contains { $0.identifier == peripheral.identifier }
    }
    // lesson: end
}
