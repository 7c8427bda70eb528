import Dispatch

/// An actor on a queue of its own, in a file that imports no more than Dispatch.
public actor WorkQueue {
    private let queue = DispatchSerialQueue(label: "org.example.beacons.work")

    /// The actor runs on its queue.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

    /// Makes it.
    public init() {}

    /// Whether it does.
    public func isOnItsQueue() -> Bool {
        dispatchPrecondition(condition: .onQueue(queue))
        return true
    }
}
