import BLEAdapter
import DequeModule
import Dispatch
import Synchronization

/// The calls and the callbacks that wait for an engine. Any thread puts them in, and the engine takes them out.
struct EngineMailbox: ~Copyable {
    enum Callback {
        case on(DispatchQueue, @Sendable @convention(block) () -> Void)
        /// Calls its argument when the callback has ended.
        case started(@Sendable (_ done: (@Sendable () -> Void)?) -> Void)
    }

    private struct Content {
        var calls: [@Sendable () -> Void] = []
        var callbacks = Deque<Callback>()
        /// Whether a pump has been put on the queue and has not yet begun.
        var isWoken = false
        var isClosed = false

        /// Notes that something has been put in. Returns whether a pump must be put on the queue.
        mutating func wake() -> Bool {
            defer { isWoken = true }
            return !isWoken
        }
    }

    private let content = Lock(Content())
    /// Whether there is a call or a callback. It changes only with the lock. A step reads it without, because the lock would cost as much as
    /// the step.
    private let isFilled = Atomic(false)

    var isEmpty: Bool { !isFilled.load(ordering: .acquiring) }
    var hasCallback: Bool { !isEmpty && content.withLock { !$0.callbacks.isEmpty } }

    /// Adds a call. Returns whether a pump must be put on the queue. A closed mailbox drops it.
    func add(_ call: @escaping @Sendable () -> Void) -> Bool {
        content.withLock { content in
            guard !content.isClosed else { return false }
            content.calls.append(call)
            isFilled.store(true, ordering: .releasing)
            return content.wake()
        }
    }

    /// The same for a callback.
    func add(_ callback: Callback) -> Bool {
        content.withLock { content in
            guard !content.isClosed else { return false }
            content.callbacks.append(callback)
            isFilled.store(true, ordering: .releasing)
            return content.wake()
        }
    }

    /// Notes whether a pump is coming, so that a call need not put one on the queue.
    func setWoken(_ isWoken: Bool) { content.withLock { $0.isWoken = isWoken } }

    func takeCalls() -> [@Sendable () -> Void] {
        content.withLock { content in
            let calls = content.calls
            content.calls.removeAll(keepingCapacity: true)
            isFilled.store(!content.callbacks.isEmpty, ordering: .relaxed)
            return calls
        }
    }

    /// The oldest callback; nil if none waits.
    func takeCallback() -> Callback? {
        content.withLock { content in
            defer { isFilled.store(!content.calls.isEmpty || !content.callbacks.isEmpty, ordering: .relaxed) }
            return content.callbacks.popFirst()
        }
    }

    /// Drops everything, also what comes later.
    func close() {
        let left = content.withLock { content in
            content.isClosed = true
            defer {
                content.calls = []
                content.callbacks = []
            }
            return (content.calls, content.callbacks)
        }
        // Releases the objects of these values outside the lock.
        _ = left
    }
}
