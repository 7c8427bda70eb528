import CoreBluetooth

/// A phone that connects to a device once, and then prints the two names of the device whenever one changes.
final class NamePhone: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate {
    var log: (String) -> Void = { print($0) }

    private let queue: DispatchQueue?
    private var manager: CBCentralManager!
    private var peripheral: CBPeripheral?
    private var lastNames = ""

    init(queue: DispatchQueue? = nil) { self.queue = queue }

    func start() { manager = CBCentralManager(delegate: self, queue: queue) }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        guard central.state == .poweredOn else { return }
        scan(central)
    }

    private func scan(_ central: CBCentralManager) {
        central.scanForPeripherals(
            withServices: [Gadget.service], options: [CBCentralManagerScanOptionAllowDuplicatesKey: true])
    }

    // lesson: names
    func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        let advertised = advertisementData[CBAdvertisementDataLocalNameKey] as? String ?? "none"
        let names = "name \"\(peripheral.name ?? "none")\", advertised name \"\(advertised)\""
        if names != lastNames { log("didDiscover: \(names)") }
        lastNames = names
        guard self.peripheral == nil else { return }
        self.peripheral = peripheral
        peripheral.delegate = self
        central.stopScan()
        central.connect(peripheral)
    }

    /// The system has read the name in the device's GAP service. It replaces the advertised one.
    func peripheralDidUpdateName(_ peripheral: CBPeripheral) {
        log("peripheralDidUpdateName: \"\(peripheral.name ?? "none")\"")
        manager.cancelPeripheralConnection(peripheral)
    }
    // lesson: end

    func centralManager(
        _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
    ) {
        log("didDisconnectPeripheral, scanning again")
        scan(central)
    }
}
