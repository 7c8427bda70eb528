import CoreBluetooth

/// The work of a ``BluetoothListener``, and the delegate of its manager.
///
/// `@unchecked Sendable`: all calls and state are on the queue of the manager.
final class BluetoothListenerSession: NSObject, @unchecked Sendable {
    private struct Client {
        let number: UInt64
        let central: CBCentral
        var stream: SecureStream
        var waiting: [UInt8] = []
    }

    private static let mostClients = 8

    private let device: String
    private let key: LinkKey
    private var manager: CBPeripheralManager!
    private var report: (@Sendable (DeviceListenerEvent) -> Void)?
    private var isPublished = false
    private var clients: [UUID: Client] = [:]
    private var nextNumber: UInt64 = 1
    /// Octets that do not belong to a channel.
    private(set) var refused = 0

    private let toDevice = CBMutableCharacteristic(
        type: LinkService.toDevice, properties: [.write], value: nil, permissions: .writeable)
    private let fromDevice = CBMutableCharacteristic(
        type: LinkService.fromDevice, properties: [.notify], value: nil, permissions: .readable)

    init(_ device: String, key: LinkKey, queue: DispatchQueue = .main) {
        self.device = device
        self.key = key
        super.init()
        manager = CBPeripheralManager(delegate: self, queue: queue)
    }

    /// Publishes the service and advertises it, now and after each loss of power.
    func open(_ report: @escaping @Sendable (DeviceListenerEvent) -> Void) {
        self.report = report
        stateChanged()
    }

    /// Sends an envelope to a client.
    func send(_ envelope: [UInt8], to client: UInt64) {
        guard let identifier = clients.first(where: { $0.value.number == client })?.key else { return }
        clients[identifier]!.stream.send(envelope)
        pump(identifier)
    }

    /// Stops advertising and removes the service.
    func close() {
        report = nil
        clients = [:]
        guard manager.state == .poweredOn else { return }
        manager.stopAdvertising()
        manager.removeAllServices()
    }

    private func stateChanged() {
        guard let report else { return }
        guard manager.state == .poweredOn else {
            for client in clients.values where client.stream.isConfirmed { report(.left(client.number)) }
            clients = [:]
            isPublished = false
            switch manager.state {
            case .unsupported, .unauthorized:
                report(.failed("Bluetooth is not available: check `bluelab adapters`."))
            default: break
            }
            return
        }
        guard !isPublished else { return }
        isPublished = true
        manager.stopAdvertising()
        manager.removeAllServices()
        let service = CBMutableService(type: LinkService.service, primary: true)
        let identifier = CBMutableCharacteristic(
            type: LinkService.identifier, properties: .read, value: Data(device.utf8), permissions: .readable)
        service.characteristics = [toDevice, fromDevice, identifier]
        manager.add(service)
    }

    private func leave(_ identifier: UUID) {
        guard let client = clients.removeValue(forKey: identifier) else { return }
        if client.stream.isConfirmed { report?(.left(client.number)) }
    }

    private func pump(_ identifier: UUID) {
        guard var client = clients[identifier] else { return }
        client.waiting += client.stream.takeOutgoing()
        while !client.waiting.isEmpty {
            let value = client.waiting.prefix(max(20, client.central.maximumUpdateValueLength))
            // False: `peripheralManagerIsReady` follows.
            guard manager.updateValue(Data(value), for: fromDevice, onSubscribedCentrals: [client.central]) else {
                break
            }
            client.waiting.removeFirst(value.count)
        }
        clients[identifier] = client
        if client.waiting.count > LinkService.mostWaiting { leave(identifier) }
    }
}

extension BluetoothListenerSession: CBPeripheralManagerDelegate {
    /// Publishes the service.
    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) { stateChanged() }

    /// Advertises.
    func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?) {
        if let error {
            report?(.failed("The link service cannot be published: \(error.localizedDescription)"))
            return
        }
        guard report != nil else { return }
        peripheral.startAdvertising([
            CBAdvertisementDataServiceUUIDsKey: [LinkService.service],
            CBAdvertisementDataLocalNameKey: device,
        ])
    }

    /// Reports the result of advertising.
    func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {
        if let error {
            report?(.failed("The link service cannot be advertised: \(error.localizedDescription)"))
        } else {
            report?(.opened(device))
        }
    }

    /// Begins a channel with a central. A central that subscribes again begins a new one.
    func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic
    ) {
        leave(central.identifier)
        // A central that has not shown the key gives way to the next one.
        if clients.count >= Self.mostClients {
            let strangers = clients.filter { !$0.value.stream.isConfirmed }
            if let oldest = strangers.min(by: { $0.value.number < $1.value.number }) { leave(oldest.key) }
        }
        guard clients.count < Self.mostClients else { return }
        clients[central.identifier] = Client(
            number: nextNumber, central: central, stream: SecureStream(isClient: false, key: key))
        nextNumber += 1
    }

    /// Ends the channel of a central.
    func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didUnsubscribeFrom characteristic: CBCharacteristic
    ) { leave(central.identifier) }

    /// Receives octets of a channel. A wrong key is refused, so that the client learns it at once.
    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
        guard let first = requests.first else { return }
        let identifier = first.central.identifier
        guard var client = clients[identifier] else {
            refused += 1
            return peripheral.respond(to: first, withResult: .insufficientAuthorization)
        }
        do throws(LinkChannelError) {
            var envelopes: [[UInt8]] = []
            for request in requests { envelopes += try client.stream.receive(request.value ?? Data()) }
            clients[identifier] = client
            peripheral.respond(to: first, withResult: .success)
            pump(identifier)
            for envelope in envelopes { report?(.received(envelope, client: client.number)) }
        } catch {
            refused += 1
            leave(identifier)
            peripheral.respond(to: first, withResult: .insufficientAuthorization)
        }
    }

    /// Sends more.
    func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) {
        for identifier in clients.keys.sorted(by: { $0.uuidString < $1.uuidString }) { pump(identifier) }
    }
}
