import BLEWire
import Dispatch

/// A serial queue with a clock: of the machine, or of a simulated world.
package protocol SerialScheduler: AnyObject, Sendable {
    /// The time since a fixed moment.
    var now: Instant { get }
    /// Runs `body` after everything that was submitted before. May be called on any thread.
    func submit(_ body: @escaping @Sendable () -> Void)
    /// Runs `body` after `delay`.
    func submit(after delay: TimeSpan, _ body: @escaping @Sendable () -> Void)
}

/// A dispatch queue with the clock of the machine.
package final class QueueScheduler: SerialScheduler {
    package let queue: DispatchQueue
    private let clock = MachineClock()

    package init(_ queue: DispatchQueue) { self.queue = queue }

    package var now: Instant { clock.now }

    package func submit(_ body: @escaping @Sendable () -> Void) { queue.async(execute: body) }

    package func submit(after delay: TimeSpan, _ body: @escaping @Sendable () -> Void) {
        queue.asyncAfter(deadline: .now() + .nanoseconds(Int(max(0, delay.nanoseconds))), execute: body)
    }
}
