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

    /// Starts a callback that runs on no queue, such as an event for a run loop. Calls `start` in order among the
    /// callbacks, on a thread that must not block. If `start` receives a `done`, the clock stands still until the
    /// program calls `done`, once.
    func startCallback(_ start: @escaping @Sendable (_ done: (@Sendable () -> Void)?) -> Void)
}

extension CallbackScheduling {
    package var clock: AnyObject { self }
}
