import BLEWire

/// Elements in the order of their deadlines. Those of one deadline are in the order of `add`.
struct DeadlineList<Element> {
    private var entries: [(deadline: Instant, element: Element)] = []

    /// The earliest deadline.
    var first: Instant? { entries.first?.deadline }

    mutating func add(_ element: Element, at deadline: Instant) {
        let index = entries.firstIndex { $0.deadline > deadline } ?? entries.endIndex
        entries.insert((deadline, element), at: index)
    }

    mutating func removeAll(where isRemoved: (Element) -> Bool) { entries.removeAll { isRemoved($0.element) } }

    /// Removes and returns what is due.
    mutating func take(through now: Instant) -> [Element] {
        guard let first, first <= now else { return [] }
        let due = entries.prefix { $0.deadline <= now }.map(\.element)
        entries.removeFirst(due.count)
        return due
    }
}
