import BLEAdapter
import Foundation

/// Runs recursive code on a thread with a large stack.
///
/// Yams parses recursively, and libyaml allows 1,000 levels, for which the stack of a worker thread is too small.
enum LargeStackThread {
    /// Octets. The system provides only those that are used.
    private static let size = 64 << 20

    /// Returns the result of `body`, which runs while the caller waits.
    static func run<Value>(_ body: @escaping @Sendable () -> Value) -> Value {
        let result = Lock<Value?>(nil)
        let isDone = DispatchSemaphore(value: 0)
        let thread = Thread {
            let value = body()
            result.withLock { $0 = value }
            isDone.signal()
        }
        thread.stackSize = size
        thread.start()
        isDone.wait()
        guard let value = result.withLock({ $0 }) else { preconditionFailure("the thread has set the value") }
        return value
    }
}
