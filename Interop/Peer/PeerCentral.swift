import CoreBluetooth

/// The client: goes through everything the server has, in a fixed order, and compares each value.
@MainActor
final class PeerCentral: NSObject, @preconcurrency CBCentralManagerDelegate, @preconcurrency CBPeripheralDelegate {
    private let report: Report
    private var manager: CBCentralManager!
    private var peripheral: CBPeripheral?
    private var commandsSent = 0
    private var isWritten = false
    private var hasEverything = false
    private var values: [Data] = []

    init(report: Report) {
        self.report = report
        super.init()
        report.wait(for: "the controller")
        manager = CBCentralManager(delegate: self, queue: nil)
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
        peripheral.delegate = self
        peripheral.discoverServices([Plan.service])
    }

    func centralManager(_ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?) {
        report.abandon("not connected: \(text(error))")
    }

    func centralManager(
        _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
    ) {
        // An error would be the reason why the peer or the radio ended the link; this side ended it.
        report.compare(
            "disconnection", error.map(text), hasEverything ? nil : "an end after everything", "the link ended as asked"
        )
        report.end()
    }

    // MARK: Discovery

    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        guard let service = peripheral.services?.first else { report.abandon("no service: \(text(error))") }
        peripheral.discoverCharacteristics(nil, for: service)
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?) {
        let found = (service.characteristics ?? []).map { ($0.uuid.uuidString, $0.properties.rawValue) }
        let expected = Plan.properties.map { ($0.key.uuidString, $0.value.rawValue) }
        report.compare(
            "discovery", Dictionary(found) { $1 }, Dictionary(expected) { $1 },
            "\(found.count) characteristics with their properties")
        report.note("ATT_MTU \(peripheral.maximumWriteValueLength(for: .withoutResponse) + 3)")
        report.wait(for: "the descriptors")
        peripheral.discoverDescriptors(for: characteristic(Plan.long))
    }

    func peripheral(
        _ peripheral: CBPeripheral, didDiscoverDescriptorsFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        guard let description = descriptor(CBUUID(string: CBUUIDCharacteristicUserDescriptionString)) else {
            report.abandon("no user description: \(text(error))")
        }
        peripheral.readValue(for: description)
    }

    func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor descriptor: CBDescriptor, error: (any Error)?) {
        if descriptor.uuid == Plan.notepad {
            report.compare(
                "descriptor write", descriptor.value as? Data, Plan.descriptorValue, "written and read back")
            return sendCommands()
        }
        report.compare("user description", descriptor.value as? String, Plan.description, "descriptor 2901 read")
        report.wait(for: "the long read")
        peripheral.readValue(for: characteristic(Plan.long))
    }

    // MARK: Reading and writing

    func peripheral(
        _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        let value = characteristic.value ?? Data()
        if let error { report.check("read", false, "\(characteristic.uuid): \(text(error))") }
        switch characteristic.uuid {
        case Plan.long where !isWritten:
            report.compare("long read", value, Plan.readValue, "512 octets")
            report.wait(for: "the long write")
            peripheral.writeValue(Plan.writeValue, for: characteristic, type: .withResponse)
        case Plan.long:
            report.compare("long write", value, Plan.writeValue, "\(value.count) octets written and read back")
            guard let notepad = descriptor(Plan.notepad) else { return sendCommands() }
            report.wait(for: "the descriptor's write")
            peripheral.writeValue(Plan.descriptorValue, for: notepad)
        case Plan.account where hasEverything:
            // Subscribed until the end: the server hears that we left.
            report.wait(for: "the disconnection")
            manager.cancelPeripheralConnection(peripheral)
        case Plan.account:
            report.compare(
                "write command", value, Plan.commands.reduce(Data(), +), "the server accounts for each of them")
            report.wait(for: "notifications")
            peripheral.setNotifyValue(true, for: self.characteristic(Plan.notify))
        case Plan.notify: receive(value, Plan.notifications, "notify", from: characteristic)
        case Plan.indicate: receive(value, Plan.indications, "indicate", from: characteristic)
        default: report.check("read", false, "a value of \(characteristic.uuid), which nobody asked for")
        }
    }

    func peripheral(
        _ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        if let error { report.check("long write", false, text(error)) }
        isWritten = true
        peripheral.readValue(for: characteristic)
    }

    func peripheral(_ peripheral: CBPeripheral, didWriteValueFor descriptor: CBDescriptor, error: (any Error)?) {
        if let error { report.check("descriptor write", false, text(error)) }
        peripheral.readValue(for: descriptor)
    }

    // MARK: Write commands

    private func sendCommands() {
        guard let peripheral else { return }
        report.wait(for: "room for write commands")
        while commandsSent < Plan.commands.count, peripheral.canSendWriteWithoutResponse {
            peripheral.writeValue(
                Plan.commands[commandsSent], for: characteristic(Plan.command), type: .withoutResponse)
            commandsSent += 1
        }
        guard commandsSent == Plan.commands.count else { return }
        report.wait(for: "the account of write commands")
        peripheral.readValue(for: characteristic(Plan.account))
    }

    func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral) {
        if commandsSent > 0, commandsSent < Plan.commands.count { sendCommands() }
    }

    // MARK: Notifications and indications

    private func receive(_ value: Data, _ expected: [Data], _ name: String, from characteristic: CBCharacteristic) {
        values.append(value)
        guard values.count == expected.count, let peripheral else { return }
        report.compare(name, values, expected, "\(values.count) in order")
        values = []
        if characteristic.uuid == Plan.notify {
            peripheral.setNotifyValue(false, for: characteristic)
        } else {
            // An answer to this comes after the last confirmation went out; a disconnection may overtake it.
            hasEverything = true
            peripheral.readValue(for: self.characteristic(Plan.account))
        }
    }

    func peripheral(
        _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        if let error { report.check("notify", false, text(error)) }
        guard characteristic.uuid == Plan.notify, !characteristic.isNotifying else { return }
        report.wait(for: "indications")
        peripheral.setNotifyValue(true, for: self.characteristic(Plan.indicate))
    }

    // MARK: Helpers

    private func characteristic(_ uuid: CBUUID) -> CBCharacteristic {
        guard let found = peripheral?.services?.first?.characteristics?.first(where: { $0.uuid == uuid }) else {
            report.abandon("the server has no characteristic \(uuid)")
        }
        return found
    }

    private func descriptor(_ uuid: CBUUID) -> CBDescriptor? {
        characteristic(Plan.long).descriptors?.first { $0.uuid == uuid }
    }

    private func text(_ error: any Error) -> String { error.localizedDescription }
    private func text(_ error: (any Error)?) -> String { error?.localizedDescription ?? "no reason given" }
}
