import CoreBluetooth

/// A phone that reads the address of a device where the device publishes it: in the System ID (2A23).
final class AddressPhone: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate {
    static var systemID: CBUUID { CBUUID(string: "2A23") }

    var log: (String) -> Void = { print($0) }

    private let queue: DispatchQueue?
    private var manager: CBCentralManager!
    private var peripheral: CBPeripheral?

    init(queue: DispatchQueue? = nil) { self.queue = queue }

    func start() { manager = CBCentralManager(delegate: self, queue: queue) }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        if central.state == .poweredOn { central.scanForPeripherals(withServices: [AddressGadget.service]) }
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        peripheral.delegate = self
        peripheral.discoverServices([AddressGadget.service])
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        for service in peripheral.services ?? [] {
            peripheral.discoverCharacteristics([Self.systemID], for: service)
        }
    }

    func peripheral(
        _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
    ) {
        for characteristic in service.characteristics ?? [] { peripheral.readValue(for: characteristic) }
    }

    // lesson: address
    func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        // A random number of this system, not the address. It stays the same in later runs.
        log("didDiscover: identifier \(peripheral.identifier)")
        self.peripheral = peripheral
        central.stopScan()
        central.connect(peripheral)
    }

    func peripheral(
        _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        // Eight octets, the lowest first; the two in the middle, FFFE, are not part of the address.
        guard let octets = characteristic.value?.reversed().map({ $0 }), octets.count == 8 else { return }
        let address = (octets[0..<3] + octets[5..<8]).map { ($0 < 16 ? "0" : "") + String($0, radix: 16).uppercased() }
        log("didUpdateValueFor \(characteristic.uuid): address \(address.joined(separator: ":"))")
    }
    // lesson: end
}
