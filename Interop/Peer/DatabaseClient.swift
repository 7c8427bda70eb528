import CoreBluetooth

/// The client of a run about the database: long values over the smallest ATT_MTU, an included service, and a service that comes while
/// it is connected.
@MainActor
final class DatabaseClient: NSObject, @preconcurrency CBCentralManagerDelegate, @preconcurrency CBPeripheralDelegate {
    private let report: Report
    private var manager: CBCentralManager!
    private var peripheral: CBPeripheral?
    private var isWritten = false
    private var isChanged = false
    private var hasEverything = false

    init(report: Report) {
        self.report = report
        super.init()
        report.wait(for: "the controller")
        manager = CBCentralManager(delegate: self, queue: nil)
    }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        guard central.state == .poweredOn else { return }
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
        report.wait(for: "the services")
        peripheral.delegate = self
        peripheral.discoverServices([Plan.service, Plan.includedService])
    }

    func centralManager(
        _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
    ) {
        report.compare(
            "disconnection", error?.localizedDescription, hasEverything ? nil : "an end after everything",
            "the link ended as asked")
        report.end()
    }

    // MARK: Services

    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        if isChanged {
            guard let late = service(Plan.lateService) else { report.abandon("the late service is not there") }
            return peripheral.discoverCharacteristics(nil, for: late)
        }
        guard let main = service(Plan.service) else { report.abandon("no service") }
        let length = peripheral.maximumWriteValueLength(for: .withoutResponse)
        report.compare("ATT_MTU 23", length, Plan.smallestMTU - 3, "\(length) octets fit in a write command")
        report.wait(for: "the included services")
        peripheral.discoverIncludedServices(nil, for: main)
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverIncludedServicesFor service: CBService, error: (any Error)?)
    {
        guard let included = service.includedServices?.first(where: { $0.uuid == Plan.includedService }) else {
            report.abandon("the service includes \(service.includedServices?.map(\.uuid.uuidString) ?? [])")
        }
        peripheral.discoverCharacteristics(nil, for: included)
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?) {
        let uuid =
            switch service.uuid {
            case Plan.includedService: Plan.includedCharacteristic
            case Plan.lateService: Plan.lateCharacteristic
            default: Plan.long
            }
        guard let found = service.characteristics?.first(where: { $0.uuid == uuid }) else {
            report.abandon("\(service.uuid) has no characteristic \(uuid)")
        }
        report.wait(for: "the value of \(uuid)")
        peripheral.readValue(for: found)
    }

    // MARK: Values

    func peripheral(
        _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        let value = characteristic.value ?? Data()
        switch characteristic.uuid {
        case Plan.includedCharacteristic:
            report.compare("included service", value, Plan.includedValue, "found by its inclusion, and read")
            guard let main = service(Plan.service) else { report.abandon("no service") }
            peripheral.discoverCharacteristics(nil, for: main)
        case Plan.long where !isWritten:
            report.compare("long read with ATT_MTU 23", value, Plan.readValue, "512 octets")
            report.wait(for: "the long write")
            peripheral.writeValue(Plan.writeValue, for: characteristic, type: .withResponse)
        case Plan.long:
            report.compare("long write with ATT_MTU 23", value, Plan.writeValue, "512 octets written and read back")
            report.wait(for: "a notification")
            peripheral.setNotifyValue(true, for: self.characteristic(Plan.notify))
        case Plan.notify:
            report.compare("notify with ATT_MTU 23", value, Plan.notifications[0], "20 octets, the most that fit")
            report.wait(for: "Service Changed")
            peripheral.writeValue(Plan.change, for: self.characteristic(Plan.command), type: .withoutResponse)
        default:
            report.compare("Service Changed", value, Plan.lateValue, "the late service was announced, found and read")
            hasEverything = true
            report.wait(for: "the disconnection")
            manager.cancelPeripheralConnection(peripheral)
        }
    }

    func peripheral(
        _ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        if let error { report.abandon("not written: \(error.localizedDescription)") }
        isWritten = true
        peripheral.readValue(for: characteristic)
    }

    func peripheral(
        _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        if let error { report.abandon("not subscribed: \(error.localizedDescription)") }
    }

    func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService]) {
        report.note("Service Changed: \(invalidatedServices.map(\.uuid.uuidString)) are invalid")
        guard !isChanged else { return }
        isChanged = true
        report.wait(for: "the late service")
        peripheral.discoverServices([Plan.lateService])
    }

    private func service(_ uuid: CBUUID) -> CBService? { peripheral?.services?.first { $0.uuid == uuid } }

    private func characteristic(_ uuid: CBUUID) -> CBCharacteristic {
        guard let found = service(Plan.service)?.characteristics?.first(where: { $0.uuid == uuid }) else {
            report.abandon("the server has no characteristic \(uuid)")
        }
        return found
    }
}
