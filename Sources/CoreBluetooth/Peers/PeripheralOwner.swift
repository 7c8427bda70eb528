internal import BLERuntime
import BLEAdapter

/// The part of a central manager that its peripherals use.
protocol PeripheralOwner: AnyObject, Sendable {
    var dispatcher: CallbackDispatcher { get }
    /// Nil after the manager's release.
    var session: (any CentralSession)? { get }
    /// Whether the manager exists. Without it no callback is delivered.
    var hasManager: Bool { get }

    /// The program requested a connection.
    func connectionRequested(_ peripheral: CBPeripheral, reconnectsAutomatically: Bool)
    /// The program cancelled a connection or a request for one.
    func connectionEnded(_ peer: PeerIdentifier)
    /// The program released its last reference to a peripheral.
    ///
    /// - Parameter identity: The identity of the released object. A new object for the same peer may exist already.
    func peripheralReleased(_ peer: PeerIdentifier, _ identity: ObjectIdentifier, wantedConnection: Bool)
}
