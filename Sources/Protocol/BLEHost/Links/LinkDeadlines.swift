import BLEWire

/// The timers of a link.
enum LinkTimer: Int, CaseIterable, Sendable {
    /// The attribute bearer's transaction (30 s; Vol 3, Part F, 3.3.3).
    case attribute
    /// The answer to a connection parameter update request on the signalling channel (Vol 3, Part A, 4.20).
    case signalling
    /// The Disconnection Complete after a Disconnect command, and before that the acknowledgement of Pairing Failed.
    case disconnection
    /// The end of a connection update that this host requested.
    case parameterUpdate
    /// Responses to the signalling packets of credit-based channels (Vol 3, Part A, 6.2.1).
    case channels
    /// The Security Manager Timer (30 s), and the end of an encryption procedure.
    case security
    /// The request for enhanced bearers.
    case bearers
}

/// One deadline for each timer of a link.
struct LinkDeadlines: Sendable {
    private static let never = Int64.max
    private var deadlines: InlineArray<7, Int64>

    init() { deadlines = InlineArray(repeating: Self.never) }

    subscript(timer: LinkTimer) -> Instant? {
        get {
            let value = deadlines[timer.rawValue]
            return value == Self.never ? nil : Instant(nanoseconds: value)
        }
        set { deadlines[timer.rawValue] = newValue?.nanoseconds ?? Self.never }
    }

    /// The earliest deadline.
    var next: Instant? {
        var first = Self.never
        for index in deadlines.indices where deadlines[index] < first { first = deadlines[index] }
        return first == Self.never ? nil : Instant(nanoseconds: first)
    }

    /// Stops the timer if it is due. Returns whether it was due.
    mutating func takeIfDue(_ timer: LinkTimer, at now: Instant) -> Bool {
        guard deadlines[timer.rawValue] <= now.nanoseconds else { return false }
        self[timer] = nil
        return true
    }
}
