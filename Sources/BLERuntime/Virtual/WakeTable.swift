import BLEAdapter
import BLEWire

/// Who wants to be woken, and when: a binary heap by time, and by number among equal times, that knows where each number
/// is. Those who wait for nothing are not in it and cost nothing.
struct WakeTable {
    private struct Entry {
        var time: Instant
        var number: Int

        func isBefore(_ other: Entry) -> Bool {
            time != other.time ? time < other.time : number < other.number
        }
    }

    private var heap: [Entry] = []
    /// The place in the heap, by number; -1 for those who are not there.
    private var places: [Int] = []

    /// When the first is to be woken.
    var first: Instant? { heap.first?.time }

    /// Sets when `number`, 0 or more, is to be woken, instead of what was set before; nil: not at all.
    mutating func set(_ number: Int, to time: Instant?) {
        if number >= places.count {
            guard time != nil else { return }
            places.append(contentsOf: repeatElement(-1, count: number + 1 - places.count))
        }
        let place = places[number]
        guard let time else {
            if place >= 0 { remove(at: place) }
            return
        }
        let entry = Entry(time: time, number: number)
        if place < 0 {
            heap.append(entry)
            siftUp(entry, from: heap.count - 1)
        } else if heap[place].time != time {
            sift(entry, from: place)
        }
    }

    /// Takes all who are due at `limit` or before out of the table, in order, and appends them to `numbers`.
    mutating func takeDue(through limit: Instant, into numbers: inout [Int]) {
        while let first = heap.first, first.time <= limit {
            numbers.append(first.number)
            remove(at: 0)
        }
    }

    private mutating func remove(at place: Int) {
        places[heap[place].number] = -1
        let last = heap.removeLast()
        if place < heap.count { sift(last, from: place) }
    }

    private mutating func sift(_ entry: Entry, from place: Int) {
        if place > 0, entry.isBefore(heap[(place - 1) / 2]) {
            siftUp(entry, from: place)
        } else {
            siftDown(entry, from: place)
        }
    }

    private mutating func siftUp(_ entry: Entry, from place: Int) {
        var place = place
        while place > 0, entry.isBefore(heap[(place - 1) / 2]) {
            put(heap[(place - 1) / 2], at: place)
            place = (place - 1) / 2
        }
        put(entry, at: place)
    }

    private mutating func siftDown(_ entry: Entry, from place: Int) {
        var place = place
        while true {
            var child = 2 * place + 1
            guard child < heap.count else { break }
            if child + 1 < heap.count, heap[child + 1].isBefore(heap[child]) { child += 1 }
            guard heap[child].isBefore(entry) else { break }
            put(heap[child], at: place)
            place = child
        }
        put(entry, at: place)
    }

    private mutating func put(_ entry: Entry, at place: Int) {
        heap[place] = entry
        places[entry.number] = place
    }
}
