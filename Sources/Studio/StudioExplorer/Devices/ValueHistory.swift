import BLEValues
import BLEWire

/// The latest values of a characteristic. A peer chooses how many values it sends and how long they are, so both their number and the sum of their
/// octets have a limit.
struct ValueHistory {
    static let limit = 100
    /// Octets of all values. A value has at most 512 (Vol 3, Part F, 3.2.9).
    static let octetLimit = 8192

    /// Oldest first. Their numbers have no gaps.
    private(set) var values: [ReceivedValue] = []
    /// The number of values that arrived, with those that were dropped.
    private(set) var count = 0
    private var octets = 0

    mutating func add(_ value: ReceivedValue) {
        count += 1
        octets += value.octets.count
        values.append(value)
        guard values.count > Self.limit || octets > Self.octetLimit else { return }
        // Removing a quarter at a time keeps the cost of a value constant.
        var removed = values.count > Self.limit ? Self.limit / 4 : 0
        octets -= values[..<removed].reduce(0) { $0 + $1.octets.count }
        while octets > Self.octetLimit {
            octets -= values[removed].octets.count
            removed += 1
        }
        values.removeFirst(removed)
    }
}

extension CharacteristicNode {
    /// The values of the history from a number on. Any number is allowed, because it comes from the page.
    func pastValues(from start: Int = 0) -> ValueHistoryPage {
        let first = history.count - history.values.count
        let fresh = min(max(start, first) - first, history.values.count)
        return ValueHistoryPage(
            values: history.values.indices[fresh...].reversed().map { index in
                let value = history.values[index]
                return ValueHistoryEntry(
                    n: first + index, octets: Hexadecimal.digits(value.octets),
                    text: ShownText.name { text(value.octets, $0) }, time: value.time, source: value.source)
            }, first: first, count: history.count)
    }
}
