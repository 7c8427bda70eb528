import BLEWire

/// A link to a peer through a host that is elsewhere, as a value: who wants it, and the operations that wait.
struct RemoteLink: Sendable {
    enum State: Sendable {
        /// The host was asked for the link.
        case connecting
        /// The host gave up. It is asked again at this time.
        case waiting(until: Instant)
        case up
        /// The host was asked for the end. Without an answer the link counts as ended at the deadline.
        case ending(deadline: Instant)
    }

    struct Operation: Sendable {
        /// 0 without a session that gets the result.
        var session: Int
        let operation: GATTOperation
    }

    /// A device that does not answer within this time violates the protocol (Vol 3, Part F, 3.3.3). The host notices it first.
    static let timeout = TimeSpan.seconds(40)
    /// The time in which the host must report the end of a link.
    static let endTimeout = TimeSpan.seconds(20)
    /// The time in which the host must report the end of a link after an operation failed without one.
    static let lossTimeout = TimeSpan.seconds(5)
    /// The time before the host is asked again for a link that it gave up.
    static let retryDelay = TimeSpan.seconds(1)

    var state: State
    /// The sessions that want the link, with their options.
    var sessions: [Int: ConnectionOptions]
    /// The sessions with a subscription, by value handle.
    private(set) var subscribers: [UInt16: Set<Int>] = [:]
    /// The first one runs.
    private(set) var operations: [Operation] = []
    /// When the operation that runs has failed.
    private(set) var deadline: Instant?

    /// When the link needs a step.
    var nextDeadline: Instant? {
        switch state {
        case .waiting(let time), .ending(let time): time
        case .up: deadline
        case .connecting: nil
        }
    }

    init(_ sessions: [Int: ConnectionOptions], _ state: State = .connecting) {
        self.sessions = sessions
        self.state = state
    }

    /// What a step leads to: the result of an operation, or an operation to run.
    enum Step: Sendable {
        case ended(Operation, Result<GATTResult, GATTError>)
        case perform(GATTOperation)
    }

    mutating func submit(_ operation: GATTOperation, session: Int, at now: Instant) -> [Step] {
        operations.append(Operation(session: session, operation: operation))
        return operations.count == 1 ? begin(at: now) : []
    }

    /// Takes the result of the operation that runs.
    mutating func finish(_ result: Result<GATTResult, GATTError>, at now: Instant) -> [Step] {
        guard !operations.isEmpty else { return [] }
        // The end of the link follows, and an operation of a link that ended has no result.
        if case .failure(.notConnected) = result {
            let limit = now + Self.lossTimeout
            deadline = min(deadline ?? limit, limit)
            return []
        }
        let first = operations.removeFirst()
        if case .setNotify(let handle, _, _) = first.operation, case .failure = result {
            subscribers[handle]?.remove(first.session)
        }
        return [.ended(first, result)] + begin(at: now)
    }

    private mutating func begin(at now: Instant) -> [Step] {
        var steps: [Step] = []
        while let first = operations.first {
            if let result = answer(first) {
                steps.append(.ended(operations.removeFirst(), result))
            } else {
                deadline = now + Self.timeout
                steps.append(.perform(first.operation))
                return steps
            }
        }
        deadline = nil
        return steps
    }

    /// The result of an operation that the host need not run.
    private mutating func answer(_ first: Operation) -> Result<GATTResult, GATTError>? {
        switch first.operation {
        case .write(_, let value) where value.count > ATT.maximumValueLength: return .failure(.valueTooLong)
        case .setNotify(let handle, _, .off):
            subscribers[handle]?.remove(first.session)
            // Others still want the values.
            if subscribers[handle]?.isEmpty == false { return .success(.done) }
        case .setNotify(let handle, _, _): subscribers[handle, default: []].insert(first.session)
        default: break
        }
        return nil
    }

    /// Removes what a session wants of the link. An operation that runs ends without a receiver.
    ///
    /// Returns the value handles without another subscriber.
    mutating func release(_ session: Int) -> [UInt16] {
        sessions[session] = nil
        if operations.first?.session == session { operations[0].session = 0 }
        operations.removeAll { $0.session == session }
        return subscribers.keys.sorted().filter { handle in
            subscribers[handle]?.remove(session) != nil && subscribers[handle]?.isEmpty == true
        }
    }

    /// Removes the subscriptions in a part of the database that changed.
    mutating func forgetSubscribers(in range: HandleRange) {
        subscribers = subscribers.filter { $0.key < range.start || $0.key > range.end }
    }
}
