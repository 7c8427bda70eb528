import CoreBluetooth

/// A phone that comes back to a device in three ways.
final class ReturningPhone: NSObject, CBCentralManagerDelegate {
    var log: (String) -> Void = { print($0) }

    private let queue: DispatchQueue?
    private var manager: CBCentralManager!
    private var peripheral: CBPeripheral?
    /// A program keeps it in a file, for its next run.
    private var identifier: UUID?

    init(queue: DispatchQueue? = nil) { self.queue = queue }

    func start() { manager = CBCentralManager(delegate: self, queue: queue) }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        if central.state == .poweredOn { scan() }
    }

    // lesson: return
    /// 1. A new scan. 重新扫描
    func scan() {
        log("scanForPeripherals")
        manager.scanForPeripherals(withServices: [Gadget.service])
    }

    /// 2. A device that this system has connected, perhaps for another program. 系统已连接的设备
    func retrieveConnected() {
        let connected = manager.retrieveConnectedPeripherals(withServices: [Gadget.service])
        log("retrieveConnectedPeripherals: \(connected.count)")
        if let first = connected.first { connect(first) }
    }

    /// 3. A device that the program knows from before, without a scan. 认识的设备，不用扫描
    func retrieveKnown() {
        let known = identifier.map { manager.retrievePeripherals(withIdentifiers: [$0]) } ?? []
        log("retrievePeripherals: \(known.count)")
        if let first = known.first { connect(first) }
    }
    // lesson: end

    func cancel() {
        if let peripheral { manager.cancelPeripheralConnection(peripheral) }
    }

    private func connect(_ peripheral: CBPeripheral) {
        self.peripheral = peripheral
        manager.connect(peripheral)
    }

    func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        log("didDiscover \(peripheral.name ?? "a device")")
        central.stopScan()
        connect(peripheral)
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        let isKnown = identifier == peripheral.identifier
        identifier = peripheral.identifier
        log("didConnect\(isKnown ? ", the same identifier as before" : "")")
    }

    func centralManager(
        _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
    ) { log("didDisconnectPeripheral\(error.map { ": \($0.localizedDescription)" } ?? "")") }
}
