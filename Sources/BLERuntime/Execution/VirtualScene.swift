import BLEAdapter
import BLEWire

/// What lives in virtual time: a radio with its controllers and hosts. Called by its engine alone, on one queue.
package protocol VirtualScene: AnyObject {
    /// When something happens next by itself.
    var nextDeadline: Instant? { get }

    /// Lets everything happen that is due up to and including `now`.
    func advance(to now: Instant)

    /// Carries what waits between controllers and hosts, until nothing waits any more. Takes no virtual time.
    func settle()

    /// Whether someone outside takes part, who lives in real time and cannot be held.
    var hasOutsiders: Bool { get }

    /// Sends what waits for those outside. Called when the engine pauses, and every now and then while it does not.
    ///
    /// - Parameter isLooking: takes what they have sent, too, without waiting for the queue to be told of it.
    func exchangeWithOutsiders(isLooking: Bool)
}

extension VirtualScene {
    package var hasOutsiders: Bool { false }
    package func exchangeWithOutsiders(isLooking: Bool) {}
}
