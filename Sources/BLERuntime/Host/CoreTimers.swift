import BLEAdapter
import BLEWire

/// The few things a core has to do later, beside the host's own deadlines. Equal times keep their order.
struct CoreTimers {
    enum Task: Hashable {
        case startConnecting(PeerIdentifier, session: Int)
        /// A new link has had its time to negotiate.
        case useLink(UInt32)
        /// An L2CAP channel that was closed has had its time to send the rest.
        case closeChannel(UInt32, UInt32)
        /// A session is due to hear of the adapter's state for the first time.
        case tellFirstState(session: Int)

        /// Whether the task belongs to links and ends with them.
        var isTraffic: Bool {
            if case .tellFirstState = self { return false }
            return true
        }
    }

    private var entries: [(at: Instant, task: Task)] = []

    var next: Instant? { entries.first?.at }

    mutating func add(_ task: Task, at time: Instant) {
        let index = entries.firstIndex { $0.at > time } ?? entries.count
        entries.insert((time, task), at: index)
    }

    mutating func cancel(_ task: Task) { entries.removeAll { $0.task == task } }

    mutating func removeTraffic() { entries.removeAll { $0.task.isTraffic } }

    mutating func take(dueAt now: Instant) -> Task? {
        guard let first = entries.first, first.at <= now else { return nil }
        return entries.removeFirst().task
    }
}
