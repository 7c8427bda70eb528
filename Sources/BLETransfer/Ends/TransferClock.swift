import CoreBluetooth
import Foundation

/// The time of a transfer. A test in virtual time supplies a clock of its own.
public protocol TransferClock: AnyObject, Sendable {
    /// The time since a fixed moment.
    var now: Duration { get }
    /// Calls `body` on `queue` at `deadline` or shortly after it.
    func schedule(at deadline: Duration, on queue: DispatchQueue, _ body: @escaping @Sendable () -> Void)
}

/// The time of the machine.
public final class TransferSystemClock: TransferClock {
    private let start = ContinuousClock.now

    /// Creates a clock that begins at zero.
    public init() {}

    /// The time since the creation.
    public var now: Duration { ContinuousClock.now - start }

    /// Calls `body` on `queue` at `deadline`.
    public func schedule(at deadline: Duration, on queue: DispatchQueue, _ body: @escaping @Sendable () -> Void) {
        let nanoseconds = max(.zero, deadline - now) / .nanoseconds(1)
        queue.asyncAfter(deadline: .now() + .nanoseconds(Int(nanoseconds.rounded(.up))), execute: body)
    }
}
