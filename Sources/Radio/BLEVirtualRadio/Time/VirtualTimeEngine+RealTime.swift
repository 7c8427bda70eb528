extension VirtualTimeEngine {
    /// The lateness of the model's events with a pace, in real nanoseconds. The events of this time are handled together: a connection
    /// event of two short packets, for example, takes four events in 0.3 ms. Controllers add more to each packet (a full-speed USB adapter
    /// is polled once in a millisecond). Calls and packets of hosts are never late, because the model first advances to the present time.
    private static let slack: UInt64 = 500_000

    /// The longest lateness of events in a quiet time of the model, in real nanoseconds.
    private static let quietSlack: UInt64 = 1_000_000_000

    /// The real time of the next pump, in nanoseconds: goals end on time.
    func wakeTime() -> UInt64 {
        var time = model?.nextDeadline.map { clock.uptime(of: $0) &+ Self.slack } ?? .max
        // A condition may depend on anything.
        if !goals.hasConditions, let quiet = model?.quietUntil {
            time = max(time, min(clock.uptime(of: quiet), clock.uptime(of: now) &+ Self.quietSlack))
            quietClock.withLock { $0 = clock }
        }
        if let deadline = timers.first { time = min(time, clock.uptime(of: deadline)) }
        if let end = goals.first { time = min(time, clock.uptime(of: end)) }
        return time
    }

    /// Serves streams and then runs what is due, on the thread of the alarm.
    func attend(_ serveStreams: () -> Void) {
        // The calls that the streams submit need no block on the queue, because a pump follows.
        mailbox.setWoken(true)
        serveStreams()
        mailbox.setWoken(false)
        pump()
    }
}
