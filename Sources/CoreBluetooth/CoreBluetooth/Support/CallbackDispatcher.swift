internal import BLERuntime
internal import BLEWire
import BLEAdapter
import Dispatch
import Foundation

/// Delivers all callbacks of the module: on the delegate's queue, in order, outside all locks, and never inside the call that
/// caused them. The adapter schedules them, so that virtual time stands still until they return.
///
/// The dispatcher is the source of its callbacks for the adapter's scheduler, which runs several in one block. The frequent events,
/// discoveries, values and results, wait as values and allocate no closure.
final class CallbackDispatcher: @unchecked Sendable {
    let adapter: any BluetoothAdapter
    let queue: DispatchQueue
    /// Runs callbacks in step with the adapter's clock; nil: an adapter without one.
    private let scheduler: (any CallbackScheduling)?
    private let waiting: WaitingCallbacks
    private let runner: CallbackRunner
    /// The sink of ``APIMisuse`` at the manager's creation.
    private let sink = APIMisuse.sink

    init(adapter: any BluetoothAdapter, queue: DispatchQueue?) {
        let waiting = WaitingCallbacks()
        self.adapter = adapter
        scheduler = adapter.callbackScheduler
        self.queue = queue ?? .main
        self.waiting = waiting
        runner = CallbackRunner(waiting)
    }

    /// Sets the object that receives discoveries, values and results; nil drops those that wait. The dispatcher keeps the object: a weak reference
    /// would make each reference to it expensive.
    func setReceiver(_ receiver: (any FrequentEventReceiver)?) { waiting.setReceiver(receiver) }

    /// Runs `body` on the delegate's queue. Drops it and returns false if ``totalLimit`` callbacks are pending. The objects in `body` do
    /// their own locking.
    @discardableResult
    func post(_ body: @escaping () -> Void) -> Bool { handle(waiting.append(.call(body), .total)) }

    /// Runs `body` on the delegate's queue, however many callbacks are pending. The caller keeps at most one such callback pending.
    func postBeyondLimit(_ body: @escaping () -> Void) { _ = handle(waiting.append(.call(body), .none)) }

    /// The clock that stands still during callbacks; nil: an adapter without one.
    var clock: AnyObject? { scheduler?.clock }

    private func schedule(_ count: Int = 1) {
        if let scheduler {
            scheduler.scheduleCallbacks(count, of: runner, on: queue)
        } else {
            for _ in 0..<count { queue.async(execute: runner.runNext) }
        }
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
    func postUnlessFull(_ body: @escaping () -> Void) -> Bool { handle(waiting.append(.call(body), .totalAndCounted)) }

    /// Passes the result of an operation to the receiver like ``post(_:)``.
    func post(_ result: Result<GATTResult, GATTError>, of operation: GATTOperation, on peer: PeerIdentifier) {
        _ = handle(waiting.append(.completion(operation, result, peer), .total))
    }

    /// Passes the value of a read to the receiver like ``post(_:)``.
    func post(_ value: WaitingValue, readFrom handle: UInt16, on peer: PeerIdentifier) {
        _ = self.handle(waiting.append(.read(value, handle: handle, peer), .total))
    }

    /// Passes a value to the receiver like ``postUnlessFull(_:)``.
    func postUnlessFull(_ value: Span<UInt8>, handle: UInt16, from peer: PeerIdentifier) {
        _ = self.handle(waiting.append(value, handle: handle, from: peer))
    }

    /// Passes values to the receiver like ``postUnlessFull(_:)``. `values` has no values afterwards.
    func postUnlessFull(_ values: inout ValueRun) {
        let (taken, drop) = waiting.append(&values)
        if taken > 0 { schedule(taken) }
        if drop != .taken { _ = handle(drop) }
    }

    /// Passes discoveries to the receiver like ``postUnlessFull(_:)``.
    func postUnlessFull(_ discoveries: ArraySlice<Discovery>) {
        let (taken, drop) = waiting.append(discoveries)
        if taken > 0 { schedule(taken) }
        if drop != .taken { _ = handle(drop) }
    }

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

/// The pending callbacks as a scheduler sees them.
private final class CallbackRunner: CallbackSource {
    private let waiting: WaitingCallbacks
    let runNext: @Sendable @convention(block) () -> Void

    init(_ waiting: WaitingCallbacks) {
        self.waiting = waiting
        runNext = { waiting.run(1) }
    }

    func run(_ count: Int) { waiting.run(count) }
}
