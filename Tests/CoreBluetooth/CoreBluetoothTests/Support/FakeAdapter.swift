import BLEAdapter
import BLEHostAdapter
import BLEWire
import Dispatch
import Foundation
import Testing

/// A value behind a lock, for what tests share between queues.
final class Locked<Value>: @unchecked Sendable {
    private let lock = NSLock()
    private var storage: Value
    init(_ value: Value) { storage = value }
    func callAsFunction<Result>(_ body: (inout Value) -> Result) -> Result {
        lock.lock()
        defer { lock.unlock() }
        return body(&storage)
    }
    var value: Value { self { $0 } }
}

/// An adapter that the test scripts. It records the calls of its sessions.
final class FakeAdapter: BluetoothAdapter {
    /// In place of the adapter's own executor.
    let executor = DispatchQueue(label: "fake executor")
    let centrals = Locked<[FakeCentralSession]>([])
    let peripherals = Locked<[FakePeripheralSession]>([])
    /// The state that a new session receives; nil: none yet.
    let initialState: AdapterState?
    /// The number of dispatched callbacks.
    let deliveries = Locked(0)
    /// The callbacks that wait for `runInOneBlock`, in order; nil: they go to their queues one by one.
    private let collected = Locked<[(source: any CallbackSource, count: Int, queue: DispatchQueue)]?>(nil)

    let peerIdentification: (any PeerIdentification)?
    let supportsExtendedAdvertising: Bool

    init(
        initialState: AdapterState? = .poweredOn, identification: (any PeerIdentification)? = nil,
        supportsExtendedAdvertising: Bool = false
    ) {
        self.initialState = initialState
        self.supportsExtendedAdvertising = supportsExtendedAdvertising
        peerIdentification = identification
    }

    /// Runs the callbacks that the executor schedules in `body` as one block of their queue, as a real-time executor does.
    func runInOneBlock(_ body: () -> Void) {
        collected { $0 = [] }
        executor.sync(execute: body)
        let callbacks = collected { collected in
            defer { collected = nil }
            return collected ?? []
        }
        guard let first = callbacks.first else {
            Issue.record("the executor has scheduled no callback")
            return
        }
        let count = callbacks.reduce(0) { $0 + $1.count }
        first.queue.async { first.source.run(count) }
    }

    func openCentral(observer: any CentralObserver) -> any CentralSession {
        let session = FakeCentralSession(observer)
        centrals { $0.append(session.twin) }
        if let initialState { executor.async { [weak observer] in observer?.adapterStateChanged(initialState) } }
        return session
    }

    func openPeripheral(observer: any PeripheralObserver) -> any PeripheralSession {
        let session = FakePeripheralSession(observer)
        peripherals { $0.append(session.twin) }
        if let initialState { executor.async { [weak observer] in observer?.adapterStateChanged(initialState) } }
        return session
    }

    var callbackScheduler: (any CallbackScheduling)? { self }
}

extension FakeAdapter: CallbackScheduling {
    func scheduleCallback(_ block: @escaping @Sendable @convention(block) () -> Void, on queue: DispatchQueue) {
        deliveries { $0 += 1 }
        queue.async(execute: block)
    }

    func scheduleCallbacks(_ count: Int, of source: any CallbackSource, on queue: DispatchQueue) {
        let isCollected = collected { collected in
            collected?.append((source, count, queue))
            return collected != nil
        }
        if isCollected { return }
        for _ in 0..<count { scheduleCallback(source.runNext, on: queue) }
    }

    func startCallback(_ start: @escaping @Sendable (_ done: (@Sendable () -> Void)?) -> Void) { start(nil) }
}

/// The calls of a central session.
enum CentralCommand: Equatable {
    case scan(ScanRequest)
    case stopScan
    case connect(PeerIdentifier, ConnectionOptions)
    case cancel(PeerIdentifier)
    case submit(GATTOperation, PeerIdentifier)
    case write([UInt8], UInt16, PeerIdentifier)
    case openChannel(UInt16, PeerIdentifier)
    case closed
}

/// The session as the manager holds it. Its `twin` is what tests keep, so that they can see the session end.
final class FakeCentralSession: CentralSession {
    final class Record: Sendable {
        let commands = Locked<[CentralCommand]>([])
        let known = Locked<[PeerRecord]>([])
        let connectedPeers = Locked<[PeerRecord]>([])
        /// How many more write commands fit before the buffer is full.
        let room = Locked(Int.max)
        let mtu = Locked<Int?>(nil)
    }

    let record: Record
    private let isTwin: Bool
    private let weakObserver: Locked<WeakObserver>
    private struct WeakObserver { weak var object: (any CentralObserver)? }

    convenience init(_ observer: any CentralObserver) {
        self.init(Record(), Locked(WeakObserver(object: observer)), isTwin: false)
    }

    private init(_ record: Record, _ observer: Locked<WeakObserver>, isTwin: Bool) {
        self.record = record
        self.weakObserver = observer
        self.isTwin = isTwin
    }

    var twin: FakeCentralSession { FakeCentralSession(record, weakObserver, isTwin: true) }
    var observer: (any CentralObserver)? { weakObserver.value.object }
    var commands: [CentralCommand] { record.commands.value }

    deinit { if !isTwin { note(.closed) } }

    private func note(_ command: CentralCommand) { record.commands { $0.append(command) } }

    func startScan(_ scan: ScanRequest) { note(.scan(scan)) }
    func stopScan() { note(.stopScan) }
    func connect(_ peer: PeerIdentifier, options: ConnectionOptions) { note(.connect(peer, options)) }
    func cancelConnection(_ peer: PeerIdentifier) { note(.cancel(peer)) }
    func knownPeers(_ identifiers: [PeerIdentifier]) -> [PeerRecord] {
        let known = record.known.value
        return identifiers.compactMap { wanted in known.first { $0.identifier == wanted } }
    }
    func connectedPeers(services: [BluetoothUUID]) -> [PeerRecord] { record.connectedPeers.value }
    func submit(_ operation: GATTOperation, to peer: PeerIdentifier) { note(.submit(operation, peer)) }
    func writeCommand(_ value: Span<UInt8>, handle: UInt16, to peer: PeerIdentifier) -> Bool {
        note(.write((0..<value.count).map { value[$0] }, handle, peer))
        return record.room { room in
            if room > 0 { room -= 1 }
            return room > 0
        }
    }
    func openChannel(psm: UInt16, to peer: PeerIdentifier) { note(.openChannel(psm, peer)) }
    func canWriteCommand(to peer: PeerIdentifier) -> Bool { record.room.value > 0 }
    func maximumTransmissionUnit(of peer: PeerIdentifier) -> Int? { record.mtu.value }
}

/// The calls of a peripheral session.
enum PeripheralCommand: Equatable {
    case add(ServiceDefinition, token: Int)
    case remove(token: Int)
    case removeAll
    case advertise(Advertisement)
    case stopAdvertising
    case respond(RequestIdentifier, error: UInt8, value: [UInt8]?)
    case update([UInt8], CharacteristicReference, centrals: [PeerIdentifier]?)
    case latency(RequestedLatency, PeerIdentifier)
    case publishChannel(requiresEncryption: Bool)
    case unpublishChannel(UInt16)
    case closed
}

/// Like ``FakeCentralSession``.
final class FakePeripheralSession: PeripheralSession {
    final class Record: Sendable {
        let commands = Locked<[PeripheralCommand]>([])
        let acceptsUpdates = Locked(true)
    }

    let record: Record
    private let isTwin: Bool
    private let weakObserver: Locked<WeakObserver>
    private struct WeakObserver { weak var object: (any PeripheralObserver)? }

    convenience init(_ observer: any PeripheralObserver) {
        self.init(Record(), Locked(WeakObserver(object: observer)), isTwin: false)
    }

    private init(_ record: Record, _ observer: Locked<WeakObserver>, isTwin: Bool) {
        self.record = record
        self.weakObserver = observer
        self.isTwin = isTwin
    }

    var twin: FakePeripheralSession { FakePeripheralSession(record, weakObserver, isTwin: true) }
    var observer: (any PeripheralObserver)? { weakObserver.value.object }
    var commands: [PeripheralCommand] { record.commands.value }

    deinit { if !isTwin { note(.closed) } }

    private func note(_ command: PeripheralCommand) { record.commands { $0.append(command) } }

    func add(_ service: ServiceDefinition, token: Int) { note(.add(service, token: token)) }
    func remove(token: Int) { note(.remove(token: token)) }
    func removeAll() { note(.removeAll) }
    func startAdvertising(_ advertisement: Advertisement) { note(.advertise(advertisement)) }
    func stopAdvertising() { note(.stopAdvertising) }
    func respond(to request: RequestIdentifier, error: UInt8, value: [UInt8]?) {
        note(.respond(request, error: error, value: value))
    }
    func update(_ value: Span<UInt8>, of characteristic: CharacteristicReference, centrals: [PeerIdentifier]?) -> Bool {
        note(.update((0..<value.count).map { value[$0] }, characteristic, centrals: centrals))
        return record.acceptsUpdates.value
    }
    func publishChannel(requiresEncryption: Bool) { note(.publishChannel(requiresEncryption: requiresEncryption)) }
    func unpublishChannel(psm: UInt16) { note(.unpublishChannel(psm)) }
    func setLatency(_ latency: RequestedLatency, of central: PeerIdentifier) { note(.latency(latency, central)) }
}
