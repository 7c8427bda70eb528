import Dispatch

/// An actor with its own queue, in a file that imports only Dispatch.
public actor WorkQueue {
    private let queue = DispatchSerialQueue(label: "org.example.beacons.work")

    /// The executor of the actor.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

    /// Makes the queue.
    public init() {}

    /// Whether the actor runs on its queue.
    public func isOnItsQueue() -> Bool {
        dispatchPrecondition(condition: .onQueue(queue))
        return true
    }
}
