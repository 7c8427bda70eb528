import Dispatch

/// A clock that calls blocks on queues itself. A simulated clock stands still while a block runs, so that equal runs have equal orders; a
/// task that sleeps has no such order, because it resumes on an executor that the clock cannot wait for.
package protocol QueueSchedulingClock<Duration>: Clock {
    /// Calls `body` on `queue` at `deadline`, or immediately if the deadline has passed.
    func schedule(at deadline: Instant, on queue: DispatchQueue, _ body: @escaping @Sendable () -> Void)
}

/// A clock for code on a queue: the time since its creation, and calls at a later time.
package struct QueueClock: Sendable {
    private let elapsed: @Sendable () -> Duration
    private let call: @Sendable (_ deadline: Duration, DispatchQueue, @escaping @Sendable () -> Void) -> Void

    /// Creates a clock that begins at zero and follows `clock`.
    package init(_ clock: any Clock<Duration>) {
        self =
            if let clock = clock as? any QueueSchedulingClock<Duration> { Self.scheduling(clock) } else {
                Self.sleeping(clock)
            }
    }

    private static func scheduling(_ clock: some QueueSchedulingClock<Duration>) -> QueueClock {
        let origin = clock.now
        return QueueClock(
            elapsed: { origin.duration(to: clock.now) },
            call: { clock.schedule(at: origin.advanced(by: $0), on: $1, $2) })
    }

    private static func sleeping(_ clock: some Clock<Duration>) -> QueueClock {
        let origin = clock.now
        return QueueClock(
            elapsed: { origin.duration(to: clock.now) },
            call: { deadline, queue, body in
                Task {
                    // Only a cancelled task does not sleep; nothing has this one.
                    try? await clock.sleep(until: origin.advanced(by: deadline), tolerance: nil)
                    queue.async(execute: body)
                }
            })
    }

    /// - Parameters:
    ///   - elapsed: Returns the time since the creation.
    ///   - call: Calls a block on a queue when `elapsed` reaches a deadline.
    package init(
        elapsed: @escaping @Sendable () -> Duration,
        call: @escaping @Sendable (_ deadline: Duration, DispatchQueue, @escaping @Sendable () -> Void) -> Void
    ) {
        self.elapsed = elapsed
        self.call = call
    }

    /// The time since the creation.
    package var now: Duration { elapsed() }

    /// Calls `body` on `queue` when `now` reaches `deadline` or shortly after.
    package func schedule(at deadline: Duration, on queue: DispatchQueue, _ body: @escaping @Sendable () -> Void) {
        call(deadline, queue, body)
    }
}

/// A call needs no task.
extension ContinuousClock: QueueSchedulingClock {
    /// More than a program runs, and less than a number of nanoseconds can say.
    private static let longest = Duration.seconds(1 << 31)

    package func schedule(at deadline: Instant, on queue: DispatchQueue, _ body: @escaping @Sendable () -> Void) {
        let nanoseconds = min(max(.zero, now.duration(to: deadline)), Self.longest) / .nanoseconds(1)
        queue.asyncAfter(deadline: .now() + .nanoseconds(Int(nanoseconds.rounded(.up))), execute: body)
    }
}
