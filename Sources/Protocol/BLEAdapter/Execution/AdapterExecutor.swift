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

    /// The time. Used only on the executor.
    var now: Instant { get }

    /// Takes the owner, before all other calls. An executor that keeps it until `retire` spares all code that runs on it a reference of its own.
    func adopt(_ owner: ExecutorIsolated<Owner>)

    /// The adapter of the owner has ended. The calls submitted before still run.
    func retire()

    /// Runs `call` on the executor after every call submitted before, and then delivers its events. May be called on
    /// any thread; returns at once.
    func submit(to owner: ExecutorIsolated<Owner>, _ call: @escaping @Sendable (Owner) -> Void)

    /// Runs `call` now, on the calling thread, if that has the effect and the order of `submit`: the observer of a request or of the end of an
    /// operation makes the call in a step of the executor, or the executor is idle. It is for callers that hold no lock: the calling thread may
    /// also deliver the events. Returns false, without effect, if the caller has to submit the call.
    func runAtOnce(_ call: (Owner) -> Void) -> Bool

    /// Sets the time of the next call of `owner.handleTimeout`, replacing the preceding deadline; nil removes it. Used
    /// only on the executor.
    func schedule(_ owner: Owner, at deadline: Instant?)
}

extension AdapterExecutor {
    package func adopt(_ owner: ExecutorIsolated<Owner>) {}

    package func retire() {}

    package func runAtOnce(_ call: (Owner) -> Void) -> Bool { false }
}
