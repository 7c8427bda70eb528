import BLEWire
import HeapModule

/// Identifies a timer. The owner returns it with `Scheduler.release`.
struct TimerID: Hashable {
    let index: Int32
    static let none = TimerID(index: -1)
}

/// The queue of events, ordered by time. At equal times, the ends of transmissions come first, in the order of their senders, then timers in
/// the order of arming.
///
/// A timer has one deadline. Arming it again and cancelling it leave the old entry in the heap, and need no search. An entry is
/// valid only if it carries the sequence number of the last arming.
struct Scheduler {
    /// The receiver of a timer's event.
    enum Target: Hashable {
        case transmission(Int32)
        case controller(Int32, ControllerTimer)
    }

    private struct Timer {
        var target: Target
        /// The sequence number of the last arming; 0 for an unarmed timer.
        var armed: UInt64
    }

    private var heap = Heap<ScheduledEvent>()
    private var timers: [Timer] = []
    private var free: [Int32] = []
    /// Greater than all numbers of transmissions.
    private var lastSequence: UInt64 = 1 << 32
    /// The number of valid entries.
    private(set) var armedCount = 0

    /// The sequence number of the end of a transmission.
    static func sequence(ofSender sender: Int32) -> UInt64 { UInt64(sender) + 1 }

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

    /// Sets the deadline of `timer`, and replaces an earlier one.
    mutating func arm(_ timer: TimerID, at time: Instant) {
        lastSequence += 1
        arm(timer, at: time, sequence: lastSequence)
    }

    /// Sets the deadline of the timer of a transmission, which is its end.
    mutating func arm(_ timer: TimerID, at end: Instant, sender: Int32) {
        arm(timer, at: end, sequence: Self.sequence(ofSender: sender))
    }

    private mutating func arm(_ timer: TimerID, at time: Instant, sequence: UInt64) {
        if timers[Int(timer.index)].armed == 0 { armedCount += 1 }
        timers[Int(timer.index)].armed = sequence
        heap.insert(ScheduledEvent(time: time.nanoseconds, sequence: sequence, index: timer.index))
        // Removes the stale entries when they dominate the heap.
        if heap.count > 64 && heap.count > 4 * armedCount {
            heap = Heap(heap.unordered.filter { timers[Int($0.index)].armed == $0.sequence })
        }
    }

    /// Changes the deadlines of those timers that are armed, and keeps their order. The cost grows with the number of all entries.
    mutating func move(_ moved: [TimerID], _ deadline: (Instant) -> Instant) {
        let indices = Set(moved.map(\.index))
        let entries = heap.unordered.filter {
            indices.contains($0.index) && timers[Int($0.index)].armed == $0.sequence
        }
        for entry in entries.sorted() {
            arm(TimerID(index: entry.index), at: deadline(Instant(nanoseconds: entry.time)))
        }
    }

    mutating func cancel(_ timer: TimerID) {
        guard timers[Int(timer.index)].armed != 0 else { return }
        timers[Int(timer.index)].armed = 0
        armedCount -= 1
    }

    /// The next event.
    mutating func next() -> ScheduledEvent? {
        dropStale()
        return heap.min
    }

    /// The time of the next event.
    mutating func nextTime() -> Instant? { next().map { Instant(nanoseconds: $0.time) } }

    /// Removes and returns the first event at or before `limit`, with its time.
    mutating func popDue(through limit: Instant) -> (Instant, Target)? {
        dropStale()
        guard let first = heap.min, first.time <= limit.nanoseconds else { return nil }
        heap.removeMin()
        timers[Int(first.index)].armed = 0
        armedCount -= 1
        return (Instant(nanoseconds: first.time), timers[Int(first.index)].target)
    }

    private mutating func dropStale() {
        while let first = heap.min, timers[Int(first.index)].armed != first.sequence { heap.removeMin() }
    }
}
