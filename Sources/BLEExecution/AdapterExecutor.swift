import BLEAdapter
import BLEWire

/// An object that one serial executor runs, such as a host with its sessions.
package protocol ExecutorOwner: AnyObject, SendableMetatype {
    /// Reports the events of one call. Packets and the next deadline wait for `flush`.
    func deliverEvents()

    /// Ends a batch (calls, received octets, a timeout): sends packets, reports events and schedules the next deadline.
    func flush()

    /// Handles the deadline given to `AdapterExecutor.schedule`, which has passed.
    func handleTimeout()
}

/// The serial executor of one owner, with its clock. In a world, many executors share one clock and one queue.
package protocol AdapterExecutor<Owner>: CallbackScheduling {
    associatedtype Owner: ExecutorOwner

    /// The time. For code on the executor only.
    var now: Instant { get }

    /// Runs `call` on the executor after every call submitted before, and then delivers the events that it causes. From any thread;
    /// returns at once.
    func submit(to owner: ExecutorIsolated<Owner>, _ call: @escaping @Sendable (Owner) -> Void)

    /// Like `submit`, but may run `call` on the calling thread if the executor is idle. For calls whose caller waits for their effect
    /// and holds no lock. In that case the calling thread delivers the events, too.
    func perform(on owner: ExecutorIsolated<Owner>, _ call: @escaping @Sendable (Owner) -> Void)

    /// Sets when to call `owner.handleTimeout` next, in place of the deadline set before; nil: never. On the executor only.
    func schedule(_ owner: Owner, at deadline: Instant?)
}

extension AdapterExecutor {
    package func perform(on owner: ExecutorIsolated<Owner>, _ call: @escaping @Sendable (Owner) -> Void) {
        submit(to: owner, call)
    }
}
