import Dispatch

/// Runs the callbacks of a program in step with an adapter's own clock.
///
/// An adapter whose executor works in steps, or whose time stands still during callbacks, provides one as
/// `BluetoothAdapter.callbackScheduler`. The callbacks of any other adapter go directly to their queues.
package protocol CallbackScheduling: AnyObject, Sendable {
    /// The clock that stands still during callbacks, for `CallbackScope`.
    var clock: AnyObject { get }

    /// Runs `block` on `queue`, after all callbacks that were scheduled on that queue before. In virtual time the clock
    /// stands still from this call until `block` returns.
    func scheduleCallback(_ block: @escaping @Sendable @convention(block) () -> Void, on queue: DispatchQueue)

    /// Schedules the next `count` callbacks of `source`, like as many calls of the method above.
    func scheduleCallbacks(_ count: Int, of source: any CallbackSource, on queue: DispatchQueue)

    /// Starts a callback that runs on no queue, such as an event for a run loop. Calls `start` in order among the
    /// callbacks, on a thread that must not block. If `start` receives a `done`, the clock stands still until the
    /// program calls `done`, once.
    func startCallback(_ start: @escaping @Sendable (_ done: (@Sendable () -> Void)?) -> Void)

    /// Returns a clock that begins at zero, for callbacks at a later time. In virtual time it stands still during callbacks, those that it
    /// calls included.
    func makeQueueClock() -> QueueClock
}

extension CallbackScheduling {
    package var clock: AnyObject { self }

    package func makeQueueClock() -> QueueClock { QueueClock(ContinuousClock()) }

    package func scheduleCallbacks(_ count: Int, of source: any CallbackSource, on queue: DispatchQueue) {
        for _ in 0..<count { scheduleCallback(source.runNext, on: queue) }
    }
}

/// Callbacks that wait in order. A scheduler decides when each of them runs.
package protocol CallbackSource: AnyObject, Sendable {
    /// A block that runs the oldest callback. It is the same block each time, so that a scheduled callback allocates none.
    var runNext: @Sendable @convention(block) () -> Void { get }

    /// Runs the `count` oldest callbacks.
    func run(_ count: Int)
}
