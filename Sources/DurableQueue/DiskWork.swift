import Dispatch
import Synchronization

/// The operations that wait for the disk, in their order, on a thread of their own: a disk can take a tenth of a second for one, and nobody
/// waits for it.
final class DiskWork: Sendable {
    // The target is a queue with few threads, because a program can have a thousand of these.
    private let queue = DispatchQueue(label: "durable-queue.disk", target: .global(qos: .utility))
    private let failure = Failure()

    func run(_ body: @escaping @Sendable () throws(DurableQueueFailure) -> Void) {
        queue.async { [failure] in
            do throws(DurableQueueFailure) { try body() } catch { failure.set(error) }
        }
    }

    /// Returns when all operations are done. `check` tells how they ended.
    func wait() { queue.sync {} }

    /// Throws the last failure that was not thrown yet.
    func check() throws(DurableQueueFailure) {
        if let failure = failure.take() { throw failure }
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
