import BLETransport
import BLEWire

/// What carries the octets of a connection to its bus, with a serial queue and the time. All is called on that queue but `start` and `submit`.
package protocol BusCarrier: AnyObject, Sendable {
    var now: Instant { get }
    /// Runs `body` on the queue, never within the caller. May be called on any thread.
    func submit(_ body: @escaping @Sendable () -> Void)
    /// Connects for a connection, which holds the carrier. May be called on any thread.
    func start(_ connection: BusConnection)
    /// Takes the output of a session after each change, reads while it wants input, and reports its deadline. Calls nothing of the connection.
    func follow(_ session: inout BusSession)
    /// Ends all of that.
    func close()
}
