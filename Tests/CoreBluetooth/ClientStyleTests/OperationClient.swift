import CoreBluetooth

/// An `Operation` that ends when its callback came.
class BluetoothOperation: Operation, @unchecked Sendable {
    private enum Phase { case ready, executing, finished }
    private let lock = NSLock()
    private var phase = Phase.ready
    private var outcome: (any Error)?

    let client: OperationClient

    init(_ client: OperationClient) { self.client = client }

    var error: (any Error)? { lock.withLock { outcome } }
    override var isAsynchronous: Bool { true }
    override var isExecuting: Bool { lock.withLock { phase == .executing } }
    override var isFinished: Bool { lock.withLock { phase == .finished } }

    override func start() {
        guard !isCancelled else { return finish() }
        set(.executing, "isExecuting")
        client.queue.async { [self] in
            client.current = self
            begin()
        }
    }

    /// On the client's queue: starts the operation, whose events arrive in `receive`.
    func begin() { finish() }

    /// On the client's queue: receives an event.
    func receive(_ event: OperationClient.Event) {}

    func finish(_ error: (any Error)? = nil) {
        lock.withLock { outcome = error }
        set(.finished, "isFinished")
    }

    private func set(_ new: Phase, _ key: String) {
        willChangeValue(forKey: key)
        lock.withLock { phase = new }
        didChangeValue(forKey: key)
    }
}

/// A client in the style of the years of operation queues: every step is an operation, and the queue runs one at a time.
final class OperationClient: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate, @unchecked Sendable {
    enum Event {
        case state
        case found(CBPeripheral)
        case connected
        case disconnected((any Error)?)
        case services((any Error)?)
        case characteristics((any Error)?)
        case value(CBCharacteristic, (any Error)?)
        case written((any Error)?)
    }

    let queue = DispatchQueue(label: "operation client")
    let operations = OperationQueue()
    private(set) var manager: CBCentralManager!
    var peripheral: CBPeripheral?
    var current: BluetoothOperation?

    override init() {
        super.init()
        operations.maxConcurrentOperationCount = 1
        manager = CBCentralManager(delegate: self, queue: queue)
    }

    func characteristic(_ uuid: CBUUID) -> CBCharacteristic? {
        peripheral?.services?.flatMap { $0.characteristics ?? [] }.first { $0.uuid == uuid }
    }

    private func forward(_ event: Event) { current?.receive(event) }

    func centralManagerDidUpdateState(_ central: CBCentralManager) { forward(.state) }
    func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) { forward(.found(peripheral)) }
    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) { forward(.connected) }
    func centralManager(
        _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
    ) { forward(.disconnected(error)) }
    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) { forward(.services(error)) }
    func peripheral(
        _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
    ) { forward(.characteristics(error)) }
    func peripheral(
        _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) { forward(.value(characteristic, error)) }
    func peripheral(
        _ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) { forward(.written(error)) }
}

final class ConnectOperation: BluetoothOperation, @unchecked Sendable {
    private let service: CBUUID

    init(_ client: OperationClient, service: CBUUID) {
        self.service = service
        super.init(client)
    }

    override func begin() {
        if client.manager.state == .poweredOn { client.manager.scanForPeripherals(withServices: [service]) }
    }

    override func receive(_ event: OperationClient.Event) {
        switch event {
        case .state: begin()
        case .found(let peripheral) where client.peripheral == nil:
            client.peripheral = peripheral
            peripheral.delegate = client
            client.manager.stopScan()
            client.manager.connect(peripheral)
        case .connected: finish()
        case .disconnected(let error): finish(error ?? CBError(.peripheralDisconnected))
        default: break
        }
    }
}

final class DiscoverOperation: BluetoothOperation, @unchecked Sendable {
    private var left = 0

    override func begin() { client.peripheral?.discoverServices(nil) }

    override func receive(_ event: OperationClient.Event) {
        switch event {
        case .services(let error):
            let services = client.peripheral?.services ?? []
            left = services.count
            if error != nil || services.isEmpty { return finish(error) }
            for service in services { client.peripheral?.discoverCharacteristics(nil, for: service) }
        case .characteristics(let error):
            left -= 1
            if left == 0 || error != nil { finish(error) }
        case .disconnected(let error): finish(error ?? CBError(.peripheralDisconnected))
        default: break
        }
    }
}

final class ReadOperation: BluetoothOperation, @unchecked Sendable {
    private let uuid: CBUUID
    private(set) var value: Data?

    init(_ client: OperationClient, _ uuid: CBUUID) {
        self.uuid = uuid
        super.init(client)
    }

    override func begin() {
        guard let characteristic = client.characteristic(uuid) else { return finish(CBError(.invalidHandle)) }
        client.peripheral?.readValue(for: characteristic)
    }

    override func receive(_ event: OperationClient.Event) {
        switch event {
        case .value(let characteristic, let error):
            value = characteristic.value
            finish(error)
        case .disconnected(let error): finish(error ?? CBError(.peripheralDisconnected))
        default: break
        }
    }
}

final class WriteOperation: BluetoothOperation, @unchecked Sendable {
    private let uuid: CBUUID
    private let value: Data

    init(_ client: OperationClient, _ value: Data, to uuid: CBUUID) {
        self.uuid = uuid
        self.value = value
        super.init(client)
    }

    override func begin() {
        guard let characteristic = client.characteristic(uuid) else { return finish(CBError(.invalidHandle)) }
        client.peripheral?.writeValue(value, for: characteristic, type: .withResponse)
    }

    override func receive(_ event: OperationClient.Event) {
        switch event {
        case .written(let error): finish(error)
        case .disconnected(let error): finish(error ?? CBError(.peripheralDisconnected))
        default: break
        }
    }
}
