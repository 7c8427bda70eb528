import BluetoothPairing
import CoreBluetooth

/// A peripheral that advertises once for each case. The central pairs, reads the protected value, and writes to `done`.
@MainActor final class PairingPeripheral: NSObject, @preconcurrency CBPeripheralManagerDelegate {
    private let report: Report
    private let pairing = PairingManager()
    private var cases: [PairingCase]
    private var manager: CBPeripheralManager!
    private var plan: PairingCase!
    private var outcome: String?
    private var isRead = false
    /// The write that ends the case.
    private var pending: CBATTRequest?
    private let hello = CBMutableCharacteristic(
        type: PairingPlan.hello, properties: .read, value: nil, permissions: .readable)
    private let secret = CBMutableCharacteristic(
        type: PairingPlan.secret, properties: .read, value: nil, permissions: .readEncryptionRequired)
    private let done = CBMutableCharacteristic(
        type: PairingPlan.done, properties: .write, value: nil, permissions: .writeable)

    init(report: Report) throws {
        self.report = report
        cases = try PairingCase.all()
        super.init()
        manager = CBPeripheralManager(delegate: self, queue: nil)
    }

    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        guard peripheral.state == .poweredOn else {
            if peripheral.state == .unsupported || peripheral.state == .unauthorized { report.abandon("no controller") }
            return
        }
        let service = CBMutableService(type: PairingPlan.service, primary: true)
        service.characteristics = [hello, secret, done]
        peripheral.add(service)
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?) {
        if let error { report.abandon("the service was not added: \(error.localizedDescription)") }
        next()
    }

    private func next() {
        guard !cases.isEmpty else { return report.end() }
        plan = cases.removeFirst()
        (outcome, isRead) = (nil, false)
        report.wait(for: "a central in \(plan.title)")
        if plan.forgets { for bond in pairing.bonds { pairing.unpair(bond.identifier) { _ in } } }
        pairing.setAgent(PairingUser(plan) { [weak self] in self?.pairingEnded($0) })
        plan.exchangeOutOfBandData(with: pairing) { [weak self] in
            self?.awaitSignal("scanning") { self?.advertise() }
        }
    }

    private func advertise() {
        manager.startAdvertising([CBAdvertisementDataLocalNameKey: plan.name])
    }

    private func awaitSignal(_ word: String, _ body: @escaping @MainActor () -> Void) {
        guard plan.signals else { return body() }
        PairingFiles.await("\(word)-\(plan.number)") { _ in body() }
    }

    func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {
        if let error { report.abandon("not advertising: \(error.localizedDescription)") }
        report.note("READY \(plan.number)")
    }

    private func pairingEnded(_ result: Result<PairingSecurity, PairingError>) {
        report.note("pairing ended: \(PairingPlan.text(result))")
        outcome = PairingPlan.text(result)
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
        if request.characteristic.uuid == PairingPlan.hello {
            request.value = PairingPlan.helloValue
            if plan.start == .pair {
                pairing.pair(request.central.identifier, minimum: PairingPlan.level(plan.minimum)) { _ in }
            }
        } else {
            isRead = true
            request.value = PairingPlan.secretValue
        }
        peripheral.respond(to: request, withResult: .success)
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
        guard let request = requests.first else { return }
        pending = request
        guard plan.start == .bond else { return complete(outcome ?? "no pairing") }
        // The call returns the security of the link, which the keys of the bond encrypt.
        pairing.pair(request.central.identifier, minimum: .encrypted) { [weak self] result in
            MainActor.assumeIsolated { self?.complete(PairingPlan.text(result)) }
        }
    }

    private func complete(_ text: String) {
        guard let request = pending else { return }
        pending = nil
        var text = isRead ? text + ", value read" : text
        if let peer = plan.peer {
            let name = "identifier-\(peer)", identifier = request.central.identifier.uuidString
            if PairingFiles.content(of: name) == nil { PairingFiles.share(identifier, as: name) }
            if PairingFiles.content(of: name) != identifier { text = "another identifier" }
        }
        report.compare(plan.title, text, plan.expects, plan.expects)
        manager.stopAdvertising()
        manager.respond(to: request, withResult: .success)
        // The central disconnects after the response.
        awaitSignal("ended") { [weak self] in
            DispatchQueue.main.asyncAfter(deadline: .now() + 0.2) { MainActor.assumeIsolated { self?.next() } }
        }
    }
}
