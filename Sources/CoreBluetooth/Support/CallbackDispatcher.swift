internal import BLERuntime
internal import DequeModule
import BLEAdapter
import Dispatch

/// Delivers all callbacks of the module: on the delegate's queue, in order, outside all locks, and never inside the call that
/// caused them. The adapter schedules them, so that virtual time stands still until they return.
///
/// The dispatcher passes the same block to the adapter every time; it runs the oldest pending callback. A callback therefore
/// allocates its own closure and Dispatch's record, and no block.
final class CallbackDispatcher: @unchecked Sendable {
    let adapter: any BluetoothAdapter
    let queue: DispatchQueue
    /// Runs callbacks in step with the adapter's clock; nil: an adapter without one.
    private let scheduler: (any CallbackScheduling)?
    private let waiting: WaitingCallbacks
    /// The sink of ``APIMisuse`` at the manager's creation.
    private let sink = APIMisuse.sink
    private let runNext: @Sendable @convention(block) () -> Void

    init(adapter: any BluetoothAdapter, queue: DispatchQueue?) {
        let waiting = WaitingCallbacks()
        self.adapter = adapter
        scheduler = adapter.callbackScheduler
        self.queue = queue ?? .main
        self.waiting = waiting
        runNext = { waiting.runNext() }
    }

    /// Runs `body` on the delegate's queue. Drops it and returns false if ``totalLimit`` callbacks are pending. The objects in `body` do
    /// their own locking.
    @discardableResult
    func post(_ body: @escaping () -> Void) -> Bool { handle(waiting.append(body, .total)) }

    /// Runs `body` on the delegate's queue, however many callbacks are pending. The caller keeps at most one such callback pending.
    func postBeyondLimit(_ body: @escaping () -> Void) { _ = handle(waiting.append(body, .none)) }

    /// The clock that stands still during callbacks; nil: an adapter without one.
    var clock: AnyObject? { scheduler?.clock }

    private func schedule() {
        if let scheduler { scheduler.scheduleCallback(runNext, on: queue) } else { queue.async(execute: runNext) }
    }

    /// Starts a callback that no queue carries; see `CallbackScheduling`.
    func start(_ start: @escaping @Sendable (_ done: (@Sendable () -> Void)?) -> Void) {
        if let scheduler { scheduler.startCallback(start) } else { start(nil) }
    }

    /// Runs `body` on the delegate's queue, or drops it and returns false if ``limit`` callbacks of this kind are pending. For
    /// events that peers cause without flow control. A receiver may discard notifications and commands without room for them (Core
    /// Specification, Vol 3, Part F, 3.3.2), and a controller may discard advertising reports.
    ///
    /// The log reports the first dropped callback, and another one only after no callback was pending in between.
    @discardableResult
    func postUnlessFull(_ body: @escaping () -> Void) -> Bool { handle(waiting.append(body, .totalAndCounted)) }

    /// Schedules a callback that was taken, and reports the first one that was dropped. Returns whether it was taken.
    private func handle(_ admission: WaitingCallbacks.Admission) -> Bool {
        switch admission {
        case .taken: schedule()
        case .dropped: break
        case .firstDropped:
            APIMisuse.warn(
                "the delegate on the queue '\(queue.label)' is too slow: \(Self.limit) callbacks wait for it. Notifications, "
                    + "discoveries and writes without response are dropped until it has caught up. Return sooner from its "
                    + "methods, or give the manager a queue of its own", to: sink)
        case .firstDroppedOfAnyKind:
            APIMisuse.warn(
                "the queue '\(queue.label)' does not run: \(Self.totalLimit) callbacks wait for it. Callbacks of any kind are dropped "
                    + "while so many wait. Do not block or suspend the queue of a manager", to: sink)
        }
        return admission == .taken
    }

    /// The most pending callbacks of ``postUnlessFull(_:)``: ten seconds of notifications at the highest rate of a link, and about
    /// 10 MB with the longest values.
    static let limit = 16_384

    /// The most callbacks of both kinds that wait. Only a queue that never runs gets here: a program starts each operation itself, and a
    /// link has to connect and disconnect for each of the other callbacks.
    static let totalLimit = 4 * limit
}

/// The pending callbacks, in order. Each accepted callback is followed by one call of `runNext` on the delegate's queue.
private final class WaitingCallbacks: @unchecked Sendable {
    enum Admission { case taken, dropped, firstDropped, firstDroppedOfAnyKind }

    /// The limits that apply to a callback.
    enum Limits {
        case none
        /// `CallbackDispatcher.totalLimit`.
        case total
        /// `CallbackDispatcher.limit`, too.
        case totalAndCounted
    }

    /// A structure, because a collection of closures would box each of them again.
    private struct Callback {
        let isCounted: Bool
        let run: () -> Void
    }

    private struct Content {
        var callbacks = Deque<Callback>()
        /// The pending callbacks to which `limit` applies.
        var counted = 0
        /// Whether one of these was dropped since the last time no callback was pending.
        var isDropping = false
        /// Whether a callback was dropped because of `totalLimit` since the last time none was pending.
        var isOverflowing = false
        /// The most pending callbacks since the storage was allocated.
        var peak = 0

        mutating func append(_ callback: Callback) {
            callbacks.append(callback)
            peak = max(peak, callbacks.count)
        }

        mutating func takeFirst() -> Callback? {
            guard let callback = callbacks.popFirst() else { return nil }
            if callback.isCounted {
                counted -= 1
                if counted == 0 { isDropping = false }
            }
            if callbacks.isEmpty { isOverflowing = false }
            if callbacks.isEmpty, peak > WaitingCallbacks.keptCapacity {
                callbacks = Deque()
                peak = 0
            }
            return callback
        }
    }

    private let content = Lock(Content())

    func append(_ callback: @escaping () -> Void, _ limits: Limits) -> Admission {
        let isCounted = limits == .totalAndCounted
        let callback = Callback(isCounted: isCounted, run: callback)
        return content.withLock { content in
            if isCounted, content.counted >= CallbackDispatcher.limit {
                defer { content.isDropping = true }
                return content.isDropping ? .dropped : .firstDropped
            }
            guard limits == .none || content.callbacks.count < CallbackDispatcher.totalLimit else {
                defer { content.isOverflowing = true }
                return content.isOverflowing ? .dropped : .firstDroppedOfAnyKind
            }
            if isCounted { content.counted += 1 }
            content.append(callback)
            return .taken
        }
    }

    func runNext() {
        let callback = content.withLock { $0.takeFirst() }
        callback?.run()
    }

    private static let keptCapacity = 256
}
