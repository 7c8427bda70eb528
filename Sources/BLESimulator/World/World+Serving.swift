import BLEAdapter
import BLEController
import BLERuntime
import BLETransport

extension World {
    /// Lets programs outside, with Bluetooth hosts of their own, take part in this world: listens at `address`, gives each
    /// connection a simulated controller, and speaks H4 (HCI over a byte stream) with it. The controller leaves with its
    /// connection; octets that are no HCI are skipped, and end their own connection alone.
    ///
    /// Hosts outside live in real time: run the world at ``Pace/realTime`` with ``start()``.
    ///
    /// - Parameters:
    ///   - address: `tcp:HOST:PORT` (port 0: the system chooses one) or `unix:PATH`.
    ///   - position: where the controllers are.
    ///   - publicAddress: the public address of the first controller; those that are there at the same time have the next higher ones.
    ///     Nil: addresses follow from the world's seed and the names of the programs. Only the bits count, not the kind.
    /// - Throws: an error whose description says in one sentence why it cannot listen there, and what to do.
    /// - Returns: the listener; it ends when it is released.
    public func serve(
        at address: String, position: Position = .origin, publicAddress: RadioAddress? = nil
    ) throws -> ControllerServer {
        let server = try stage.serve(
            at: TransportAddress(parsing: address), position: position.radioPosition,
            configuration: ControllerConfiguration(publicAddress: publicAddress?.value))
        return ControllerServer(server)
    }

    /// Breaks the connections of all programs outside: a fault, as when a USB adapter is pulled out. They may connect anew.
    public func disconnectForeignHosts() { stage.change { $0.endForeignHosts() } }
}

/// Gives simulated controllers of a ``World`` to programs outside; see ``World/serve(at:position:publicAddress:)``.
public final class ControllerServer: Sendable {
    private let server: VirtualControllerServer

    init(_ server: VirtualControllerServer) { self.server = server }

    /// Where it listens, in the form that `BLUETOOTH_CONTROLLER` takes.
    public var address: String { server.address.description }

    /// Accepts no more connections. Those that there are stay.
    public func stop() { server.stop() }
}
