import BLETransport
import BLEWire

/// A scheduler whose time the test moves, on the thread of the test.
package final class ManualScheduler: SerialScheduler, @unchecked Sendable {
    // `@unchecked Sendable`: used on the thread of the test only.

    package private(set) var now = Instant.zero
    private var work: [(time: Instant, body: @Sendable () -> Void)] = []

    package init() {}

    package var waitingCount: Int { work.count }

    package func submit(_ body: @escaping @Sendable () -> Void) { submit(after: .zero, body) }

    package func submit(after delay: TimeSpan, _ body: @escaping @Sendable () -> Void) {
        work.append((now + max(delay, .zero), body))
    }

    /// Runs what is due until the end of a span, in order.
    package func run(for span: TimeSpan = .zero) {
        let end = now + span
        while let next = work.indices.filter({ work[$0].time <= end }).min(by: { work[$0].time < work[$1].time }) {
            let (time, body) = work.remove(at: next)
            now = max(now, time)
            body()
        }
        now = end
    }
}
