import BLEWire

/// The client side of a bearer. One task runs; all others wait in order.
struct ClientState {
    /// A task and the destination of its result.
    struct Submission {
        /// Nil if no `completed` follows.
        var id: UInt32?
        /// The subscriber of a subscription task; nil if the bearer writes the configuration without a subscriber.
        var subscriber: UInt32?
        var task: ClientTask
        /// Whether a refusal for insufficient security suspends the task instead of ending it.
        var canSuspend = false
        /// The operation of the task, for the attribute cache; nil if the link has none.
        var operation: GATTOperation?
        /// The generation of the cache at the start of the task, if its result may be recorded.
        var generation: Int?
        /// Whether the task has been repeated after Database Out Of Sync.
        var isRepeated = false
    }

    /// A refused request and its refusal.
    struct Suspension {
        var request: ClientRequest
        var error: ATT.ErrorResponse
    }

    struct Current {
        var submission: Submission
        /// The outstanding request; nil while the task waits for its owner instead of the peer.
        var request: ATT.Opcode?
        /// The deadline of the response; nil if no request is outstanding.
        var deadline: Instant?
        /// The outstanding request, for a repetition; nil if the task cannot be suspended.
        var lastRequest: ClientRequest?
        /// Set between a refusal for insufficient security and `resume`.
        var suspension: Suspension?
    }

    var waiting: [Submission] = []
    /// Tasks of the host itself. They run after the program has made no request for `pause`, or after `patience`.
    private(set) var background: [Submission] = []
    /// The program is likely to make further requests until this instant.
    private var quietTime = Instant.zero
    /// From this instant on a background task precedes the program's tasks.
    private var patienceEnd = Instant.zero
    private static let pause = TimeSpan.milliseconds(250)
    private static let patience = TimeSpan.seconds(5)
    var current: Current?
    var subscriptions = ClientSubscriptions()
    var hasExchangedMTU = false
    /// Whether an indication of the peer is unconfirmed.
    var owesConfirmation = false
    /// The value handle of the peer's Service Changed characteristic.
    var serviceChangedHandle: UInt16?
    /// What is known of a bonded server; nil for other servers.
    var cache: ServerCache?

    /// Whether the Database Hash is about to be read.
    var isValidating: Bool {
        if case .validation? = waiting.first?.task { return true }
        return false
    }

    /// The start of the first background task if the program makes no request before.
    var backgroundStart: Instant? {
        current == nil && waiting.isEmpty && !background.isEmpty ? min(quietTime, patienceEnd) : nil
    }

    /// Restarts the pause. The program has submitted an operation or received a response.
    mutating func programIsActive(at now: Instant) { quietTime = now + Self.pause }

    mutating func appendBackground(_ submission: Submission, at now: Instant) {
        if background.isEmpty { patienceEnd = now + Self.patience }
        background.append(submission)
    }

    /// Whether a new task of the program can start at once.
    func isIdle(at now: Instant) -> Bool {
        current == nil && waiting.isEmpty && (background.isEmpty || now < patienceEnd)
    }

    mutating func takeNext(at now: Instant) -> Submission? {
        guard current == nil else { return nil }
        if !background.isEmpty, now >= patienceEnd || (waiting.isEmpty && now >= quietTime) {
            return background.removeFirst()
        }
        return waiting.isEmpty ? nil : waiting.removeFirst()
    }
}
