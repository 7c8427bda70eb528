import BLEWire

/// The client side of a bearer: one task runs, all others wait in order.
struct ClientState {
    /// A task and where its result goes.
    struct Submission {
        /// Nil if no `completed` follows.
        var id: UInt32?
        /// The subscriber that a subscription task is for; nil if the bearer writes the configuration for none.
        var subscriber: UInt32?
        var task: ClientTask
        /// Whether a refusal for lack of security suspends the task instead of ending it.
        var canSuspend = false
    }

    /// The request that the peer refused, and its refusal.
    struct Suspension {
        var request: ClientRequest
        var error: ATT.ErrorResponse
    }

    struct Current {
        var submission: Submission
        /// The outstanding request; nil while the task waits for its owner and not for the peer.
        var request: ATT.Opcode?
        /// When the response is overdue; nil if no request is outstanding.
        var deadline: Instant?
        /// The outstanding request, to send it again; nil if the task cannot be suspended.
        var lastRequest: ClientRequest?
        /// Set from a refusal for lack of security until `resume`.
        var suspension: Suspension?
    }

    var waiting: [Submission] = []
    /// Tasks of the host itself: they run when the program has asked for nothing for `pause`, or after `patience`.
    private(set) var background: [Submission] = []
    /// Until this instant the program is likely to ask for more.
    private var quietTime = Instant.zero
    /// From this instant on a background task goes before the program's.
    private var patienceEnd = Instant.zero
    private static let pause = TimeSpan.milliseconds(250)
    private static let patience = TimeSpan.seconds(5)
    var current: Current?
    var subscriptions = ClientSubscriptions()
    var hasExchangedMTU = false
    /// Whether an indication of the peer has not been confirmed.
    var owesConfirmation = false
    /// The value handle of the peer's Service Changed characteristic.
    var serviceChangedHandle: UInt16?

    /// When the first background task starts if the program asks for nothing before.
    var backgroundStart: Instant? {
        current == nil && waiting.isEmpty && !background.isEmpty ? min(quietTime, patienceEnd) : nil
    }

    /// Starts the pause again: the program has submitted an operation or received a response.
    mutating func programIsActive(at now: Instant) { quietTime = now + Self.pause }

    mutating func appendBackground(_ submission: Submission, at now: Instant) {
        if background.isEmpty { patienceEnd = now + Self.patience }
        background.append(submission)
    }

    /// Whether a new task of the program starts at once.
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
