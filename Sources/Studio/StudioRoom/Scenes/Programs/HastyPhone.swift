import CoreBluetooth

/// A phone that scans too early: the beginner's error. It finds nothing, and no error says so.
final class HastyPhone: NSObject, CBCentralManagerDelegate {
    var log: (String) -> Void = { print($0) }

    private let queue: DispatchQueue?
    private var manager: CBCentralManager!

    init(queue: DispatchQueue? = nil) { self.queue = queue }

    // lesson: hasty
    func start() {
        manager = CBCentralManager(delegate: self, queue: queue)
        // The state is still .unknown: the manager ignores the command.
        manager.scanForPeripherals(withServices: nil)
        log("scanForPeripherals, in the state unknown")
    }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        log("centralManagerDidUpdateState: \(central.state == .poweredOn ? "powered on" : "not usable")")
    }
    // lesson: end

    func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) { log("didDiscover \(peripheral.name ?? "a device without a name")") }
}
