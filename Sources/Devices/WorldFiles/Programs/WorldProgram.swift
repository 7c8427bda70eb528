import BLESimulator
import Dispatch
import Phrases

/// A program on a device of a world.
///
/// The runner of the world, a room or a ``WorldScene``, calls all members on its queue (``WorldProgramContext/queue``), while virtual time stands still. A program passes that queue to its
/// managers, so its delegate methods run there too. It starts no threads, timers or tasks, and reads no clock: a run that is repeated from the
/// same seed with the same commands then has the same packets.
package protocol WorldProgram: AnyObject {
    /// Creates the managers. Called once, inside `VirtualDevice.run`, so managers that the method creates belong to the device.
    func start()

    /// Ends the program before its device is removed from the world while the device is on. A device that loses its power gets no call.
    func stop()

    /// Performs an action of this program: a press of a button. Called inside `VirtualDevice.run`.
    ///
    /// - Parameters:
    ///   - action: The name of an action of this program.
    ///   - arguments: The arguments from the file or from the page.
    /// - Returns: The answer; `.null` if there is none.
    /// - Throws: `PhrasedError` for an action that the program does not have or cannot perform.
    func perform(_ action: String, with arguments: WorldValue) throws -> WorldValue

    /// The virtual time of the next call of `tick`; nil if the program waits for callbacks only. The runner reads it after each call of this program.
    /// A program that changes it in a callback calls `WorldProgramContext.deadlineChanged`.
    var nextDeadline: Duration? { get }

    /// Called at `nextDeadline` exactly. A deadline in the past is due immediately. The next deadline is later than the present time.
    func tick()

    /// The state of the program for the page; nil if it shows none. `WorldProgramContext.changed` reports a new one.
    var snapshot: (any Encodable & Sendable)? { get }
}

extension WorldProgram {
    package func stop() {}

    package func perform(_ action: String, with arguments: WorldValue) throws -> WorldValue {
        throw PhrasedError.unknownAction(action)
    }

    package var nextDeadline: Duration? { nil }
    package func tick() {}
    package var snapshot: (any Encodable & Sendable)? { nil }
}

/// What a program gets from the runner of its world. Used only on the queue of the programs.
package struct WorldProgramContext {
    /// The identifier of the device in its world.
    package let identifier: String
    /// The name of the device.
    package let name: String
    package let device: VirtualDevice
    /// The queue of all programs of the world.
    package let queue: DispatchQueue
    /// Determines the random draws of the program. It is the same in each run of the world's seed.
    package let seed: UInt64
    /// The YAML text of a profile, for programs that take one.
    package let profile: String?
    /// Settings of the device; `.null` if there are none.
    package let parameters: WorldValue
    /// The virtual time since the world began.
    package let now: () -> Duration
    /// Adds an event to the list of what happens.
    package let report: (ProgramEvent) -> Void
    /// Reports that `snapshot` has changed. Calls are cheap.
    package let changed: () -> Void
    /// Reports that `nextDeadline` has changed outside of `start`, `tick` and `perform`. Calls are cheap.
    package let deadlineChanged: () -> Void

    package init(
        identifier: String, name: String, device: VirtualDevice, queue: DispatchQueue, seed: UInt64, profile: String?,
        parameters: WorldValue, now: @escaping () -> Duration, report: @escaping (ProgramEvent) -> Void,
        changed: @escaping () -> Void, deadlineChanged: @escaping () -> Void
    ) {
        self.identifier = identifier
        self.name = name
        self.device = device
        self.queue = queue
        self.seed = seed
        self.profile = profile
        self.parameters = parameters
        self.now = now
        self.report = report
        self.changed = changed
        self.deadlineChanged = deadlineChanged
    }
}
