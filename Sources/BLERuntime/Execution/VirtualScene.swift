import BLEWire

/// What lives in virtual time: a radio with its controllers and hosts. Called by its engine alone, on one queue.
package protocol VirtualScene: AnyObject {
    /// When something happens next by itself.
    var nextDeadline: Instant? { get }

    /// Lets everything happen that is due up to and including `now`.
    func advance(to now: Instant)

    /// Carries what waits between controllers and hosts, until nothing waits any more. Takes no virtual time.
    func settle()
}
