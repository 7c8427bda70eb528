import CoreBluetooth

/// The common part of the clients: finds the server, connects, discovers services, and ends the program with the link.
///
/// A subclass conforms to `CBPeripheralDelegate` and starts with `peripheral(_:didDiscoverServices:)`.
@MainActor
class PeerClient: NSObject, @preconcurrency CBCentralManagerDelegate {
    let report: Report
    private(set) var manager: CBCentralManager!
    private(set) var peripheral: CBPeripheral?
    /// Whether the client has completed its steps, so that the link may end.
    private var isComplete = false
    private let services: [CBUUID]

    init(report: Report, services: [CBUUID] = [Plan.service]) {
        self.report = report
        self.services = services
        super.init()
        report.wait(for: "the controller")
        manager = CBCentralManager(delegate: self, queue: nil)
    }

    /// Ends the link. The program ends with it.
    func disconnect() {
        isComplete = true
        report.wait(for: "the disconnection")
        if let peripheral { manager.cancelPeripheralConnection(peripheral) }
    }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        report.note("state \(central.state.rawValue)")
        guard central.state == .poweredOn else {
            if central.state == .unsupported || central.state == .unauthorized { report.abandon("no controller") }
            return
        }
        report.wait(for: "the advertisement")
        central.scanForPeripherals(withServices: [Plan.service])
    }

    func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        guard self.peripheral == nil else { return }
        self.peripheral = peripheral
        central.stopScan()
        report.wait(for: "the connection")
        central.connect(peripheral)
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        report.note("connected: \(peripheral.name ?? "?")")
        report.wait(for: "the services")
        peripheral.delegate = self as? any CBPeripheralDelegate
        peripheral.discoverServices(services)
    }

    func centralManager(_ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?) {
        report.abandon("not connected: \(text(error))")
    }

    func centralManager(
        _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
    ) {
        // An error would be the reason for which the peer or the radio ended the link.
        report.compare(
            "disconnection", error.map(text), isComplete ? nil : "the end of all steps", "the client ended the link")
        report.end()
    }

    func service(_ uuid: CBUUID) -> CBService? { peripheral?.services?.first { $0.uuid == uuid } }

    /// A characteristic of the main service.
    func characteristic(_ uuid: CBUUID) -> CBCharacteristic {
        guard let found = service(Plan.service)?.characteristics?.first(where: { $0.uuid == uuid }) else {
            report.abandon("the server has no characteristic \(uuid)")
        }
        return found
    }

    func text(_ error: any Error) -> String { error.localizedDescription }
    func text(_ error: (any Error)?) -> String { error?.localizedDescription ?? "no reason given" }
}
