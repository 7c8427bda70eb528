import BLEAdapter
import BLEHostAdapter
import BLEWire
import CoreBluetooth
import Testing

/// Records the callbacks of a central manager and its peripherals, in order.
final class CentralRecorder: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate, @unchecked Sendable {
    let events = Locked<[String]>([])
    let peripherals = Locked<[CBPeripheral]>([])
    let errors = Locked<[any Error]>([])
    let advertisements = Locked<[[String: Any]]>([])
    let invalidated = Locked<[CBService]>([])
    let timestamps = Locked<[CFAbsoluteTime]>([])
    /// Called in each callback, after it was noted.
    let onEvent = Locked<((String) -> Void)?>(nil)
    /// Whether discovered peripherals are kept.
    let keeps = Locked(true)

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

    func centralManagerDidUpdateState(_ central: CBCentralManager) { note("state \(central.state.rawValue)") }
    func centralManager(_ central: CBCentralManager, willRestoreState dict: [String: Any]) { note("willRestoreState") }
    func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        if keeps.value, !peripherals.value.contains(peripheral) { peripherals { $0.append(peripheral) } }
        advertisements { $0.append(advertisementData) }
        note("discover \(peripheral.name ?? "-") \(RSSI)")
    }
    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        note("connect \(peripheral.state.rawValue)")
    }
    func centralManager(
        _ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?
    ) { note("fail", error) }
    func centralManager(
        _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, timestamp: CFAbsoluteTime,
        isReconnecting: Bool, error: (any Error)?
    ) {
        timestamps { $0.append(timestamp) }
        note("disconnect \(peripheral.state.rawValue)\(isReconnecting ? " reconnecting" : "")", error)
    }
    func centralManager(
        _ central: CBCentralManager, connectionEventDidOccur event: CBConnectionEvent, for peripheral: CBPeripheral
    ) { note("connectionEvent \(event.rawValue)") }
    func peripheralDidUpdateName(_ peripheral: CBPeripheral) { note("name \(peripheral.name ?? "-")") }
    func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService]) {
        invalidated { $0 = invalidatedServices }
        note("modified \(invalidatedServices.map(\.uuid.uuidString))")
    }
    func peripheralDidUpdateRSSI(_ peripheral: CBPeripheral, error: (any Error)?) { note("oldRSSI", error) }
    func peripheral(_ peripheral: CBPeripheral, didReadRSSI RSSI: NSNumber, error: (any Error)?) {
        note("rssi \(RSSI)", error)
    }
    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        note("services \(peripheral.services?.map(\.uuid.uuidString) ?? ["nil"])", error)
    }
    func peripheral(
        _ peripheral: CBPeripheral, didDiscoverIncludedServicesFor service: CBService, error: (any Error)?
    ) { note("included \(service.includedServices?.map(\.uuid.uuidString) ?? ["nil"])", error) }
    func peripheral(
        _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
    ) { note("characteristics \(service.characteristics?.map(\.uuid.uuidString) ?? ["nil"])", error) }
    func peripheral(
        _ peripheral: CBPeripheral, didDiscoverDescriptorsFor characteristic: CBCharacteristic, error: (any Error)?
    ) { note("descriptors \(characteristic.descriptors?.map(\.uuid.uuidString) ?? ["nil"])", error) }
    func peripheral(
        _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) { note("value \(characteristic.value.map { [UInt8]($0) } ?? [])", error) }
    func peripheral(
        _ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) { note("write", error) }
    func peripheral(
        _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic,
        error: (any Error)?
    ) { note("notifying \(characteristic.isNotifying)", error) }
    func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor descriptor: CBDescriptor, error: (any Error)?) {
        note("descriptorValue \(descriptor.value ?? "nil")", error)
    }
    func peripheral(_ peripheral: CBPeripheral, didWriteValueFor descriptor: CBDescriptor, error: (any Error)?) {
        note("descriptorWrite", error)
    }
    func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral) {
        note("ready \(peripheral.canSendWriteWithoutResponse)")
    }
    func peripheral(_ peripheral: CBPeripheral, didOpen channel: CBL2CAPChannel?, error: (any Error)?) {
        note("channel", error)
    }
    func peripheral(_ peripheral: CBPeripheral, didCompleteChannelSoundingSession error: (any Error)?) {
        note("sounding", error)
    }
}

/// A central manager over a fake adapter, and what a test needs to play the adapter's part.
final class CentralBench {
    let adapter: FakeAdapter
    let queue = DispatchQueue(label: "delegate")
    let recorder = CentralRecorder()
    var manager: CBCentralManager!
    let session: FakeCentralSession

    static let peer = PeerIdentifier(high: 0x1122_3344_5566_7788, low: 0x99AA_BBCC_DDEE_FF00)
    static let otherPeer = PeerIdentifier(high: 1, low: 2)

    init(initialState: AdapterState? = .poweredOn, identification: (any PeerIdentification)? = nil) {
        adapter = FakeAdapter(initialState: initialState, identification: identification)
        manager = AdapterBinding.$scoped.withValue(adapter) { [recorder, queue] in
            CBCentralManager(delegate: recorder, queue: queue)
        }
        session = adapter.centrals.value[0]
        settle()
    }

    /// Returns when every callback that is due has returned.
    func settle() {
        for _ in 0..<3 {
            adapter.executor.sync {}
            queue.sync {}
        }
    }

    /// Plays the adapter: calls the observer on its executor, and waits for the callbacks.
    func emit(_ event: @escaping (any CentralObserver) -> Void) {
        adapter.executor.sync { session.observer.map(event) }
        settle()
    }

    var events: [String] { recorder.events.value }

    /// The events since the last call.
    func newEvents() -> [String] {
        recorder.events { events in
            defer { events = [] }
            return events
        }
    }

    func newCommands() -> [CentralCommand] {
        session.record.commands { commands in
            defer { commands = [] }
            return commands
        }
    }

    func powerChanged(to state: AdapterState) { emit { $0.adapterStateChanged(state) } }

    /// Lets the manager find a device and gives its object.
    @discardableResult
    func discover(
        _ name: String? = "Thing", data: [UInt8] = [], peer: PeerIdentifier = CentralBench.peer,
        connectable: Bool = true, rssi: Int8 = -50
    ) -> CBPeripheral? {
        if !manager.isScanning { manager.scanForPeripherals(withServices: nil) }
        emit {
            $0.discovered(
                Discovery(
                    peer: PeerRecord(identifier: peer, name: name), data: data, isConnectable: connectable, rssi: rssi))
        }
        return recorder.peripherals.value.first { $0.identifier == peer.uuidForTests }
    }

    /// A connected peripheral; events and commands so far are forgotten.
    func connectedPeripheral(options: [String: Any]? = nil) -> CBPeripheral {
        guard let peripheral = discover() else { fatalError("nothing was discovered") }
        peripheral.delegate = recorder
        manager.connect(peripheral, options: options)
        emit { $0.connected(PeerRecord(identifier: Self.peer, name: nil)) }
        _ = newEvents()
        _ = newCommands()
        return peripheral
    }

    func complete(_ operation: GATTOperation, _ result: Result<GATTResult, GATTError>) {
        emit { $0.completed(operation, of: Self.peer, result) }
    }

    /// Completes the most recent operation.
    func answer(_ result: Result<GATTResult, GATTError>) {
        guard case .submit(let operation, _) = session.commands.last else {
            Issue.record("nothing to answer in \(session.commands)")
            return
        }
        complete(operation, result)
    }

    /// Gives what is true when the confirmation has been sent.
    func indicate(_ value: [UInt8], handle: UInt16) -> Locked<Bool> {
        let isConfirmed = Locked(false)
        indicate(value, handle: handle, IndicationConfirmation { isConfirmed { $0 = true } })
        return isConfirmed
    }

    func indicate(_ value: [UInt8], handle: UInt16, _ confirmation: IndicationConfirmation) {
        adapter.executor.sync {
            session.observer?.indicated(value.span, handle: handle, from: Self.peer, confirmation: confirmation)
        }
    }

    func notify(_ value: [UInt8], handle: UInt16) {
        emit { $0.received(value.span, handle: handle, from: Self.peer) }
    }
}

extension PeerIdentifier {
    /// Written out here, so that the module's own conversion is compared with something.
    var uuidForTests: UUID {
        let digits = [high, low].map { value in
            let text = String(value, radix: 16, uppercase: true)
            return String(repeating: "0", count: 16 - text.count) + text
        }.joined()
        var text = ""
        for (index, digit) in digits.enumerated() {
            if [8, 12, 16, 20].contains(index) { text += "-" }
            text.append(digit)
        }
        return UUID(uuidString: text)!
    }
}

/// Collects the lines that the module would log during `body`.
func misuses(_ body: () -> Void) -> [String] {
    let lines = Locked<[String]>([])
    APIMisuse.$sink.withValue({ line in lines { $0.append(line) } }) { body() }
    return lines.value
}

/// A 16-bit UUID.
func short(_ value: UInt16) -> BluetoothUUID { BluetoothUUID(value) }

extension DiscoveredService {
    init(_ uuid: UInt16, _ start: UInt16, _ end: UInt16, isPrimary: Bool = true) {
        self.init(uuid: short(uuid), range: HandleRange(start: start, end: end), isPrimary: isPrimary)
    }
}

extension DiscoveredCharacteristic {
    /// One whose declaration stands just before its value.
    init(_ uuid: UInt16, _ properties: CBCharacteristicProperties, value: UInt16, end: UInt16) {
        self.init(
            uuid: short(uuid), properties: UInt8(properties.rawValue), declarationHandle: value - 1,
            valueHandle: value, end: end)
    }
}
