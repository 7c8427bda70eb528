package import BLEAdapter
internal import BLERuntime
internal import BLEWire
public import Foundation

/// Finds and receives trains of periodic advertising: data that a device sends at a fixed interval, without a connection.
///
/// ```swift
/// let scanner = PeriodicScanner()
/// let sync = try await scanner.synchronize(with: .named("thermometer"))
/// for try await report in sync { print(report.data.count) }
/// ```
public final class PeriodicScanner: Sendable {
    /// How a train is received.
    public struct Options: Hashable, Sendable {
        /// The events of the train that the controller may skip after one that it received.
        public let skip: Int
        /// The time without a packet after which the train is lost.
        public let timeout: Duration

        /// - Parameters:
        ///   - skip: 0 to 499.
        ///   - timeout: 100 ms to 163.84 s, in steps of 10 ms.
        /// - Throws: ``PeriodicError/skip(_:)`` or ``PeriodicError/timeout(_:)``.
        public init(skip: Int = 0, timeout: Duration = .seconds(10)) throws(PeriodicError) {
            guard (0...499).contains(skip) else { throw .skip(skip) }
            guard (.milliseconds(100) ... .milliseconds(163_840)).contains(timeout) else { throw .timeout(timeout) }
            self.skip = skip
            self.timeout = timeout
        }

        private init() {
            skip = 0
            timeout = .seconds(10)
        }

        /// Every event, and a timeout of 10 s.
        public static let standard = Options()

        var timeoutUnits: UInt16 { UInt16((timeout / .milliseconds(10)).rounded()) }
    }

    private let core: PeriodicScannerCore

    /// Creates a scanner for the Bluetooth adapter that a `CBCentralManager` created in the same place would use.
    public convenience init() { self.init(adapter: AdapterBinding.current()) }

    package init(adapter: any BluetoothAdapter) { core = PeriodicScannerCore(adapter) }

    /// Looks for a train without a timeout, and returns when it is received. Waits for Bluetooth while its state is not known. Cancelling the task
    /// ends the search.
    ///
    /// Several searches may run at a time. Scans of `CBCentralManager` go on.
    ///
    /// - Throws: ``PeriodicError/unsupported``, ``PeriodicError/poweredOff``, ``PeriodicError/notReceived``, ``PeriodicError/limit``,
    ///   ``PeriodicError/cancelled`` or ``PeriodicError/controller(_:)``.
    public func synchronize(
        with target: PeriodicTarget, _ options: Options = .standard
    ) async throws(PeriodicError) -> PeriodicSync {
        try await core.synchronize(with: target, options)
    }

    /// Waits until a connected device tells of a train, and receives that train without a scan (Periodic Advertising Sync Transfer: Vol 6, Part B,
    /// 5.1.13). Without such a call, the trains of which devices tell are ignored. Cancelling the task ends the wait, and so does the end of the
    /// connection.
    ///
    /// A train that this device receives already, and one whose packets do not arrive, do not end the wait. Of several calls for one device, the
    /// options of the last one count.
    ///
    /// - Parameters:
    ///   - device: The `identifier` of a `CBPeripheral` or a `CBCentral` that is connected.
    ///   - options: How the reception of the train goes on.
    /// - Throws: ``PeriodicError/notConnected``, ``PeriodicError/unsupported``, ``PeriodicError/poweredOff``, ``PeriodicError/limit``,
    ///   ``PeriodicError/cancelled`` or ``PeriodicError/controller(_:)``.
    public func receiveTransfer(
        from device: UUID, _ options: Options = .standard
    ) async throws(PeriodicError) -> PeriodicSync {
        try await core.receiveTransfer(from: device, options)
    }
}

/// The searches and the receptions of a scanner.
final class PeriodicScannerCore: PeriodicObserver {
    typealias Answer = CheckedContinuation<Result<PeriodicSync, PeriodicError>, Never>
    typealias Options = PeriodicScanner.Options
    typealias Reports = AsyncStream<Result<PeriodicReport, PeriodicError>>

    private enum Phase: Sendable {
        /// The scan looks for an advertisement that announces the train.
        case looking(PeriodicTarget, Options, Answer)
        /// The adapter synchronizes.
        case synchronizing(FoundTrain, Answer)
        /// A connected device may tell of a train.
        case awaiting(Answer)
        case receiving(Reports.Continuation, count: Int)
    }

    private struct Content {
        var state = AdapterState.unknown
        var lastToken = 0
        /// By token.
        var phases: [Int: Phase] = [:]
        /// The tokens of calls whose task was cancelled before they began.
        var cancelled: Set<Int> = []

        var isLooking: Bool { phases.values.contains { if case .looking = $0 { true } else { false } } }
    }

    private let content = Lock(Content())
    private let listener = AnnouncementListener()
    private let central: any CentralSession
    private let periodic = Lock<(any PeriodicSession)?>(nil)
    private let transfers = PeriodicTransferCalls()
    let answers = PeriodicAnswers()

    init(_ adapter: any BluetoothAdapter) {
        central = adapter.openCentral(observer: listener)
        listener.core.withLock { $0 = WeakCore(self) }
        let session = adapter.openPeriodic(.receiver, observer: self)
        periodic.withLock { $0 = session }
    }

    private var session: (any PeriodicSession)? { periodic.withLock { $0 } }

    // MARK: Calls

    func synchronize(
        with target: PeriodicTarget, _ options: Options
    ) async throws(PeriodicError) -> PeriodicSync {
        try await call { token, answer in self.begin(token, target, options, answer) }
    }

    func receiveTransfer(from device: UUID, _ options: Options) async throws(PeriodicError) -> PeriodicSync {
        try await call { token, answer in self.awaitTransfer(token, device, options, answer) }
    }

    private func call(
        _ begin: @escaping @Sendable (_ token: Int, Answer) -> Void
    ) async throws(PeriodicError) -> PeriodicSync {
        let token = content.withLock { content in
            content.lastToken += 1
            return content.lastToken
        }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { answer in begin(token, answer) }
        } onCancel: {
            cancel(token)
        }
        return try result.get()
    }

    private func awaitTransfer(_ token: Int, _ device: UUID, _ options: Options, _ answer: Answer) {
        let isCancelled = content.withLock { content in
            if content.cancelled.remove(token) != nil { return true }
            content.phases[token] = .awaiting(answer)
            return false
        }
        if isCancelled { return answer.resume(returning: .failure(.cancelled)) }
        session?.acceptTransfer(
            from: PeerIdentifier(device), skip: UInt16(options.skip), timeout: options.timeoutUnits, token: token)
        // It was cancelled before the session knew it.
        if content.withLock({ $0.phases[token] == nil }) { session?.endSync(token: token) }
    }

    /// Tells a device of the train with a token.
    func transfer(_ token: Int, to device: UUID, _ value: UInt16) async throws(PeriodicError) {
        try await transfers.transfer(.sync(token: token), value: value, to: device, over: session)
    }

    /// Receives subevents of the train with a token.
    func receive(
        _ subevents: [UInt8], includesTransmitPower: Bool, _ token: Int, _ answering: PeriodicAnswers.Answering?
    ) async throws(PeriodicError) {
        let isReceiving = content.withLock { content in
            if case .receiving? = content.phases[token] { true } else { false }
        }
        guard isReceiving else { throw .noTrain }
        try await answers.choose(
            subevents, includesTransmitPower: includesTransmitPower, token: token, over: session, answering)
    }

    func subeventsChosen(_ failure: PeriodicFailure?, token: Int) { answers.chosen(failure, token: token) }

    func responseRefused(_ failure: PeriodicFailure, token: Int) { answers.refuse(token) }

    private func begin(
        _ token: Int, _ target: PeriodicTarget, _ options: Options, _ answer: Answer
    ) {
        let (starts, failure) = content.withLock { content -> (Bool, PeriodicError?) in
            if content.cancelled.remove(token) != nil { return (false, .cancelled) }
            if let failure = PeriodicError(content.state) { return (false, failure) }
            content.phases[token] = .looking(target, options, answer)
            return (content.state == .poweredOn, nil)
        }
        if let failure { return answer.resume(returning: .failure(failure)) }
        // A new scan reports each advertiser again.
        if starts { central.startScan(ScanRequest()) }
    }

    private func cancel(_ token: Int) {
        let phase = content.withLock { content in
            let phase = content.phases.removeValue(forKey: token)
            if phase == nil { content.cancelled.insert(token) }
            return phase
        }
        stop(phase, token, .failure(.cancelled))
    }

    /// Ends a reception.
    func end(_ token: Int) {
        guard let phase = content.withLock({ $0.phases.removeValue(forKey: token) }) else { return }
        stop(phase, token, .failure(.cancelled))
    }

    private func stop(_ phase: Phase?, _ token: Int, _ result: Result<PeriodicSync, PeriodicError>) {
        switch phase {
        case nil: break
        case .looking(_, _, let answer):
            stopScanIfFound()
            answer.resume(returning: result)
        case .synchronizing(_, let answer), .awaiting(let answer):
            session?.endSync(token: token)
            answer.resume(returning: result)
        case .receiving(let reports, _):
            session?.endSync(token: token)
            answers.remove(token)
            reports.finish()
        }
    }

    private func stopScanIfFound() {
        if !content.withLock({ $0.isLooking }) { central.stopScan() }
    }

    // MARK: Events

    func adapterStateChanged(_ state: AdapterState) {
        let failure = PeriodicError(state)
        let (isLooking, failed) = content.withLock { content -> (Bool, [Answer]) in
            content.state = state
            guard failure != nil else { return (state == .poweredOn && content.isLooking, []) }
            var failed: [Answer] = []
            for (token, phase) in content.phases {
                guard case .looking(_, _, let answer) = phase else { continue }
                failed.append(answer)
                content.phases[token] = nil
            }
            return (false, failed)
        }
        if isLooking { central.startScan(ScanRequest()) }
        if let failure { for answer in failed { answer.resume(returning: .failure(failure)) } }
    }

    /// Takes an advertisement.
    func discovered(_ discovery: Discovery) {
        guard let form = discovery.content.form, form.periodicInterval > 0 else { return }
        let looking = content.withLock { content in
            content.phases.compactMap { token, phase -> (Int, PeriodicTarget, Options)? in
                if case .looking(let target, let options, _) = phase { (token, target, options) } else { nil }
            }
        }
        var found: [(token: Int, request: PeriodicSyncRequest)] = []
        for (token, target, options) in looking {
            guard let request = target.request(for: discovery.content, options) else { continue }
            let train = FoundTrain(
                identifier: discovery.content.identifier, name: discovery.content.name, sid: request.sid)
            let isTaken = content.withLock { content in
                guard case .looking(_, _, let answer)? = content.phases[token] else { return false }
                content.phases[token] = .synchronizing(train, answer)
                return true
            }
            if isTaken { found.append((token, request)) }
        }
        guard !found.isEmpty else { return }
        for (token, request) in found { session?.synchronize(request, token: token) }
        stopScanIfFound()
    }

    func syncEstablished(_ properties: PeriodicSyncProperties, token: Int) {
        establish(token, properties) { phase in
            if case .synchronizing(let train, let answer) = phase { (train, answer) } else { nil }
        }
    }

    func trainTransferred(_ train: TransferredTrain, _ properties: PeriodicSyncProperties, token: Int) {
        let found = FoundTrain(
            identifier: train.identifier, name: train.name, sid: train.sid, transferValue: train.serviceData)
        establish(token, properties) { phase in if case .awaiting(let answer) = phase { (found, answer) } else { nil } }
    }

    func transferEnded(_ failure: PeriodicFailure?, token: Int) { transfers.end(failure, token: token) }

    /// Gives a train that is received to the call that waits for it.
    private func establish(
        _ token: Int, _ properties: PeriodicSyncProperties, _ call: (Phase) -> (FoundTrain, Answer)?
    ) {
        let (stream, reports) = Reports.makeStream(bufferingPolicy: .bufferingNewest(PeriodicSync.bufferLimit))
        let found = content.withLock { content -> (FoundTrain, Answer)? in
            guard let found = content.phases[token].flatMap(call) else { return nil }
            content.phases[token] = .receiving(reports, count: 0)
            return found
        }
        guard let (train, answer) = found else { return }
        answer.resume(
            returning: .success(PeriodicSync(train, properties, core: self, token: token, reports: stream)))
    }

    func syncEnded(_ failure: PeriodicFailure, token: Int) {
        answers.remove(token)
        switch content.withLock({ $0.phases.removeValue(forKey: token) }) {
        case .synchronizing(_, let answer), .awaiting(let answer):
            answer.resume(returning: .failure(PeriodicError(failure)))
        case .receiving(let reports, _):
            reports.yield(.failure(PeriodicError(failure)))
            reports.finish()
        case .looking, nil: break
        }
    }

    func periodicReport(_ data: Span<UInt8>, _ properties: PeriodicReportProperties, token: Int) {
        let receiver = content.withLock { content -> (Reports.Continuation, Int)? in
            guard case .receiving(let reports, let count)? = content.phases[token] else { return nil }
            content.phases[token] = .receiving(reports, count: count + 1)
            return (reports, count)
        }
        guard let (reports, number) = receiver else { return }
        let report = PeriodicReport(
            data: data.withUnsafeBufferPointer { Data($0) }, rssi: properties.rssi == 127 ? nil : Int(properties.rssi),
            transmitPower: properties.transmitPower == 127 ? nil : Int(properties.transmitPower),
            isTruncated: properties.isTruncated, number: number, subevent: properties.packet.map { Int($0.subevent) })
        if let packet = properties.packet { answers.answer(report, to: packet, token: token, over: session) }
        reports.yield(.success(report))
    }
}

private final class WeakCore: Sendable {
    weak let core: PeriodicScannerCore?
    init(_ core: PeriodicScannerCore) { self.core = core }
}

/// Hears the advertisements that announce trains.
private final class AnnouncementListener: CentralObserver {
    let core = Lock<WeakCore?>(nil)

    func discovered(_ discovery: Discovery) { core.withLock { $0 }?.core?.discovered(discovery) }

    // The other events are of connections, of which the session has none. The periodic session reports the adapter's state.
    func adapterStateChanged(_ state: AdapterState) {}
    func connected(_ peer: PeerRecord) {}
    func connectionFailed(_ peer: PeerIdentifier, _ failure: ConnectionError) {}
    func disconnected(_ peer: PeerIdentifier, _ end: LinkEnd, isReconnecting: Bool) {}
    func completed(_ operation: GATTOperation, of peer: PeerIdentifier, _ result: Result<GATTResult, GATTError>) {}
    func received(_ value: Span<UInt8>, handle: UInt16, from peer: PeerIdentifier) {}
    func readyForWriteCommands(to peer: PeerIdentifier) {}
    func servicesChanged(_ range: HandleRange, of peer: PeerIdentifier) {}
    func nameChanged(_ name: String?, of peer: PeerIdentifier) {}
}
