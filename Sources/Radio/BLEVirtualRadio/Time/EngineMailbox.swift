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

    struct Content {
        var calls: [@Sendable () -> Void] = []
        var callbacks = Deque<Callback>()
        /// Whether a pump has been put on the queue and has not yet begun.
        var isWoken = false
        var isClosed = false
    }

    private let content = Lock(Content())
    /// Whether there is a call or a callback. It changes only with the lock. A step reads it without, because the lock would cost as much as
    /// the step.
    private let isFilled = Atomic(false)

    var isEmpty: Bool { !isFilled.load(ordering: .acquiring) }
    var hasCallback: Bool { !isEmpty && content.withLock { !$0.callbacks.isEmpty } }

    /// Adds a call. Returns whether a pump must be put on the queue. A closed mailbox drops the call.
    func add(_ call: @escaping @Sendable () -> Void) -> Bool { put { $0.calls.append(call) } }

    func add(_ callback: Callback) -> Bool { put { $0.callbacks.append(callback) } }

    @inline(__always)
    private func put(_ add: (inout Content) -> Void) -> Bool {
        content.withLock { content in
            guard !content.isClosed else { return false }
            add(&content)
            isFilled.store(true, ordering: .releasing)
            defer { content.isWoken = true }
            return !content.isWoken
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
