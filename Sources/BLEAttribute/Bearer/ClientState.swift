import BLEWire

/// The client side of a bearer: one request outstanding, everything else waits in order.
struct ClientState {
    struct Waiting {
        /// Nil for what the bearer answers with an event of its own.
        var id: UInt32?
        var task: ClientTask
    }

    struct Current {
        var id: UInt32?
        var task: ClientTask
        /// The outstanding request.
        var request: ATT.Opcode
        var deadline: Instant
    }

    var waiting: [Waiting] = []
    /// What the host asks for of its own accord: it runs when the program has asked for nothing for a while, or has kept
    /// it waiting for too long.
    private(set) var background: [Waiting] = []
    /// Until then the program is likely to ask for more.
    private var quietTime = Instant.zero
    /// From then on the background goes first.
    private var patienceEnd = Instant.zero
    private static let pause = TimeSpan.milliseconds(250)
    private static let patience = TimeSpan.seconds(5)
    var current: Current?
    var hasExchangedMTU = false
    /// Whether an indication of the peer has not been confirmed.
    var owesConfirmation = false
    /// The peer's Service Changed.
    var serviceChangedHandle: UInt16?

    /// When the background gets its turn, if nothing comes in between.
    var backgroundStart: Instant? {
        current == nil && waiting.isEmpty && !background.isEmpty ? min(quietTime, patienceEnd) : nil
    }

    /// The program asked for something, or got it.
    mutating func programIsActive(at now: Instant) { quietTime = now + Self.pause }

    mutating func appendBackground(_ task: Waiting, at now: Instant) {
        if background.isEmpty { patienceEnd = now + Self.patience }
        background.append(task)
    }

    mutating func takeNext(at now: Instant) -> Waiting? {
        guard current == nil else { return nil }
        if !background.isEmpty, now >= patienceEnd || (waiting.isEmpty && now >= quietTime) {
            return background.removeFirst()
        }
        return waiting.isEmpty ? nil : waiting.removeFirst()
    }
}
