import CoreBluetooth

/// A client that stays connected and reads the long value repeatedly while other devices use the radio.
@MainActor
final class PeerHolder: NSObject, @preconcurrency CBCentralManagerDelegate, @preconcurrency CBPeripheralDelegate {
    private static let pause = 0.25

    private let report: Report
    private var manager: CBCentralManager!
    private var peripheral: CBPeripheral?
    private var count = 0

    init(report: Report) {
        self.report = report
        super.init()
        manager = CBCentralManager(delegate: self, queue: nil)
    }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        report.note("STATE \(central.state.word)")
        // The end of the adapter ends the link. The client starts again with the next adapter.
        peripheral = nil
        guard central.state == .poweredOn else { return }
        // Another program may have connected the peripheral, which then need not advertise.
        if let peripheral = central.retrieveConnectedPeripherals(withServices: [Plan.service]).first {
            self.peripheral = peripheral
            central.connect(peripheral)
        } else {
            central.scanForPeripherals(withServices: [Plan.service])
        }
    }

    func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        guard self.peripheral == nil else { return }
        self.peripheral = peripheral
        central.stopScan()
        central.connect(peripheral)
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        peripheral.delegate = self
        peripheral.discoverServices([Plan.service])
    }

    func centralManager(
        _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
    ) {
        report.abandon("disconnected: \(error?.localizedDescription ?? "no reason given")")
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        guard let service = peripheral.services?.first else { report.abandon("no service") }
        peripheral.discoverCharacteristics([Plan.long], for: service)
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?) {
        guard let characteristic = service.characteristics?.first else { report.abandon("no characteristic") }
        peripheral.readValue(for: characteristic)
    }

    func peripheral(
        _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        guard let value = characteristic.value, isPlanned(value) else {
            report.abandon("a wrong value: \(error?.localizedDescription ?? "no error")")
        }
        guard peripheral === self.peripheral else { return }
        count += 1
        report.note("VALUE \(count)")
        DispatchQueue.main.asyncAfter(deadline: .now() + Self.pause) { [weak self] in
            if self?.peripheral === peripheral { peripheral.readValue(for: characteristic) }
        }
    }

    /// Whether a value is one of the plan. A long value is read in parts, and another client may write it between two of them.
    private func isPlanned(_ value: Data) -> Bool {
        let (old, new) = (Plan.readValue, Plan.writeValue)
        guard value.count == old.count, value.count == new.count else { return value == old || value == new }
        let changed = zip(value, old).prefix { $0 == $1 }.count
        return value == new || value.dropFirst(changed) == new.dropFirst(changed)
    }
}
