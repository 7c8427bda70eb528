import BLEAdapter
import BLEWire
import Dispatch

/// The one serial executor that owns a host, with its clock. In a world many hosts share one.
package protocol AdapterExecutor: AnyObject, Sendable {
    /// The time. For code on the executor only.
    var now: Instant { get }

    /// Carries `call` out on the executor, after every call submitted before, and then what follows from it. From any thread;
    /// returns at once.
    func submit(to core: Confined<HostDriver>, _ call: @escaping @Sendable (HostDriver) -> Void)

    /// Like `submit`, but may carry the call out where it is made, if nobody works on the executor: for calls that others
    /// wait for, and whose caller holds no lock. What it brings the sessions is told on the calling thread then.
    func carryOut(on core: Confined<HostDriver>, _ call: @escaping @Sendable (HostDriver) -> Void)

    /// Runs a callback of the program on `queue`, after every callback delivered to that queue before.
    func deliver(on queue: DispatchQueue, _ body: @escaping @Sendable () -> Void)

    /// The same with a block that is there already.
    func deliver(block: @escaping @Sendable @convention(block) () -> Void, on queue: DispatchQueue)

    /// Starts a callback of the program that no queue carries; see `BluetoothAdapter.deliver(handing:)`.
    func deliver(handing start: @escaping @Sendable (_ done: (@Sendable () -> Void)?) -> Void)

    /// Says when `core` wants to be called next; nil: not at all. On the executor only.
    func schedule(_ core: HostDriver, at deadline: Instant?)
}

extension AdapterExecutor {
    package func carryOut(on core: Confined<HostDriver>, _ call: @escaping @Sendable (HostDriver) -> Void) {
        submit(to: core, call)
    }

    package func deliver(block: @escaping @Sendable @convention(block) () -> Void, on queue: DispatchQueue) {
        deliver(on: queue) { block() }
    }
}
