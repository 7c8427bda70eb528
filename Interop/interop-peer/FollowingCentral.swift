import CoreBluetooth

/// A central that keeps a subscription to the heart rate of the nearest device: after each loss of the link or of the adapter it connects
/// again, by the identifier of the device. It prints each state and each value.
@MainActor
final class FollowingCentral: NSObject, @preconcurrency CBCentralManagerDelegate,
    @preconcurrency CBPeripheralDelegate
{
    private static let service = CBUUID(string: "180D")
    private static let measurement = CBUUID(string: "2A37")

    private let report: Report
    private var manager: CBCentralManager!
    private var peripheral: CBPeripheral?
    private var identifier: UUID?

    init(report: Report) {
        self.report = report
        super.init()
        manager = CBCentralManager(delegate: self, queue: nil)
    }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        let names: [CBManagerState: String] = [
            .unknown: "unknown", .resetting: "resetting", .unsupported: "unsupported", .unauthorized: "unauthorized",
            .poweredOff: "poweredOff", .poweredOn: "poweredOn",
        ]
        report.note("STATE \(names[central.state] ?? "?")")
        guard central.state == .poweredOn else { return }
        if let identifier, let known = central.retrievePeripherals(withIdentifiers: [identifier]).first {
            connect(known)
        } else {
            central.scanForPeripherals(withServices: [Self.service])
        }
    }

    private func connect(_ found: CBPeripheral) {
        peripheral = found
        identifier = found.identifier
        found.delegate = self
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
        report.note("CONNECTED")
        found.discoverServices([Self.service])
    }

    func centralManager(
        _ central: CBCentralManager, didFailToConnect found: CBPeripheral, error: (any Error)?
    ) {
        report.note("FAILED \(error?.localizedDescription ?? "")")
        central.connect(found)
    }

    func centralManager(
        _ central: CBCentralManager, didDisconnectPeripheral found: CBPeripheral, error: (any Error)?
    ) {
        report.note("DISCONNECTED")
        central.connect(found)
    }

    func peripheral(_ found: CBPeripheral, didDiscoverServices error: (any Error)?) {
        guard let service = found.services?.first else { return }
        found.discoverCharacteristics([Self.measurement], for: service)
    }

    func peripheral(_ found: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?) {
        guard let characteristic = service.characteristics?.first else { return }
        found.setNotifyValue(true, for: characteristic)
    }

    func peripheral(_ found: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?) {
        report.note("VALUE \(characteristic.value?.count ?? 0)")
    }
}
