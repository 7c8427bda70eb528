import BLESimulator
import Dispatch
import Phrases

/// A program on a device of the room.
///
/// The room calls all members on its queue (``RoomProgramContext/queue``), while virtual time stands still. A program passes that queue to its
/// managers, so its delegate methods run there too. It starts no threads, timers or tasks, and reads no clock: a run that is repeated from the
/// same seed with the same commands then has the same packets.
package protocol RoomProgram: AnyObject {
    /// Creates the managers. Called once, inside `VirtualDevice.run`, so managers that the method creates belong to the device.
    func start()

    /// Ends the program before its device is removed from the room while the device is on. A device that loses its power gets no call.
    func stop()

    /// Performs an action that the user selected for this device. Called inside `VirtualDevice.run`.
    ///
    /// - Parameters:
    ///   - action: The name of an action of this program.
    ///   - arguments: The arguments as the page sent them.
    /// - Returns: The answer for the page; `.null` if there is none.
    /// - Throws: `PhrasedError` for an action that the program does not have or cannot perform.
    func perform(_ action: String, with arguments: RoomValue) throws -> RoomValue

    /// The virtual time of the next call of `tick`; nil if the program waits for callbacks only. The room reads it after each call of this program
    /// and after its callbacks.
    var nextDeadline: Duration? { get }

    /// Called at `nextDeadline` exactly. A deadline in the past is due immediately. The next deadline is later than the present time.
    func tick()

    /// The state of the program for the page; nil if it shows none. `RoomProgramContext.changed` reports a new one.
    var snapshot: (any Encodable & Sendable)? { get }
}

extension RoomProgram {
    package func stop() {}

    package func perform(_ action: String, with arguments: RoomValue) throws -> RoomValue {
        throw PhrasedError.unknownAction(action)
    }

    package var nextDeadline: Duration? { nil }
    package func tick() {}
    package var snapshot: (any Encodable & Sendable)? { nil }
}

/// What a program gets from the room. Used only on the room's queue.
package struct RoomProgramContext {
    /// The identifier of the device, such as `d1`.
    package let identifier: String
    /// The name of the device.
    package let name: String
    package let device: VirtualDevice
    /// The queue of all programs of the room.
    package let queue: DispatchQueue
    /// Determines the random draws of the program. It is the same in each run of the room's seed.
    package let seed: UInt64
    /// The YAML text of a profile, for programs that take one.
    package let profile: String?
    /// Settings from the scene or from the command that added the device; `.null` if there are none.
    package let parameters: RoomValue
    /// The virtual time since the room began.
    package let now: () -> Duration
    /// Adds an event to the list of what happens.
    package let report: (ProgramEvent) -> Void
    /// Reports that `snapshot` has changed. Calls are cheap.
    package let changed: () -> Void
}
