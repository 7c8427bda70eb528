import Dispatch
import Synchronization

/// The operations that wait for the disk, in their order, on a thread of their own: a disk can take a tenth of a second for one. Nobody waits
/// for it while there are few of them.
final class DiskWork: Sendable {
    /// The most operations that wait.
    private static let limit = 64

    // The target is a queue with few threads, because a program can have a thousand of these.
    private let queue = DispatchQueue(label: "durable-queue.disk", target: .global(qos: .utility))
    private let failure = Failure()
    private let waiting = Waiting()

    func run(_ body: @escaping @Sendable () throws(DurableQueueFailure) -> Void) {
        if waiting.count.add(1, ordering: .relaxed).newValue > Self.limit { wait() }
        queue.async { [failure, waiting] in
            do throws(DurableQueueFailure) { try body() } catch { failure.set(error) }
            waiting.count.subtract(1, ordering: .relaxed)
        }
    }

    /// Returns when all operations are done. `check` tells how they ended.
    func wait() { queue.sync {} }

    /// Throws the last failure that was not thrown yet.
    func check() throws(DurableQueueFailure) {
        if let failure = failure.take() { throw failure }
    }

    private final class Waiting: Sendable {
        let count = Atomic(0)
    }

    private final class Failure: Sendable {
        private let value = Mutex<DurableQueueFailure?>(nil)

        func set(_ failure: DurableQueueFailure) { value.withLock { $0 = failure } }

        func take() -> DurableQueueFailure? {
            value.withLock { value in
                defer { value = nil }
                return value
            }
        }
    }
}
