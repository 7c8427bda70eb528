import CoreBluetooth

/// The server of the topic values: serves one client, and compares the written values after its disconnection.
@MainActor final class PeerPeripheral: NSObject, @preconcurrency CBPeripheralManagerDelegate {
    private let report: Report
    private var manager: CBPeripheralManager!
    private var longValue = Plan.readValue
    private var commands: [Data] = []
    private var unsent: [(CBMutableCharacteristic, Data)] = []
    private var sent: [CBUUID: Int] = [:]
    private var subscribers: [CBUUID: UUID] = [:]

    private let long = CBMutableCharacteristic(
        type: Plan.long, properties: [.read, .write], value: nil, permissions: [.readable, .writeable])
    private let command = CBMutableCharacteristic(
        type: Plan.command, properties: .writeWithoutResponse, value: nil, permissions: .writeable)
    private let account = CBMutableCharacteristic(
        type: Plan.account, properties: .read, value: nil, permissions: .readable)
    private let notify = CBMutableCharacteristic(
        type: Plan.notify, properties: .notify, value: nil, permissions: .readable)
    private let indicate = CBMutableCharacteristic(
        type: Plan.indicate, properties: .indicate, value: nil, permissions: .readable)

    init(report: Report) {
        self.report = report
        super.init()
        report.wait(for: "the controller")
        manager = CBPeripheralManager(delegate: self, queue: nil)
    }

    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        report.note("state \(peripheral.state.rawValue)")
        guard peripheral.state == .poweredOn else {
            if peripheral.state == .unsupported || peripheral.state == .unauthorized { report.abandon("no controller") }
            return
        }
        long.descriptors = [
            CBMutableDescriptor(
                type: CBUUID(string: CBUUIDCharacteristicUserDescriptionString), value: Plan.description)
        ]
        let service = CBMutableService(type: Plan.service, primary: true)
        service.characteristics = [long, command, account, notify, indicate]
        peripheral.add(service)
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?) {
        if let error { report.abandon("the service was not added: \(error.localizedDescription)") }
        peripheral.startAdvertising([
            CBAdvertisementDataLocalNameKey: Plan.name, CBAdvertisementDataServiceUUIDsKey: [Plan.service],
        ])
    }

    func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {
        if let error { report.abandon("not advertising: \(error.localizedDescription)") }
        report.note("READY")
        report.wait(for: "a client to come, subscribe, and leave")
    }

    // MARK: Requests

    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
        let value = request.characteristic.uuid == Plan.long ? longValue : commands.reduce(Data(), +)
        guard request.offset <= value.count else { return peripheral.respond(to: request, withResult: .invalidOffset) }
        request.value = value.subdata(in: request.offset..<value.count)
        peripheral.respond(to: request, withResult: .success)
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
        guard let first = requests.first else { return }
        if first.characteristic.uuid == Plan.command {
            commands += requests.compactMap(\.value)
            return
        }
        var value = Data()
        for request in requests {
            guard request.offset == value.count, let part = request.value else {
                return peripheral.respond(to: first, withResult: .invalidOffset)
            }
            value += part
        }
        longValue = value
        report.compare("long write", value, Plan.writeValue, "512 octets in \(requests.count) requests of one array")
        peripheral.respond(to: first, withResult: .success)
    }

    // MARK: Subscriptions

    func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic
    ) {
        report.note("subscribed to \(characteristic.uuid), \(central.maximumUpdateValueLength) octets fit")
        subscribers[characteristic.uuid] = central.identifier
        if characteristic.uuid == Plan.notify {
            unsent += Plan.notifications.map { (notify, $0) }
        } else {
            unsent += Plan.indications.map { (indicate, $0) }
        }
        send()
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didUnsubscribeFrom characteristic: CBCharacteristic
    ) {
        let subscriber = subscribers.removeValue(forKey: characteristic.uuid)
        if characteristic.uuid == Plan.notify {
            report.compare("notify", sent[Plan.notify], Plan.notifications.count, "all sent before it unsubscribed")
            return
        }
        report.compare("indicate", sent[Plan.indicate], Plan.indications.count, "all sent before it left")
        report.compare("write command", commands, Plan.commands, "\(Plan.commands.count) write commands in order")
        report.compare(
            "disconnection", [subscriber] + subscribers.values.map { $0 }, [central.identifier],
            "the client left, and its last subscription ended by that")
        report.end()
    }

    func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) { send() }

    private func send() {
        while let (characteristic, value) = unsent.first {
            guard manager.updateValue(value, for: characteristic, onSubscribedCentrals: nil) else { return }
            sent[characteristic.uuid, default: 0] += 1
            unsent.removeFirst()
        }
    }
}
