import CoreBluetooth

/// A client that goes through the steps of a session with `AdapterWatcher` again and again, and begins anew after each loss of the link or of the
/// adapter. It prints each step when that begins, so that a run can disturb it, and a line at the end of each round.
@MainActor
final class PeerWalker: NSObject, @preconcurrency CBCentralManagerDelegate, @preconcurrency CBPeripheralDelegate {
    // A step takes so long that a run can disturb it.
    private static let reads = 5
    private static let values = 5
    private static let commands = 300
    private static let pause = 0.5

    private let report: Report
    private let pairs = ProcessInfo.processInfo.environment["INTEROP_PAIRS"] != nil
    private var manager: CBCentralManager!
    private var peripheral: CBPeripheral?
    private var characteristics: [CBUUID: CBCharacteristic] = [:]
    private var read = 0
    private var sent = 0
    private var notified = 0
    private var rounds = 0

    init(report: Report) {
        self.report = report
        super.init()
        manager = CBCentralManager(delegate: self, queue: nil)
    }

    private func step(_ name: String) { report.note("STEP \(name)") }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        report.note("STATE \(central.state.word)")
        peripheral = nil
        if central.state == .poweredOn { search() }
    }

    private func search() {
        (peripheral, characteristics) = (nil, [:])
        if let found = manager.retrieveConnectedPeripherals(withServices: [Plan.service]).first {
            return connect(found)
        }
        step("scanning")
        manager.scanForPeripherals(withServices: [Plan.service])
    }

    private func connect(_ found: CBPeripheral) {
        peripheral = found
        found.delegate = self
        step("connecting")
        manager.connect(found)
    }

    func centralManager(
        _ central: CBCentralManager, didDiscover found: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        guard peripheral == nil else { return }
        central.stopScan()
        connect(found)
    }

    func centralManager(_ central: CBCentralManager, didConnect found: CBPeripheral) {
        step("services")
        found.discoverServices([Plan.service])
    }

    func centralManager(_ central: CBCentralManager, didFailToConnect found: CBPeripheral, error: (any Error)?) {
        lost("did not connect", error)
    }

    func centralManager(_ central: CBCentralManager, didDisconnectPeripheral found: CBPeripheral, error: (any Error)?) {
        lost("disconnected", error)
    }

    private func lost(_ what: String, _ error: (any Error)?) {
        report.note("\(what): \(error?.localizedDescription ?? "no reason given")")
        guard manager.state == .poweredOn, peripheral != nil else { return }
        search()
    }

    /// Ends the link after an error, so that the walk begins anew.
    private func giveUp(_ what: String, _ error: (any Error)?) {
        report.note("\(what): \(error?.localizedDescription ?? "nothing was found")")
        if let peripheral { manager.cancelPeripheralConnection(peripheral) }
    }

    func peripheral(_ found: CBPeripheral, didModifyServices services: [CBService]) {
        guard found === peripheral else { return }
        giveUp("the services changed", nil)
    }

    func peripheral(_ found: CBPeripheral, didDiscoverServices error: (any Error)?) {
        guard let service = found.services?.first else { return giveUp("services", error) }
        found.discoverCharacteristics(nil, for: service)
    }

    func peripheral(_ found: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?) {
        for characteristic in service.characteristics ?? [] { characteristics[characteristic.uuid] = characteristic }
        begin(found)
    }

    private func begin(_ found: CBPeripheral) {
        guard let long = characteristics[Plan.long] else { return giveUp("characteristics", nil) }
        (read, notified, sent) = (0, 0, 0)
        step("reading")
        found.readValue(for: long)
    }

    func peripheral(_ found: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?) {
        guard found === peripheral else { return }
        switch characteristic.uuid {
        case Plan.long:
            guard error == nil else { return giveUp("reading", error) }
            guard characteristic.value == Plan.readValue else { report.abandon("a wrong value") }
            read += 1
            guard read == Self.reads else { return found.readValue(for: characteristic) }
            guard let notify = characteristics[Plan.notify] else { return giveUp("characteristics", nil) }
            found.setNotifyValue(true, for: notify)
        case Plan.notify:
            guard read == Self.reads else { return }
            notified += 1
            if notified == 1 { step("notifications") }
            if notified == Self.values { startCommands(found) }
        default:
            if error != nil { giveUp("pairing", error) } else { end(found) }
        }
    }

    func peripheral(
        _ found: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic, error: (any Error)?
    ) { if error != nil { giveUp("notifications", error) } }

    private func startCommands(_ found: CBPeripheral) {
        step("commands")
        send(found)
    }

    private func send(_ found: CBPeripheral) {
        guard let command = characteristics[Plan.command], found === peripheral, notified >= Self.values else { return }
        while sent < Self.commands, found.canSendWriteWithoutResponse {
            found.writeValue(
                Data(repeating: UInt8(truncatingIfNeeded: sent), count: 20), for: command, type: .withoutResponse)
            sent += 1
        }
        guard sent == Self.commands else { return }
        sent += 1
        guard pairs, let secret = characteristics[Plan.account] else { return end(found) }
        step("pairing")
        found.readValue(for: secret)
    }

    func peripheralIsReady(toSendWriteWithoutResponse found: CBPeripheral) { send(found) }

    private func end(_ found: CBPeripheral) {
        rounds += 1
        report.note("ROUND \(rounds)")
        DispatchQueue.main.asyncAfter(deadline: .now() + Self.pause) { [weak self] in
            if self?.peripheral === found, found.state == .connected { self?.begin(found) }
        }
    }
}
