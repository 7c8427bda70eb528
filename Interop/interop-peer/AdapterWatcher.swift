import CoreBluetooth

/// A peripheral that recovers with its adapter: prints each state, and publishes and advertises again when the state permits.
///
/// btvirt reports an advertisement only when the advertising or a scan begins, and the kernel drops a report that arrives before it knows
/// that its scan has begun. With INTEROP_REPEATS the advertising therefore begins each second, as advertisements on the air arrive again.
@MainActor final class AdapterWatcher: NSObject, @preconcurrency CBPeripheralManagerDelegate {
    private let report: Report
    private var manager: CBPeripheralManager!
    private var wasLost = true
    private let repeats = ProcessInfo.processInfo.environment["INTEROP_REPEATS"] != nil
    private let value = CBMutableCharacteristic(
        type: Plan.long, properties: [.read], value: Plan.readValue, permissions: .readable)

    init(report: Report) {
        self.report = report
        super.init()
        manager = CBPeripheralManager(delegate: self, queue: nil)
    }

    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        report.note("STATE \(peripheral.state.word)")
        // Services survive `.poweredOff` and no lower state.
        if peripheral.state != .poweredOn, peripheral.state != .poweredOff { wasLost = true }
        guard peripheral.state == .poweredOn else { return }
        guard wasLost else { return advertise() }
        wasLost = false
        let service = CBMutableService(type: Plan.service, primary: true)
        service.characteristics = [value]
        peripheral.add(service)
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?) {
        if let error { report.note("the service was not added: \(error.localizedDescription)") }
        advertise()
    }

    private func advertise() {
        guard !manager.isAdvertising else { return report.note("READY") }
        manager.startAdvertising([CBAdvertisementDataServiceUUIDsKey: [Plan.service]])
    }

    func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {
        report.note(error.map { "not advertising: \($0.localizedDescription)" } ?? "READY")
        guard repeats, error == nil else { return }
        DispatchQueue.main.asyncAfter(deadline: .now() + 1) { [self] in
            guard manager.isAdvertising else { return }
            manager.stopAdvertising()
            advertise()
        }
    }
}
