import BluetoothPairing
import CoreBluetooth

/// A central that connects to one peripheral for each case, pairs, reads the protected value and disconnects.
@MainActor
final class PairingCentral: NSObject, @preconcurrency CBCentralManagerDelegate,
    @preconcurrency CBPeripheralDelegate
{
    private let report: Report
    private let pairing = PairingManager()
    private var cases: [PairingCase]
    private var manager: CBCentralManager!
    private var plan: PairingCase!
    private var peripheral: CBPeripheral?
    private var secret: CBCharacteristic?
    /// Another program of this package waits for a write to it at the end of a case.
    private var done: CBCharacteristic?
    private var outcome: String?
    private var isComplete = false

    init(report: Report) throws {
        self.report = report
        cases = try PairingCase.all()
        super.init()
        manager = CBCentralManager(delegate: self, queue: nil)
    }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        guard central.state == .poweredOn else {
            if central.state == .unsupported || central.state == .unauthorized { report.abandon("no controller") }
            return
        }
        next()
    }

    private func next() {
        guard !cases.isEmpty else { return report.end() }
        plan = cases.removeFirst()
        (peripheral, secret, outcome, isComplete) = (nil, nil, nil, false)
        report.wait(for: "the advertisement of \(plan.name), \(plan.title)")
        if plan.forgets { for bond in pairing.bonds { pairing.unpair(bond.identifier) { _ in } } }
        pairing.setAgent(PairingUser(plan) { [weak self] in self?.pairingEnded($0) })
        plan.exchangeOutOfBandData(with: pairing) { [weak self] in self?.scan() }
    }

    private func scan() {
        report.note("SCANNING \(plan.number)")
        manager.scanForPeripherals(
            withServices: nil, options: [CBCentralManagerScanOptionAllowDuplicatesKey: true])
    }

    func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        guard self.peripheral == nil, advertisementData[CBAdvertisementDataLocalNameKey] as? String == plan.name else {
            return
        }
        self.peripheral = peripheral
        central.stopScan()
        checkIdentifier(peripheral.identifier)
        report.wait(for: "the connection of \(plan.title)")
        central.connect(peripheral)
    }

    /// Checks that the peer has the identifier of earlier cases. The address may resolve only once the link exists, so
    /// this runs at the end of a case as well.
    private func checkIdentifier(_ identifier: UUID) {
        guard let peer = plan.peer, isComplete else { return }
        let name = "identifier-\(peer)"
        if let earlier = PairingFiles.content(of: name) {
            if earlier != identifier.uuidString { outcome = "another identifier" }
        } else {
            PairingFiles.share(identifier.uuidString, as: name)
        }
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        report.wait(for: "the services of \(plan.title)")
        peripheral.delegate = self
        peripheral.discoverServices([PairingPlan.service])
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        guard let service = peripheral.services?.first else { return finish("no service") }
        peripheral.discoverCharacteristics([PairingPlan.secret, PairingPlan.done], for: service)
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?) {
        guard let secret = service.characteristics?.first(where: { $0.uuid == PairingPlan.secret }) else {
            return finish("no characteristic")
        }
        self.secret = secret
        done = service.characteristics?.first { $0.uuid == PairingPlan.done }
        report.wait(for: "the pairing of \(plan.title)")
        switch plan.start {
        case .pair, .bond:
            pairing.pair(peripheral.identifier, minimum: PairingPlan.level(plan.minimum)) { [weak self] result in
                MainActor.assumeIsolated { self?.paired(result) }
            }
        case .read: peripheral.readValue(for: secret)
        case .wait: if let outcome { read(after: outcome) }
        case .nothing: finish("no pairing")
        }
    }

    /// The agent's event: of pairings only that no call awaits.
    private func pairingEnded(_ result: Result<PairingSecurity, PairingError>) {
        report.note("pairing ended: \(PairingPlan.text(result))")
        guard plan.start == .read || plan.start == .wait else { return }
        if plan.start == .wait, secret != nil { return paired(result) }
        outcome = PairingPlan.text(result)
    }

    private func paired(_ result: Result<PairingSecurity, PairingError>) {
        guard case .success = result else { return finish(PairingPlan.text(result)) }
        read(after: PairingPlan.text(result))
    }

    private func read(after outcome: String) {
        self.outcome = outcome
        report.wait(for: "the value of \(plan.title)")
        if let secret { peripheral?.readValue(for: secret) }
    }

    func peripheral(
        _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        let value = characteristic.value == PairingPlan.secretValue ? "value read" : "a wrong value"
        finish(
            [outcome, error.map { "error \(($0 as NSError).code)" } ?? value].compactMap { $0 }.joined(separator: ", "))
    }

    private func finish(_ text: String) {
        guard !isComplete, let peripheral else { return }
        isComplete = true
        outcome = text
        checkIdentifier(peripheral.identifier)
        report.compare(plan.title, outcome ?? "", plan.expects, plan.expects)
        report.wait(for: "the disconnection of \(plan.title)")
        // The host sends Pairing Failed before it ends the link.
        guard ProcessInfo.processInfo.environment["INTEROP_TELLS_END"] != nil, let done else {
            return manager.cancelPeripheralConnection(peripheral)
        }
        peripheral.writeValue(Data([1]), for: done, type: .withResponse)
    }

    func peripheral(_ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?)
    {
        manager.cancelPeripheralConnection(peripheral)
    }

    func centralManager(
        _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
    ) {
        if !isComplete {
            let code = error.map { "CBError \(($0 as NSError).code)" } ?? "disconnected"
            report.compare(plan.title, code, plan.expects, plan.expects)
        }
        next()
    }

    func centralManager(_ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?) {
        report.note("no connection: \(error?.localizedDescription ?? "no reason")")
        report.compare(
            plan.title, error.map { "CBError \(($0 as NSError).code)" } ?? "not connected", plan.expects, plan.expects)
        next()
    }
}
