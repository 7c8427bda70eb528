import BLEWire

/// Identifies a timer. The owner returns it with `Scheduler.release`.
struct TimerID: Hashable {
    let index: Int32
    static let none = TimerID(index: -1)
}

/// The queue of events: a binary heap ordered by time, and by the order of arming for equal times.
///
/// A timer has one deadline. Arming it again and cancelling it leave the old entry in the heap, and need no search. An entry is
/// valid only if it carries the sequence number of the last arming.
struct Scheduler {
    /// The receiver of a timer's event.
    enum Target: Hashable {
        case transmission(Int32)
        case controller(Int32, ControllerTimer)
    }

    private struct Entry {
        var time: Int64
        var sequence: UInt64
        var timer: Int32

        func isBefore(_ other: Entry) -> Bool {
            time != other.time ? time < other.time : sequence < other.sequence
        }
    }

    private struct Timer {
        var target: Target
        /// The sequence number of the last arming; 0 for an unarmed timer.
        var armed: UInt64
    }

    private var heap: [Entry] = []
    private var timers: [Timer] = []
    private var free: [Int32] = []
    private var lastSequence: UInt64 = 0
    /// The number of valid entries.
    private(set) var armedCount = 0

    mutating func makeTimer(for target: Target) -> TimerID {
        if let index = free.popLast() {
            timers[Int(index)] = Timer(target: target, armed: 0)
            return TimerID(index: index)
        }
        timers.append(Timer(target: target, armed: 0))
        return TimerID(index: Int32(timers.count - 1))
    }

    mutating func release(_ timer: TimerID) {
        guard timer != .none else { return }
        cancel(timer)
        free.append(timer.index)
    }

    /// The next sequence number, for an event without a timer.
    mutating func takeSequence() -> UInt64 {
        lastSequence += 1
        return lastSequence
    }

    /// Sets the deadline of `timer`, and replaces an earlier one.
    ///
    /// - Parameter sequence: An unused number that was taken before; nil takes the next one.
    mutating func arm(_ timer: TimerID, at time: Instant, sequence: UInt64? = nil) {
        let sequence = sequence ?? takeSequence()
        if timers[Int(timer.index)].armed == 0 { armedCount += 1 }
        timers[Int(timer.index)].armed = sequence
        push(Entry(time: time.nanoseconds, sequence: sequence, timer: timer.index))
        if heap.count > 64 && heap.count > 4 * armedCount { compact() }
    }

    /// Returns the sequence number of the cancelled deadline; 0 if there was none.
    @discardableResult
    mutating func cancel(_ timer: TimerID) -> UInt64 {
        let sequence = timers[Int(timer.index)].armed
        guard sequence != 0 else { return 0 }
        timers[Int(timer.index)].armed = 0
        armedCount -= 1
        return sequence
    }

    /// The sequence number of the next event, which `nextTime` or `popDue` found.
    var nextSequence: UInt64? { heap.first?.sequence }

    /// The time of the next event.
    mutating func nextTime() -> Instant? {
        dropStale()
        return heap.first.map { Instant(nanoseconds: $0.time) }
    }

    /// Removes and returns the first event at or before `limit`, with its time.
    mutating func popDue(through limit: Instant) -> (Instant, Target)? {
        dropStale()
        guard let first = heap.first, first.time <= limit.nanoseconds else { return nil }
        removeFirst()
        timers[Int(first.timer)].armed = 0
        armedCount -= 1
        return (Instant(nanoseconds: first.time), timers[Int(first.timer)].target)
    }

    private mutating func dropStale() {
        while let first = heap.first, timers[Int(first.timer)].armed != first.sequence { removeFirst() }
    }

    /// Removes the stale entries when they dominate the heap.
    private mutating func compact() {
        heap.removeAll { timers[Int($0.timer)].armed != $0.sequence }
        for index in stride(from: heap.count / 2 - 1, through: 0, by: -1) { siftDown(from: index) }
    }

    private mutating func push(_ entry: Entry) {
        heap.append(entry)
        var index = heap.count - 1
        while index > 0 {
            let parent = (index - 1) / 2
            guard entry.isBefore(heap[parent]) else { break }
            heap[index] = heap[parent]
            index = parent
        }
        heap[index] = entry
    }

    private mutating func removeFirst() {
        let last = heap.removeLast()
        guard !heap.isEmpty else { return }
        heap[0] = last
        siftDown(from: 0)
    }

    private mutating func siftDown(from start: Int) {
        var index = start
        let entry = heap[index]
        while true {
            var child = 2 * index + 1
            guard child < heap.count else { break }
            if child + 1 < heap.count && heap[child + 1].isBefore(heap[child]) { child += 1 }
            guard heap[child].isBefore(entry) else { break }
            heap[index] = heap[child]
            index = child
        }
        heap[index] = entry
    }
}
