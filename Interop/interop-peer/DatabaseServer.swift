import CoreBluetooth

/// The server of the topic database: a service that includes another one, and a service that the server adds on request of a client.
@MainActor final class DatabaseServer: NSObject, @preconcurrency CBPeripheralManagerDelegate {
    private let report: Report
    private var manager: CBPeripheralManager!
    private var longValue = Data()
    private var isAdvertising = false
    private var isChanged = false
    private var subscriber: UUID?

    private let long = CBMutableCharacteristic(
        type: Plan.long, properties: [.read, .write], value: nil, permissions: [.readable, .writeable])
    private let command = CBMutableCharacteristic(
        type: Plan.command, properties: .writeWithoutResponse, value: nil, permissions: .writeable)
    private let notify = CBMutableCharacteristic(
        type: Plan.notify, properties: .notify, value: nil, permissions: .readable)

    init(report: Report) {
        self.report = report
        super.init()
        report.wait(for: "the controller")
        manager = CBPeripheralManager(delegate: self, queue: nil)
    }

    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        guard peripheral.state == .poweredOn else { return }
        let included = service(
            Plan.includedService, [constant(Plan.includedCharacteristic, Plan.includedValue)], isPrimary: true)
        let main = service(Plan.service, [long, command, notify], isPrimary: true)
        main.includedServices = [included]
        peripheral.add(included)
        peripheral.add(main)
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?) {
        if let error { report.abandon("\(service.uuid) was not added: \(error.localizedDescription)") }
        guard service.uuid == Plan.service, !isAdvertising else { return }
        isAdvertising = true
        peripheral.startAdvertising([CBAdvertisementDataServiceUUIDsKey: [Plan.service]])
    }

    func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {
        if let error { report.abandon("not advertising: \(error.localizedDescription)") }
        report.note("READY")
        report.wait(for: "a client to connect, request a change, and disconnect")
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
        let value = longValue.isEmpty ? Plan.readValue : longValue
        guard request.offset <= value.count else { return peripheral.respond(to: request, withResult: .invalidOffset) }
        request.value = value.subdata(in: request.offset..<value.count)
        peripheral.respond(to: request, withResult: .success)
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
        guard let first = requests.first else { return }
        if first.characteristic.uuid == Plan.command {
            guard first.value == Plan.change, !isChanged else { return }
            isChanged = true
            return peripheral.add(
                service(Plan.lateService, [constant(Plan.lateCharacteristic, Plan.lateValue)], isPrimary: true))
        }
        longValue = requests.reduce(Data()) { $0 + ($1.value ?? Data()) }
        report.compare(
            "long write with ATT_MTU 23", longValue, Plan.writeValue,
            "512 octets in \(requests.count) requests of one array")
        peripheral.respond(to: first, withResult: .success)
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic
    ) {
        subscriber = central.identifier
        report.compare(
            "ATT_MTU 23", central.maximumUpdateValueLength, Plan.smallestMTU - 3,
            "\(central.maximumUpdateValueLength) octets fit in a notification")
        if !peripheral.updateValue(Plan.notifications[0], for: notify, onSubscribedCentrals: [central]) {
            report.check("notify with ATT_MTU 23", false, "there was no room for the first notification")
        }
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didUnsubscribeFrom characteristic: CBCharacteristic
    ) {
        report.compare("Service Changed", isChanged, true, "the late service was added while the client was there")
        report.compare(
            "disconnection", central.identifier, subscriber, "the client left, and its subscription ended by that")
        report.end()
    }

    private func service(_ uuid: CBUUID, _ characteristics: [CBMutableCharacteristic], isPrimary: Bool)
        -> CBMutableService
    {
        let service = CBMutableService(type: uuid, primary: isPrimary)
        service.characteristics = characteristics
        return service
    }

    private func constant(_ uuid: CBUUID, _ value: Data) -> CBMutableCharacteristic {
        CBMutableCharacteristic(type: uuid, properties: .read, value: value, permissions: .readable)
    }
}
