import Dispatch

/// The time of a library, and calls at a later time. A test in virtual time supplies a clock of its own.
public protocol QueueClock: AnyObject, Sendable {
    /// The time since a fixed moment.
    var now: Duration { get }
    /// Calls `body` on `queue` at `deadline` or shortly after it.
    func schedule(at deadline: Duration, on queue: DispatchQueue, _ body: @escaping @Sendable () -> Void)
}

/// The time of the machine.
public final class SystemQueueClock: QueueClock {
    /// More than a program runs, and less than a number of nanoseconds can say.
    private static let longest = Duration.seconds(1 << 31)

    private let start = ContinuousClock.now

    /// Creates a clock that begins at zero.
    public init() {}

    /// The time since the creation.
    public var now: Duration { ContinuousClock.now - start }

    /// Calls `body` on `queue` at `deadline`.
    public func schedule(at deadline: Duration, on queue: DispatchQueue, _ body: @escaping @Sendable () -> Void) {
        let nanoseconds = min(max(.zero, deadline - now), Self.longest) / .nanoseconds(1)
        queue.asyncAfter(deadline: .now() + .nanoseconds(Int(nanoseconds.rounded(.up))), execute: body)
    }
}
