import CoreBluetooth

/// A phone that waits for the state powered on, scans, and prints each device.
final class ScanningPhone: NSObject, CBCentralManagerDelegate {
    var log: (String) -> Void = { print($0) }
    /// The services to scan for; nil selects all devices.
    var services: [CBUUID]?

    private let queue: DispatchQueue?
    private var manager: CBCentralManager!
    private var peripherals: [CBPeripheral] = []

    init(queue: DispatchQueue? = nil) { self.queue = queue }

    func start() { manager = CBCentralManager(delegate: self, queue: queue) }

    // lesson: scan
    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        guard central.state == .poweredOn else { return }
        log("scanForPeripherals(withServices: \(services.map { "\($0.map(\.uuidString))" } ?? "nil"))")
        central.scanForPeripherals(withServices: services)
    }

    func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        peripherals.append(peripheral)
        let name = advertisementData[CBAdvertisementDataLocalNameKey] as? String ?? peripheral.name
        log("didDiscover \(name ?? "a device without a name") at \(RSSI) dBm")
    }
    // lesson: end
}
