import CoreBluetooth

/// A serial queue as an actor's executor, as programs for Linux write it.
private final class QueueExecutor: SerialExecutor {
    let queue: DispatchQueue

    init(label: String) { queue = DispatchQueue(label: label) }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }
}

/// A client in the style of async/await libraries: an actor that owns the manager, a delegate that passes everything on in order, and
/// one continuation for each thing that is awaited.
actor ActorClient {
    enum ClientError: Error { case notReady, notConnected, missing(String) }

    private enum Key: Hashable {
        case state
        case connection
        case services
        case characteristics(CBUUID)
        case value(CBUUID)
        case written(CBUUID)
        case notifying(CBUUID)
    }

    private let executor: QueueExecutor
    private let listener = Listener()
    private let manager: CBCentralManager
    private var waiting: [Key: [CheckedContinuation<Void, any Error>]] = [:]
    private var discoveries: AsyncStream<UUID>.Continuation?
    private var seen: [UUID: CBPeripheral] = [:]
    private var streams: [CBUUID: AsyncStream<Data>.Continuation] = [:]
    private var peripheral: CBPeripheral?

    /// The queue of the callbacks is the actor's executor, so that callbacks are on the actor already.
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init() {
        executor = QueueExecutor(label: "actor client")
        manager = CBCentralManager(delegate: listener, queue: executor.queue)
        listener.client = self
    }

    // MARK: What it can do

    func waitUntilReady() async throws {
        if manager.state != .poweredOn { try await wait(for: .state) }
        guard manager.state == .poweredOn else { throw ClientError.notReady }
    }

    /// Identifiers of the devices that have the service, each once. Ending the loop ends the scan.
    func scan(for service: CBUUID) -> AsyncStream<UUID> {
        let (stream, continuation) = AsyncStream.makeStream(of: UUID.self)
        discoveries = continuation
        continuation.onTermination = { _ in Task { await self.stopScan() } }
        manager.scanForPeripherals(withServices: [service])
        return stream
    }

    private func stopScan() {
        discoveries = nil
        manager.stopScan()
    }

    var isScanning: Bool { manager.isScanning }
    var connectionState: CBPeripheralState { peripheral?.state ?? .disconnected }

    /// Connects. A cancelled task cancels the attempt, which has no end of its own.
    func connect(to identifier: UUID) async throws {
        guard let found = seen[identifier] else { throw ClientError.notConnected }
        peripheral = found
        found.delegate = listener
        manager.connect(found)
        try await withTaskCancellationHandler {
            try await wait(for: .connection)
        } onCancel: {
            Task { await self.disconnect() }
        }
        try Task.checkCancellation()
    }

    func disconnect() {
        if let peripheral { manager.cancelPeripheralConnection(peripheral) }
    }

    /// A scan that finds nothing gives a device known by its identifier alone.
    func remember(_ identifier: UUID) {
        if let known = manager.retrievePeripherals(withIdentifiers: [identifier]).first { seen[identifier] = known }
    }

    func characteristic(_ uuid: CBUUID, of service: CBUUID) async throws {
        guard let peripheral else { throw ClientError.notConnected }
        peripheral.discoverServices([service])
        try await wait(for: .services)
        guard let found = peripheral.services?.first(where: { $0.uuid == service }) else {
            throw ClientError.missing(service.uuidString)
        }
        peripheral.discoverCharacteristics([uuid], for: found)
        try await wait(for: .characteristics(service))
    }

    func read(_ uuid: CBUUID) async throws -> Data {
        let target = try find(uuid)
        peripheral?.readValue(for: target)
        try await wait(for: .value(uuid))
        return target.value ?? Data()
    }

    func write(_ value: Data, to uuid: CBUUID) async throws {
        peripheral?.writeValue(value, for: try find(uuid), type: .withResponse)
        try await wait(for: .written(uuid))
    }

    func notifications(of uuid: CBUUID) async throws -> AsyncStream<Data> {
        let target = try find(uuid)
        let (stream, continuation) = AsyncStream.makeStream(of: Data.self)
        streams[uuid] = continuation
        let name = uuid.uuidString
        continuation.onTermination = { _ in Task { await self.unsubscribe(CBUUID(string: name)) } }
        peripheral?.setNotifyValue(true, for: target)
        try await wait(for: .notifying(uuid))
        return stream
    }

    private func unsubscribe(_ uuid: sending CBUUID) {
        streams[uuid] = nil
        if let target = try? find(uuid) { peripheral?.setNotifyValue(false, for: target) }
    }

    private func find(_ uuid: CBUUID) throws -> CBCharacteristic {
        let all = (peripheral?.services ?? []).flatMap { $0.characteristics ?? [] }
        guard let found = all.first(where: { $0.uuid == uuid }) else { throw ClientError.missing(uuid.uuidString) }
        return found
    }

    /// Whether a call waits for its callback.
    var isWaiting: Bool { waiting.values.contains { !$0.isEmpty } }

    private func wait(for key: Key) async throws {
        try await withCheckedThrowingContinuation { waiting[key, default: []].append($0) }
    }

    private func resume(_ key: Key, _ error: (any Error)? = nil) {
        guard var list = waiting[key], !list.isEmpty else { return }
        let first = list.removeFirst()
        waiting[key] = list
        if let error { first.resume(throwing: error) } else { first.resume() }
    }

    // MARK: Callbacks

    fileprivate func didUpdateState() { if manager.state != .unknown { resume(.state) } }

    fileprivate func didDiscover(_ found: CBPeripheral) {
        guard seen.updateValue(found, forKey: found.identifier) == nil else { return }
        discoveries?.yield(found.identifier)
    }

    fileprivate func didDisconnect(_ error: (any Error)?) {
        let failure = error ?? CBError(.peripheralDisconnected)
        for key in waiting.keys where key != .state { while waiting[key]?.isEmpty == false { resume(key, failure) } }
        for stream in streams.values { stream.finish() }
    }

    fileprivate func didConnect() { resume(.connection) }
    fileprivate func didDiscoverServices(_ error: (any Error)?) { resume(.services, error) }
    fileprivate func didDiscoverCharacteristics(_ service: CBService, _ error: (any Error)?) {
        resume(.characteristics(service.uuid), error)
    }
    fileprivate func didWrite(_ characteristic: CBCharacteristic, _ error: (any Error)?) {
        resume(.written(characteristic.uuid), error)
    }
    fileprivate func didChangeNotifying(_ characteristic: CBCharacteristic, _ error: (any Error)?) {
        resume(.notifying(characteristic.uuid), error)
    }
    fileprivate func didUpdate(_ characteristic: CBCharacteristic, _ error: (any Error)?) {
        if characteristic.isNotifying, let stream = streams[characteristic.uuid] {
            stream.yield(characteristic.value ?? Data())
        } else {
            resume(.value(characteristic.uuid), error)
        }
    }
}

/// The delegate. Its methods run on the client's executor, so they enter it without a hop, and order is kept.
private final class Listener: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate, @unchecked Sendable {
    weak var client: ActorClient?

    private func withClient(_ body: (isolated ActorClient) -> Void) { client?.assumeIsolated(body) }

    func centralManagerDidUpdateState(_ central: CBCentralManager) { withClient { $0.didUpdateState() } }
    func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) { withClient { $0.didDiscover(peripheral) } }
    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        withClient { $0.didConnect() }
    }
    func centralManager(
        _ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?
    ) { withClient { $0.didDisconnect(error) } }
    func centralManager(
        _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
    ) { withClient { $0.didDisconnect(error) } }
    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        withClient { $0.didDiscoverServices(error) }
    }
    func peripheral(
        _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
    ) { withClient { $0.didDiscoverCharacteristics(service, error) } }
    func peripheral(
        _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) { withClient { $0.didUpdate(characteristic, error) } }
    func peripheral(
        _ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) { withClient { $0.didWrite(characteristic, error) } }
    func peripheral(
        _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic,
        error: (any Error)?
    ) { withClient { $0.didChangeNotifying(characteristic, error) } }
}
