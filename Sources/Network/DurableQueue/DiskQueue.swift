import Dispatch
import Synchronization

/// Runs operations that wait for the disk, such as `fsync`, in their order and on a thread of its own. One can take a tenth of a second. The
/// caller waits only when it is far ahead of the disk.
final class DiskQueue: Sendable {
    /// The most operations that wait.
    private static let limit = 64

    // The target is a queue with few threads, because a program can have a thousand of these.
    private let queue = DispatchQueue(label: "durable-queue.disk", target: .global(qos: .utility))
    private let failure = Mutex<DurableQueueError?>(nil)
    private let waitingCount = Atomic(0)

    func run(_ body: @escaping @Sendable () throws(DurableQueueError) -> Void) {
        if waitingCount.add(1, ordering: .relaxed).newValue > Self.limit { wait() }
        queue.async { [self] in
            do throws(DurableQueueError) { try body() } catch { failure.withLock { $0 = error } }
            waitingCount.subtract(1, ordering: .relaxed)
        }
    }

    /// Returns when all operations are done. `check` tells how they ended.
    func wait() { queue.sync {} }

    /// Throws the last failure that was not thrown yet.
    func check() throws(DurableQueueError) {
        if let failure = failure.withLock({ $0.take() }) { throw failure }
    }
}
