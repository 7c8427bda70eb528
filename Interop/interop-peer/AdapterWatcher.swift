import CoreBluetooth

/// A peripheral that recovers with its adapter: prints each state, and publishes and advertises again when the state permits. Subscribers
/// receive a value ten times a second.
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
    private let command = CBMutableCharacteristic(
        type: Plan.command, properties: [.writeWithoutResponse], value: nil, permissions: .writeable)
    private let notifying = CBMutableCharacteristic(
        type: Plan.notify, properties: [.notify], value: nil, permissions: .readable)
    private let secret = CBMutableCharacteristic(
        type: Plan.account, properties: [.read], value: Data([1]), permissions: .readEncryptionRequired)
    /// The number of subscriptions, so that each has one series of values.
    private var subscription = 0

    init(report: Report) {
        self.report = report
        super.init()
        manager = CBPeripheralManager(delegate: self, queue: nil)
    }

    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        report.note("STATE \(peripheral.state.word)")
        // Services survive `.poweredOff` and no lower state.
        if peripheral.state != .poweredOn, peripheral.state != .poweredOff { wasLost = true }
        guard peripheral.state == .poweredOn else {
            subscription += 1
            return
        }
        guard wasLost else { return advertise() }
        wasLost = false
        let service = CBMutableService(type: Plan.service, primary: true)
        service.characteristics = [value, command, notifying, secret]
        peripheral.add(service)
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?) {
        report.note(error.map { "the service was not added: \($0.localizedDescription)" } ?? "ADDED")
        advertise()
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic
    ) {
        report.note("SUBSCRIBED")
        subscription += 1
        update(subscription)
    }

    /// Sends a value, and further ones as long as the subscription is the last one.
    private func update(_ number: Int) {
        guard number == subscription else { return }
        _ = manager.updateValue(Data([UInt8(truncatingIfNeeded: number)]), for: notifying, onSubscribedCentrals: nil)
        DispatchQueue.main.asyncAfter(deadline: .now() + 0.1) { [weak self] in self?.update(number) }
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didUnsubscribeFrom characteristic: CBCharacteristic
    ) { subscription += 1 }

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
