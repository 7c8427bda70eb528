import Dispatch

/// A dispatch queue that runs one block at a time. On Apple's systems a class of its own; on Linux, where `DispatchQueue` cannot be
/// subclassed, the same class: `DispatchSerialQueue(label:)` makes a serial queue, and the name says no more than that.
public typealias DispatchSerialQueue = DispatchQueue

// Makes a serial queue an actor's executor: `nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }`.
// Only a serial one keeps the promise of the protocol.
extension DispatchQueue: @retroactive SerialExecutor {
    /// Runs a job of an actor on the queue.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    /// Ends the program unless it runs on the queue.
    public func checkIsolated() { dispatchPrecondition(condition: .onQueue(self)) }
}

/// Nanoseconds in a second.
public let NSEC_PER_SEC: UInt64 = 1_000_000_000
/// Nanoseconds in a millisecond.
public let NSEC_PER_MSEC: UInt64 = 1_000_000
/// Nanoseconds in a microsecond.
public let NSEC_PER_USEC: UInt64 = 1_000
/// Microseconds in a second.
public let USEC_PER_SEC: UInt64 = 1_000_000
/// Milliseconds in a second.
public let MSEC_PER_SEC: UInt64 = 1_000

extension DispatchTime {
    /// The time from this one to another, negative if the other one is earlier. Beyond 292 years it is the nearest value.
    public func distance(to other: DispatchTime) -> DispatchTimeInterval {
        .nanoseconds(Int(span(from: uptimeNanoseconds, to: other.uptimeNanoseconds)))
    }

    /// The time after an interval.
    public func advanced(by interval: DispatchTimeInterval) -> DispatchTime { self + interval }
}

/// The difference of two unsigned numbers, or the nearest value.
private func span(from first: UInt64, to second: UInt64) -> Int64 {
    second >= first ? Int64(clamping: second - first) : -Int64(clamping: first - second)
}
