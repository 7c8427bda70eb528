#if !canImport(Darwin)
internal import BLERuntime
import Dispatch

/// The one way by which callbacks leave the module: on the delegate's queue, in order, never under a lock and never from
/// within the call that caused them. The adapter carries them, so that virtual time can stand still meanwhile.
///
/// What the adapter carries is always the same block, which runs the callback that waits longest: so a callback costs its own
/// closure and what Dispatch needs to remember it, and no block of its own.
final class Delivery: @unchecked Sendable {
    let adapter: any BluetoothAdapter
    let queue: DispatchQueue
    private let waiting: WaitingCallbacks
    private let runNext: @Sendable @convention(block) () -> Void

    init(adapter: any BluetoothAdapter, queue: DispatchQueue?) {
        let waiting = WaitingCallbacks()
        self.adapter = adapter
        self.queue = queue ?? .main
        self.waiting = waiting
        runNext = { waiting.runNext() }
    }

    /// Runs `body` on the delegate's queue. What the objects in it guard, they guard themselves.
    func post(_ body: @escaping () -> Void) {
        waiting.append(body)
        adapter.deliver(block: runNext, on: queue)
    }
}

/// Callbacks on their way, in order. Each `append` is followed by one `runNext` on the delegate's queue.
private final class WaitingCallbacks: @unchecked Sendable {
    /// A structure, because an array of bare functions would wrap each of them once more.
    private struct Callback {
        let run: () -> Void
    }

    private struct Content {
        /// Those before `next` have been run.
        var callbacks: [Callback?] = []
        var next = 0
    }

    private let content = Guarded(Content())

    func append(_ callback: @escaping () -> Void) {
        let callback = Callback(run: callback)
        content.withLock { $0.callbacks.append(callback) }
    }

    func runNext() {
        let callback: Callback? = content.withLock { content in
            guard content.next < content.callbacks.count else { return nil }
            let callback = content.callbacks[content.next].take()
            content.next += 1
            // What is run makes room: at once if nothing waits, else now and then.
            if content.next == content.callbacks.count {
                content.callbacks.removeAll(keepingCapacity: content.next <= Self.keptCapacity)
                content.next = 0
            } else if content.next == Self.keptCapacity {
                content.callbacks.removeFirst(content.next)
                content.next = 0
            }
            return callback
        }
        callback?.run()
    }

    private static let keptCapacity = 256
}
#endif
