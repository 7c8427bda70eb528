import BLEAdapter
import BLEController
import BLETransport
import BLEVirtualRadio

extension World {
    /// Lets external hosts, programs with a Bluetooth host of their own, take part in this world: listens at `address`, gives each
    /// connection a simulated controller, and speaks H4 (HCI over a byte stream) with it. The controller leaves with its
    /// connection. Octets that are no HCI packets end their own connection alone.
    ///
    /// External hosts live in real time: run the world at ``Pace/realTime`` with ``start()``.
    ///
    /// - Parameters:
    ///   - address: `tcp:HOST:PORT` (port 0: the system chooses one) or `unix:PATH`.
    ///   - position: the position of the controllers.
    ///   - publicAddress: the public address of the first controller; further ones have the next higher addresses.
    ///     Nil: addresses follow from the world's seed and the names of the programs. Only the bits count, not the kind.
    /// - Throws: an error whose description says in one sentence why it cannot listen there, and what to do.
    /// - Returns: the listener; it ends when it is released.
    public func serve(
        at address: String, position: Position = .origin, publicAddress: RadioAddress? = nil
    ) throws -> ControllerServer {
        let server = try radio.serve(
            at: TransportAddress(parsing: address), position: position.radioPosition,
            configuration: ControllerConfiguration(publicAddress: publicAddress?.value))
        return ControllerServer(server)
    }

    /// Breaks the connections of all external hosts: a fault, as when a USB adapter is pulled out. They may connect again.
    public func disconnectExternalHosts() { radio.change { $0.disconnectExternalHosts() } }
}

/// Gives external hosts simulated controllers of a ``World``; see ``World/serve(at:position:publicAddress:)``.
public final class ControllerServer: Sendable {
    private let server: VirtualControllerServer

    init(_ server: VirtualControllerServer) { self.server = server }

    /// The address, in the form that `BLUETOOTH_CONTROLLER` takes.
    public var address: String { server.address.description }

    /// Accepts no more connections. The present ones stay.
    public func stop() { server.stop() }
}
