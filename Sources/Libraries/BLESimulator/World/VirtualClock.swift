import BLEAdapter
import BLEVirtualRadio
import BLEWire
import Dispatch

/// The clock of a ``World``: its virtual time, which passes only while the world runs. May be used from any thread.
///
/// The libraries of this package take it instead of the clock of the machine, as in `TransferCentral(…, clock: world.clock)`, so that their time
/// limits follow virtual time. They call their code at its deadline on their queue, and virtual time stands still until it returns, as during a
/// delegate callback. Equal runs therefore have equal orders. A task that sleeps resumes at its deadline too, but the world does not wait for what the task does then: at
/// ``Pace/unlimited`` any virtual time may pass before the next line of the task.
public struct VirtualClock: Clock {
    /// A moment of virtual time.
    public struct Instant: InstantProtocol, Hashable, Sendable {
        /// The virtual time since the world began.
        public var sinceStart: Duration

        /// Creates a moment from the time since the world began.
        public init(sinceStart: Duration) { self.sinceStart = sinceStart }

        /// The moment after a duration.
        public func advanced(by duration: Duration) -> Instant { Instant(sinceStart: sinceStart + duration) }
        /// The duration until another moment.
        public func duration(to other: Instant) -> Duration { other.sinceStart - sinceStart }
        /// Whether the first moment precedes the second one.
        public static func < (lhs: Instant, rhs: Instant) -> Bool { lhs.sinceStart < rhs.sinceStart }
    }

    private let engine: VirtualTimeEngine

    init(_ engine: VirtualTimeEngine) { self.engine = engine }

    /// The present moment.
    public var now: Instant { Instant(sinceStart: engine.currentTime.sinceOrigin) }

    /// One nanosecond.
    public var minimumResolution: Duration { .nanoseconds(1) }

    /// Suspends the task until virtual time reaches `deadline`. A task sleeps for ever if nothing runs the world.
    ///
    /// - Throws: `CancellationError` if the task is cancelled, or if the world no longer exists.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        try Task.checkCancellation()
        let (wakeUps, wakeUp) = AsyncStream.makeStream(of: Void.self)
        let timer = engine.schedule(at: Self.instant(deadline), start: Self.call { wakeUp.finish() })
        for await _ in wakeUps {}
        guard !Task.isCancelled, now >= deadline else {
            engine.cancelTimer(timer)
            throw CancellationError()
        }
    }

    private static func instant(_ instant: Instant) -> BLEWire.Instant { .zero + TimeSpan(instant.sinceStart) }

    /// Returns a callback of the engine that calls `wake`. The end of the world releases the callback, which calls `wake` too.
    private static func call(
        _ wake: @escaping @Sendable () -> Void
    ) -> @Sendable (_ done: (@Sendable () -> Void)?) -> Void {
        let sleeper = Sleeper(wake)
        return { done in
            sleeper.wake()
            done?()
        }
    }

    /// Ends a sleep, at the latest with its last reference.
    private final class Sleeper: Sendable {
        let wake: @Sendable () -> Void

        init(_ wake: @escaping @Sendable () -> Void) { self.wake = wake }
        deinit { wake() }
    }
}

extension VirtualClock: QueueSchedulingClock {
    package func schedule(at deadline: Instant, on queue: DispatchQueue, _ body: @escaping @Sendable () -> Void) {
        engine.schedule(at: Self.instant(deadline), on: queue, body)
    }
}

extension World {
    /// The clock of the world's virtual time. It may outlive the world; its time then stands still.
    public var clock: VirtualClock { VirtualClock(radio.engine) }
}
