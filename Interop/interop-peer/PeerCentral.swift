import CoreBluetooth

/// The client of the topic values: uses every characteristic of the server in a fixed order and compares each value.
@MainActor
final class PeerCentral: PeerClient, @preconcurrency CBPeripheralDelegate {
    private var commandsSent = 0
    private var isWritten = false
    private var hasReceivedIndications = false
    private var values: [Data] = []

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
        case Plan.account where hasReceivedIndications:
            // The subscription lasts until the end, so the server learns that the client disconnected.
            disconnect()
        case Plan.account:
            report.compare(
                "write command", value, Plan.commands.reduce(Data(), +), "the server received each of them")
            report.wait(for: "notifications")
            peripheral.setNotifyValue(true, for: self.characteristic(Plan.notify))
        case Plan.notify: receive(value, Plan.notifications, "notify", from: characteristic)
        case Plan.indicate: receive(value, Plan.indications, "indicate", from: characteristic)
        default: report.check("read", false, "an unexpected value of \(characteristic.uuid)")
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
            // The response to this read arrives after the last confirmation has left. A disconnection could overtake it.
            hasReceivedIndications = true
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

    private func descriptor(_ uuid: CBUUID) -> CBDescriptor? {
        characteristic(Plan.long).descriptors?.first { $0.uuid == uuid }
    }
}
