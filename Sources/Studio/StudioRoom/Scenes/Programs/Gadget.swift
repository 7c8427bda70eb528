import CoreBluetooth

/// A device with one characteristic, which counts what centrals write to it.
final class Gadget: NSObject, CBPeripheralManagerDelegate {
    static var service: CBUUID { CBUUID(string: "FF00") }
    static var characteristic: CBUUID { CBUUID(string: "FF01") }

    var log: (String) -> Void = { print($0) }
    /// The advertised name.
    var name = "Gadget"
    var properties: CBCharacteristicProperties = [.read, .write, .writeWithoutResponse, .notify]
    var permissions: CBAttributePermissions = [.readable, .writeable]
    /// What a read returns.
    var content = Data([1])
    /// The connection interval to ask for; nil accepts the phone's.
    var latency: CBPeripheralManagerConnectionLatency?

    private let queue: DispatchQueue?
    private var manager: CBPeripheralManager!
    private var value: CBMutableCharacteristic!
    private var received = 0
    private var reported = 0
    private var seconds: UInt8 = 0

    init(queue: DispatchQueue? = nil) { self.queue = queue }

    func start() { manager = CBPeripheralManager(delegate: self, queue: queue) }

    func stop() {
        guard manager?.state == .poweredOn else { return }
        manager.stopAdvertising()
        manager.removeAllServices()
    }

    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        guard peripheral.state == .poweredOn else { return }
        value = CBMutableCharacteristic(
            type: Self.characteristic, properties: properties, value: nil, permissions: permissions)
        let service = CBMutableService(type: Self.service, primary: true)
        service.characteristics = [value]
        peripheral.removeAllServices()
        peripheral.add(service)
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?) {
        if let error { return log("didAdd: \(error.localizedDescription)") }
        advertise()
    }

    private func advertise() {
        log("startAdvertising as \(name)")
        manager.startAdvertising([
            CBAdvertisementDataLocalNameKey: name, CBAdvertisementDataServiceUUIDsKey: [Self.service],
        ])
    }

    // lesson: rename
    /// Changes the advertised name. The GAP name, which a phone reads after it connects, stays.
    func rename(_ newName: String) {
        name = newName
        manager.stopAdvertising()
        advertise()
    }
    // lesson: end

    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
        guard request.offset <= content.count else {
            return peripheral.respond(to: request, withResult: .invalidOffset)
        }
        request.value = content.subdata(in: request.offset..<content.count)
        peripheral.respond(to: request, withResult: .success)
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
        received += requests.reduce(0) { $0 + ($1.value?.count ?? 0) }
        if let first = requests.first { peripheral.respond(to: first, withResult: .success) }
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic
    ) {
        log("didSubscribeTo \(characteristic.uuid)")
        // lesson: latency
        if let latency { peripheral.setDesiredConnectionLatency(latency, for: central) }
        // lesson: end
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didUnsubscribeFrom characteristic: CBCharacteristic
    ) { log("didUnsubscribeFrom \(characteristic.uuid)") }

    /// Notifies the seconds since the start, and reports what has been received.
    func everySecond() {
        seconds &+= 1
        if received != reported {
            log("received \(received) octets")
            reported = received
        }
        guard let value, value.subscribedCentrals?.isEmpty == false else { return }
        // A full queue drops this value; the next second brings another one.
        _ = manager.updateValue(Data([seconds]), for: value, onSubscribedCentrals: nil)
    }
}
