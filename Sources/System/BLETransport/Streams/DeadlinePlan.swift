import BLEWire

/// Timers of a scheduler for one deadline at a time. These timers cannot be cancelled: one that comes before the deadline leads to the next.
package struct DeadlinePlan {
    /// The moments of the timers that are set, the earliest last.
    private var moments: [Instant] = []

    package init() {}

    /// Sets a timer for `deadline`, unless one comes before it.
    ///
    /// - Parameter handler: Called on the scheduler. It calls `fired` with the moment first, and `advance` at the end.
    package mutating func advance(
        to deadline: Instant?, on scheduler: any SerialScheduler, handler: @escaping @Sendable (Instant) -> Void
    ) {
        guard let deadline, moments.last.map({ deadline < $0 }) ?? true else { return }
        moments.append(deadline)
        scheduler.submit(after: deadline - scheduler.now) { handler(deadline) }
    }

    /// The timer for `moment` has fired.
    package mutating func fired(_ moment: Instant) { moments.removeAll { $0 <= moment } }
}
