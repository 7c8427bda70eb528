internal import BLERuntime
import BLEAdapter

/// The part of a central manager that its peripherals use.
protocol PeripheralOwner: AnyObject, Sendable {
    /// Identifies the manager.
    var core: CentralCore { get }
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
    /// - Parameters:
    ///   - object: The released object. A new object for the same peer may exist already.
    ///   - requested: The peer if the program requested a connection of the object.
    func peripheralReleased(_ peer: AdvertiserIdentity, _ object: ObjectIdentifier, requested: PeerIdentifier?)
}
