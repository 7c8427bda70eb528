import BLEWire

extension TimeSpan {
    /// The same length in nanoseconds. A longer duration becomes the longest span.
    package init(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, second) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
        let longest: Int64 = seconds < 0 ? .min / 4 : .max / 4
        self.init(nanoseconds: overflow || second || sum.magnitude > longest.magnitude ? longest : sum)
    }
}

extension Duration {
    package init(_ span: TimeSpan) { self = .nanoseconds(span.nanoseconds) }
}

extension Instant {
    /// The time passed since the origin.
    package var sinceOrigin: Duration { .nanoseconds(nanoseconds) }
}
