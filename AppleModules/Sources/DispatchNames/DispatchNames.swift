@_exported import var CoreBluetooth.MSEC_PER_SEC
@_exported import var CoreBluetooth.NSEC_PER_MSEC
@_exported import var CoreBluetooth.NSEC_PER_SEC
@_exported import var CoreBluetooth.NSEC_PER_USEC
@_exported import var CoreBluetooth.USEC_PER_SEC
import Dispatch

/// A dispatch queue that runs one block at a time. On Apple's systems a class of its own; on Linux, where `DispatchQueue` cannot be
/// subclassed, the same class: `DispatchSerialQueue(label:)` makes a serial queue, and the name says no more than that.
public typealias DispatchSerialQueue = DispatchQueue

/// A source that watches a file. Linux has none; the name is for variables that stay empty.
public protocol DispatchSourceFileSystemObject: DispatchSourceProtocol {}

// Makes a serial queue an actor's executor: `nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }`.
// Only a serial one keeps the promise of the protocol.
extension DispatchQueue: @retroactive SerialExecutor {
    /// Runs a job of an actor on the queue.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    /// Ends the program unless it runs on the queue.
    public func checkIsolated() { dispatchPrecondition(condition: .onQueue(self)) }
}
