/// An entry of a queue of events. The order is total, by time, then by sequence number, then by index, so a heap of entries has one order of
/// removal whatever its shape is.
struct ScheduledEvent: Hashable, Comparable {
    /// Nanoseconds.
    var time: Int64
    var sequence: UInt64
    var index: Int32

    static func < (one: ScheduledEvent, other: ScheduledEvent) -> Bool {
        (one.time, one.sequence, one.index) < (other.time, other.sequence, other.index)
    }
}
