import BLEAdapter
import BLEHostAdapter
import BLEWire
import CoreBluetooth

/// Records the callbacks of a peripheral manager, in order.
final class PeripheralRecorder: NSObject, CBPeripheralManagerDelegate, @unchecked Sendable {
    let events = Locked<[String]>([])
    let errors = Locked<[any Error]>([])
    let reads = Locked<[CBATTRequest]>([])
    let writes = Locked<[[CBATTRequest]]>([])
    let centrals = Locked<[CBCentral]>([])
    let onEvent = Locked<((String) -> Void)?>(nil)

    private func note(_ event: String, _ error: (any Error)? = nil) {
        var event = event
        if let error {
            errors { $0.append(error) }
            let error = error as NSError
            event += " \(error.domain) \(error.code)"
        }
        events { $0.append(event) }
        onEvent.value?(event)
    }

    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        note("state \(peripheral.state.rawValue) \(peripheral.isAdvertising)")
    }
    func peripheralManager(_ peripheral: CBPeripheralManager, willRestoreState dict: [String: Any]) {
        note("willRestoreState")
    }
    func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {
        note("advertising \(peripheral.isAdvertising)", error)
    }
    func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?) {
        note("add \(service.uuid.uuidString)", error)
    }
    func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic
    ) {
        centrals { $0.append(central) }
        let count = (characteristic as? CBMutableCharacteristic)?.subscribedCentrals?.count ?? 0
        note("subscribe \(characteristic.uuid.uuidString) \(count)")
    }
    func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didUnsubscribeFrom characteristic: CBCharacteristic
    ) {
        let count = (characteristic as? CBMutableCharacteristic)?.subscribedCentrals?.count ?? 0
        note("unsubscribe \(characteristic.uuid.uuidString) \(count)")
    }
    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
        reads { $0.append(request) }
        note("read \(request.characteristic.uuid.uuidString) \(request.offset) \(request.value?.count ?? -1)")
    }
    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
        writes { $0.append(requests) }
        let parts = requests.map { "\($0.characteristic.uuid.uuidString)+\($0.offset)=\([UInt8]($0.value ?? Data()))" }
        note("write \(parts.joined(separator: " "))")
    }
    func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) { note("ready") }
    func peripheralManager(
        _ peripheral: CBPeripheralManager, didPublishL2CAPChannel PSM: CBL2CAPPSM, error: (any Error)?
    ) { note("publish \(PSM)", error) }
    func peripheralManager(
        _ peripheral: CBPeripheralManager, didUnpublishL2CAPChannel PSM: CBL2CAPPSM, error: (any Error)?
    ) { note("unpublish \(PSM)", error) }
}

/// A peripheral manager over a fake adapter.
final class PeripheralBench {
    let adapter: FakeAdapter
    let queue = DispatchQueue(label: "delegate")
    let recorder = PeripheralRecorder()
    var manager: CBPeripheralManager!
    let session: FakePeripheralSession

    static let client = CentralRecord(identifier: CentralBench.peer, maximumUpdateLength: 20)
    static let otherClient = CentralRecord(identifier: CentralBench.otherPeer, maximumUpdateLength: 182)

    init(initialState: AdapterState? = .poweredOn) {
        adapter = FakeAdapter(initialState: initialState)
        manager = AdapterBinding.$scoped.withValue(adapter) { [recorder, queue] in
            CBPeripheralManager(delegate: recorder, queue: queue)
        }
        session = adapter.peripherals.value[0]
        settle()
        _ = newEvents()
    }

    func settle() {
        for _ in 0..<3 {
            adapter.executor.sync {}
            queue.sync {}
        }
    }

    func emit(_ event: @escaping (any PeripheralObserver) -> Void) {
        adapter.executor.sync { session.observer.map(event) }
        settle()
    }

    func newEvents() -> [String] {
        recorder.events { events in
            defer { events = [] }
            return events
        }
    }

    func newCommands() -> [PeripheralCommand] {
        session.record.commands { commands in
            defer { commands = [] }
            return commands
        }
    }

    /// The definitions that the adapter was given.
    var definitions: [ServiceDefinition] {
        session.commands.compactMap { if case .add(let definition, _) = $0 { definition } else { nil } }
    }

    /// Adds a service and lets the adapter take it; gives its token.
    @discardableResult
    func publish(_ service: CBMutableService, _ failure: PublishingError? = nil) -> Int {
        manager.add(service)
        guard case .add(_, let token) = session.commands.last else { return 0 }
        emit { $0.serviceAdded(token: token, failure) }
        return token
    }
}

/// A service with the given characteristics.
func service(_ uuid: String, _ characteristics: [CBMutableCharacteristic] = [], primary: Bool = true)
    -> CBMutableService
{
    let service = CBMutableService(type: CBUUID(string: uuid), primary: primary)
    service.characteristics = characteristics
    return service
}

/// A dynamic characteristic, or a static one if it has a value.
func characteristic(
    _ uuid: String, _ properties: CBCharacteristicProperties = [.read, .write, .notify],
    _ permissions: CBAttributePermissions = [.readable, .writeable], value: Data? = nil
) -> CBMutableCharacteristic {
    CBMutableCharacteristic(
        type: CBUUID(string: uuid), properties: properties, value: value, permissions: permissions)
}
