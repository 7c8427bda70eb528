import CoreBluetooth

/// A phone that connects to a device ten times, and prints how long each attempt took.
final class TimingPhone: NSObject, CBCentralManagerDelegate {
    var log: (String) -> Void = { print($0) }
    /// The present time in seconds.
    var now: () -> Double = { ProcessInfo.processInfo.systemUptime }

    private let queue: DispatchQueue?
    private var manager: CBCentralManager!
    private var peripheral: CBPeripheral?
    private var begin = 0.0
    private var milliseconds: [Int] = []

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
        connect()
    }

    // lesson: time
    private func connect() {
        guard let peripheral else { return }
        begin = now()
        manager.connect(peripheral)
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        milliseconds.append(Int((now() - begin) * 1000))
        log("didConnect after \(milliseconds.last ?? 0) ms")
        central.cancelPeripheralConnection(peripheral)
    }

    func centralManager(
        _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
    ) {
        guard milliseconds.count == 10 else { return connect() }
        let sorted = milliseconds.sorted()
        log("ten connections: \(sorted[0]) to \(sorted[9]) ms, \(sorted[5]) ms in the middle")
    }
    // lesson: end
}
