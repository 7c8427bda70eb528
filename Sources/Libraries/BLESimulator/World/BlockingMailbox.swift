import BLEAdapter
import Foundation

/// A mailbox for a thread that blocks until a value arrives. On the main thread it runs the main queue meanwhile.
final class BlockingMailbox<Value: Sendable>: Sendable {
    private let values = Lock<[Value]>([])
    private let arrival = DispatchSemaphore(value: 0)
    private let isForMainThread = Thread.isMainThread

    func post(_ value: Value) {
        values.withLock { $0.append(value) }
        // A block on the main queue ends the wait of the main run loop.
        if isForMainThread { DispatchQueue.main.async {} } else { arrival.signal() }
    }

    /// Removes and returns the oldest value. Call it on the thread that created the mailbox.
    func wait() -> Value {
        while true {
            let value = values.withLock { $0.isEmpty ? nil : $0.removeFirst() }
            if let value { return value }
            if isForMainThread {
                _ = RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: 0.02))
            } else {
                arrival.wait()
            }
        }
    }
}
