import BLEWire
import DequeModule

/// The client side of the bearers of a link. One task of a bearer runs; all others wait in order, because a client has one
/// outstanding request on a bearer (Vol 3, Part F, 3.3.2).
struct ClientState: ~Copyable {
    /// A task, the destination of its result and its outstanding request. An object, because the moves of a value of this size would be
    /// most of the cost of a request. Every request accesses each property, so no access is checked: the client alone uses them.
    final class Submission {
        /// Nil if no `completed` follows.
        @exclusivity(unchecked) var id: UInt32?
        /// The subscriber of a subscription task; nil if the bearer writes the configuration without a subscriber.
        @exclusivity(unchecked) fileprivate(set) var subscriber: Int?
        @exclusivity(unchecked) var task: ClientTask
        /// Whether the host itself submitted the task.
        @exclusivity(unchecked) fileprivate(set) var isBackground: Bool
        /// Whether a refusal for insufficient security suspends the task instead of ending it.
        @exclusivity(unchecked) var canSuspend: Bool
        /// Whether the peer has announced, since the task started, that the value to subscribe to changed.
        @exclusivity(unchecked) var isOutdated = false
        /// Nil if the link has no attribute cache.
        @exclusivity(unchecked) var cacheUse: CacheUse?
        var operation: GATTOperation? { cacheUse?.operation }
        /// Whether the task may run beside those of other bearers.
        @exclusivity(unchecked) fileprivate(set) var isShareable = false
        /// The operation of a task on an enhanced bearer.
        @exclusivity(unchecked) var movable: GATTOperation?
        /// The outstanding request, for a repetition; nil if the task cannot be suspended.
        @exclusivity(unchecked) var lastRequest: ClientRequest?
        /// Set between a refusal for insufficient security and `resume`.
        @exclusivity(unchecked) var suspension: Suspension?

        init(
            id: UInt32? = nil, subscriber: Int? = nil, task: consuming ClientTask, canSuspend: Bool = false,
            cacheUse: CacheUse? = nil
        ) {
            self.id = id
            self.subscriber = subscriber
            isBackground = task.isBackground
            self.task = task
            self.canSuspend = canSuspend
            self.cacheUse = cacheUse
        }
    }

    /// What the attribute cache needs to know about a task. It is an object, so that the tasks of links without a cache stay
    /// small.
    final class CacheUse {
        /// Nil for a task of the bearer itself.
        let operation: GATTOperation?
        /// Whether the task repeats an operation after Database Out Of Sync.
        let isRepeated: Bool
        /// The generation of the cache at the start of the task, if its result may be recorded.
        var generation: Int?

        init(_ operation: GATTOperation?, isRepeated: Bool = false) {
            self.operation = operation
            self.isRepeated = isRepeated
        }
    }

    /// A task before its start. An operation needs no object until then.
    enum Waiting {
        case operation(GATTOperation, id: UInt32, subscriber: Int)
        case task(Submission)

        /// Nil if no `completed` follows.
        var id: UInt32? {
            switch self {
            case .operation(_, let id, _): id
            case .task(let submission): submission.id
            }
        }
    }

    /// A refused request and its refusal.
    struct Suspension {
        var request: ClientRequest
        var error: ATT.ErrorResponse
    }

    var waiting: Deque<Waiting> = []
    /// Tasks of the host itself. They run after the program has made no request for `pause`, or after `patience`.
    private(set) var background: [Submission] = []
    /// The program is likely to make further requests until this instant.
    private var quietTime = Instant.zero
    /// From this instant on a background task precedes the program's tasks.
    private var patienceEnd = Instant.zero
    private static let pause = TimeSpan.milliseconds(250)
    private static let patience = TimeSpan.seconds(5)
    var current: Submission?
    /// The outstanding request of the current task; nil while the task waits for its owner instead of the peer.
    var request: ATT.Opcode?
    /// The deadline of the response; nil if no request is outstanding.
    var deadline: Instant?
    var subscriptions = ClientSubscriptions()
    var hasExchangedMTU = false
    /// Whether to suspend an operation that the peer refuses for insufficient security; see `ATTBearer.resume`.
    let suspendsForSecurity: Bool
    /// The bearers with an unconfirmed indication of the peer, in the order of the indications (Vol 3, Part F, 3.4.7.3).
    var unconfirmed: [UInt32] = []
    /// The order in which running operations end; empty while no two run side by side.
    var order = CompletionOrder()
    /// The object of a task that has ended, for the next one: tasks of a bearer that runs one after another allocate nothing.
    private var spare: Submission?
    /// The value handle of the peer's Service Changed characteristic (Vol 3, Part G, 7.1).
    var serviceChangedHandle: UInt16?
    /// The cached knowledge of a bonded server; nil for other servers.
    var cache: ServerCache?

    init(suspendsForSecurity: Bool) { self.suspendsForSecurity = suspendsForSecurity }

    /// Whether the Database Hash is about to be read.
    var isValidating: Bool {
        if case .task(let submission)? = waiting.first, case .validation = submission.task { return true }
        return false
    }

    /// The start of the first background task if the program makes no request before.
    var backgroundStart: Instant? {
        !background.isEmpty && current == nil && waiting.isEmpty ? min(quietTime, patienceEnd) : nil
    }

    /// Ends the subscriptions to values in a range that changed. A running `setNotify` for such a value ends in a failure,
    /// because its handle may now belong to another attribute (Vol 3, Part G, 7.1).
    mutating func removeSubscriptions(in range: HandleRange) {
        subscriptions.removeAll(in: range)
        if let current { Self.outdate(current, in: range) }
    }

    static func outdate(_ submission: Submission, in range: HandleRange) {
        if case .subscription(let task) = submission.task, range.contains(task.valueHandle) {
            submission.isOutdated = true
        }
    }

    /// Records the subscription. Returns whether the client characteristic configuration (Vol 3, Part G, 3.3.3.3) has
    /// to be written.
    mutating func needsTraffic(_ task: Subscription, for subscriber: Int?) -> Bool {
        guard let subscriber else { return !subscriptions.contains(task.valueHandle) }
        return subscriptions.change(task, by: subscriber)
    }

    /// Ends the current task and returns it.
    mutating func takeCurrent() -> Submission? {
        defer { endCurrent() }
        return current
    }

    /// A submission in a spare object if there is one.
    mutating func submission(
        id: UInt32?, subscriber: Int?, task: consuming ClientTask, canSuspend: Bool, cacheUse: CacheUse?,
        isShareable: Bool = false
    ) -> Submission {
        let submission = spare.take() ?? Submission(task: .rssi)
        submission.id = id
        submission.subscriber = subscriber
        submission.isBackground = task.isBackground
        submission.task = task
        submission.canSuspend = canSuspend
        if cacheUse != nil { submission.cacheUse = cacheUse }
        submission.isShareable = isShareable
        return submission
    }

    /// Keeps the object of a task that has ended.
    mutating func recycle(_ submission: Submission) {
        // Releases what the task found.
        submission.task = .rssi
        submission.isOutdated = false
        if submission.cacheUse != nil { submission.cacheUse = nil }
        submission.lastRequest = nil
        if submission.suspension != nil { submission.suspension = nil }
        if submission.movable != nil { submission.movable = nil }
        spare = submission
    }

    /// Keeps the object of a read that has ended without a value in the task: it holds no storage.
    mutating func recycle(read submission: Submission) {
        // The link may have had an attribute cache when the read began.
        if submission.cacheUse != nil { submission.cacheUse = nil }
        if submission.suspension != nil { submission.suspension = nil }
        if submission.movable != nil { submission.movable = nil }
        spare = submission
    }

    /// Sends a request of the current task.
    mutating func send(_ next: ClientRequest, at now: Instant, output: inout ATTOutput) {
        next.send(to: &output)
        request = next.opcode
        deadline = now + ATT.transactionTimeout
    }

    /// Ends the current task.
    mutating func endCurrent() {
        endRequest()
        current = nil
    }

    /// The outstanding request is answered.
    mutating func endRequest() {
        request = nil
        deadline = nil
    }

    /// Restarts the pause. The program has submitted an operation or received a response.
    mutating func programIsActive(at now: Instant) { quietTime = now + Self.pause }

    mutating func appendBackground(_ submission: Submission, at now: Instant) {
        if background.isEmpty { patienceEnd = now + Self.patience }
        background.append(submission)
    }

    /// Whether a task can start.
    func hasNext(at now: Instant) -> Bool {
        guard current == nil else { return false }
        return !waiting.isEmpty || (!background.isEmpty && (now >= patienceEnd || now >= quietTime))
    }

    /// Whether a new task of the program can start at once.
    func isIdle(at now: Instant) -> Bool {
        current == nil && waiting.isEmpty && (background.isEmpty || now < patienceEnd)
    }

    mutating func takeNext(at now: Instant) -> Waiting? {
        guard current == nil else { return nil }
        if isBackgroundNext(at: now) { return .task(background.removeFirst()) }
        return waiting.popFirst()
    }

    private func isBackgroundNext(at now: Instant) -> Bool {
        !background.isEmpty && (now >= patienceEnd || (waiting.isEmpty && now >= quietTime))
    }

    /// Whether the next task may run beside those of other bearers.
    func isNextShareable(at now: Instant) -> Bool {
        guard !isBackgroundNext(at: now), case .operation(let operation, _, _)? = waiting.first else { return false }
        return operation.isShareable
    }

    /// Reports the result of an ended task.
    mutating func end(
        _ submission: Submission, _ result: consuming Result<GATTResult, GATTError>, output: inout ATTOutput
    ) {
        if submission.isOutdated, case .subscription(let task) = submission.task, task.mode != .off {
            result = .failure(.attribute(ATT.ErrorCode.invalidHandle.rawValue))
        }
        if case .failure = result, case .subscription(let task) = submission.task, task.mode != .off,
            let subscriber = submission.subscriber
        {
            subscriptions.remove(task, of: subscriber)
        }
        if let id = submission.id { complete(id: id, result, output: &output) }
    }

    /// Reports the end of an operation in its turn.
    mutating func complete(id: UInt32, _ result: consuming Result<GATTResult, GATTError>, output: inout ATTOutput) {
        if order.isEmpty { output.complete(id: id, result) } else { order.finish(id, result, output: &output) }
    }
}
