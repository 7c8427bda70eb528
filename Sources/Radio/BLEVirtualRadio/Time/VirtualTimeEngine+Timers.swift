import BLEWire

extension VirtualTimeEngine {
    /// The scheduled callbacks, in the order of their deadlines, and of the calls for one deadline.
    struct TimerList {
        struct Entry {
            let number: UInt64
            let deadline: Instant
            let callback: Callback
        }

        private var entries: [Entry] = []

        /// The earliest deadline.
        var first: Instant? { entries.first?.deadline }

        mutating func add(_ entry: Entry) {
            let index = entries.firstIndex { $0.deadline > entry.deadline } ?? entries.endIndex
            entries.insert(entry, at: index)
        }

        mutating func remove(_ number: UInt64) { entries.removeAll { $0.number == number } }

        /// Removes and returns what is due.
        mutating func take(through now: Instant) -> [Callback] {
            guard let first, first <= now else { return [] }
            let due = entries.prefix { $0.deadline <= now }.map(\.callback)
            entries.removeFirst(due.count)
            return due
        }
    }
}
