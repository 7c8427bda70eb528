import BLEWire

/// A queue of slots that each wait for the same time: first in, first out.
struct HoldQueue {
    private var items: [(at: Instant, slot: Int)] = []
    private var head = 0
    /// The ticket of the item at `head`.
    private var first = 0

    private static let released = -1

    var next: Instant? { head < items.count ? items[head].at : nil }

    /// Returns the ticket that releases it.
    mutating func add(_ slot: Int, until time: Instant) -> Int {
        items.append((time, slot))
        return first + items.count - head - 1
    }

    /// Ends a wait early.
    mutating func release(_ ticket: Int) {
        let index = head + ticket - first
        guard ticket >= first, index < items.count else { return }
        items[index].slot = Self.released
        trim()
    }

    /// Removes and returns the next slot whose wait has ended.
    mutating func take(dueAt now: Instant) -> Int? {
        guard head < items.count, items[head].at <= now else { return nil }
        let slot = items[head].slot
        items[head].slot = Self.released
        trim()
        return slot
    }

    private mutating func trim() {
        while head < items.count, items[head].slot == Self.released {
            head += 1
            first += 1
        }
        if head == items.count {
            items.empty()
            head = 0
        } else if head >= 256, head >= items.count / 2 {
            items.removeFirst(head)
            head = 0
        }
    }
}
