import BLEAdapter
import BLEHost
import BLEWire

/// The timers of the session layer, beside the host's own deadlines. Timers with equal times keep their order.
struct SessionTimers {
    enum Task: Hashable {
        case startConnecting(PeerKey, session: Int)
        /// Ends the ATT_MTU negotiation of a new link.
        case useLink(LinkIdentifier)
        /// Ends the time in which a closed L2CAP channel sends its remaining data.
        case closeChannel(ChannelIdentifier)
        /// Reports the adapter's state to a session for the first time.
        case reportFirstState(session: Int)

        /// Whether the task belongs to links and ends with them.
        var isTraffic: Bool {
            if case .reportFirstState = self { return false }
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
