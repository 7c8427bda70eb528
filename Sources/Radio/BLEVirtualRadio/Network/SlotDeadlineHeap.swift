import BLEWire

/// The deadlines of the slots: a binary heap ordered by time, then by slot, with the index of each slot in it. A slot
/// without a deadline costs nothing.
struct SlotDeadlineHeap {
    private struct Entry {
        var time: Instant
        var slot: Int

        func isBefore(_ other: Entry) -> Bool {
            time != other.time ? time < other.time : slot < other.slot
        }
    }

    private var heap: [Entry] = []
    /// The index in the heap, by slot; -1 without a deadline.
    private var indices: [Int] = []

    /// The earliest deadline.
    var first: Instant? { heap.first?.time }

    /// Sets the deadline of `slot`, 0 or more, replacing the preceding one; nil removes it.
    mutating func set(_ slot: Int, to time: Instant?) {
        if slot >= indices.count {
            guard time != nil else { return }
            indices.append(contentsOf: repeatElement(-1, count: slot + 1 - indices.count))
        }
        let index = indices[slot]
        guard let time else {
            if index >= 0 { remove(at: index) }
            return
        }
        let entry = Entry(time: time, slot: slot)
        if index < 0 {
            heap.append(entry)
            siftUp(entry, from: heap.count - 1)
        } else if heap[index].time != time {
            sift(entry, from: index)
        }
    }

    /// Removes all deadlines at `limit` or before, in order, and appends their slots to `slots`.
    mutating func takeDue(through limit: Instant, into slots: inout [Int]) {
        while let first = heap.first, first.time <= limit {
            slots.append(first.slot)
            remove(at: 0)
        }
    }

    private mutating func remove(at index: Int) {
        indices[heap[index].slot] = -1
        let last = heap.removeLast()
        if index < heap.count { sift(last, from: index) }
    }

    private mutating func sift(_ entry: Entry, from index: Int) {
        if index > 0, entry.isBefore(heap[(index - 1) / 2]) {
            siftUp(entry, from: index)
        } else {
            siftDown(entry, from: index)
        }
    }

    private mutating func siftUp(_ entry: Entry, from index: Int) {
        var index = index
        while index > 0, entry.isBefore(heap[(index - 1) / 2]) {
            put(heap[(index - 1) / 2], at: index)
            index = (index - 1) / 2
        }
        put(entry, at: index)
    }

    private mutating func siftDown(_ entry: Entry, from index: Int) {
        var index = index
        while true {
            var child = 2 * index + 1
            guard child < heap.count else { break }
            if child + 1 < heap.count, heap[child + 1].isBefore(heap[child]) { child += 1 }
            guard heap[child].isBefore(entry) else { break }
            put(heap[child], at: index)
            index = child
        }
        put(entry, at: index)
    }

    private mutating func put(_ entry: Entry, at index: Int) {
        heap[index] = entry
        indices[entry.slot] = index
    }
}
