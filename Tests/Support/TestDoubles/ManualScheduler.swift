import BLETransport
import BLEWire

/// A scheduler whose time the test moves, on the thread of the test.
package final class ManualScheduler: SerialScheduler, @unchecked Sendable {
    // `@unchecked Sendable`: used on the thread of the test only.

    package private(set) var now = Instant.zero
    /// In the order in which it runs, backwards.
    private var work: [(time: Instant, body: @Sendable () -> Void)] = []

    package init() {}

    package var waitingCount: Int { work.count }

    package func submit(_ body: @escaping @Sendable () -> Void) { submit(after: .zero, body) }

    package func submit(after delay: TimeSpan, _ body: @escaping @Sendable () -> Void) {
        let time = now + max(delay, .zero)
        // Of equal times the later one comes before the earlier ones.
        var (low, high) = (0, work.count)
        while low < high {
            let middle = (low + high) / 2
            if work[middle].time > time { low = middle + 1 } else { high = middle }
        }
        work.insert((time, body), at: low)
    }

    /// Runs what is due until the end of a span, in order.
    package func run(for span: TimeSpan = .zero) {
        let end = now + span
        while let next = work.last, next.time <= end {
            work.removeLast()
            now = max(now, next.time)
            next.body()
        }
        now = end
    }
}
