import BLEAdapter
import BLEController
import BLEHostAdapter
import BLETransport
import BLEVirtualRadio

extension World {
    /// Lets external programs with their own Bluetooth hosts join this world. The server listens at `address`, gives each
    /// connection a simulated controller, and speaks H4 (HCI over a byte stream). The end of a connection removes its controller.
    /// Octets that are not HCI are skipped or end their own connection.
    ///
    /// External hosts use real time: run the world at ``Pace/realTime`` with ``start()``.
    ///
    /// - Parameters:
    ///   - address: `tcp:HOST:PORT` (port 0 selects a free one) or `unix:PATH`.
    ///   - position: The position of the controllers.
    ///   - publicAddress: The public address of the first controller. Further controllers at the same time get the following
    ///     addresses. With nil the addresses are derived from the world's seed and the names of the programs. Whether the address
    ///     is public or random is ignored.
    /// - Throws: An error whose description says why the server cannot listen there, and what to do.
    /// - Returns: The server. Its release ends it.
    public func serve(
        at address: String, position: Position = .origin, publicAddress: RadioAddress? = nil
    ) throws -> ControllerServer {
        let server = try radio.serve(
            at: TransportAddress(parsing: address), position: position.radioPosition,
            configuration: ControllerConfiguration(publicAddress: publicAddress?.value),
            platforms: HostPlatform.controllers)
        return ControllerServer(server)
    }

    /// Gives the kernel of this machine a simulated controller, until the world ends: bluetoothd manages it as the adapter `hciN`.
    ///
    /// - Parameter onReady: Receives the number in the adapter's name, on the world's queue.
    package func serveKernel(
        at position: Position = .origin, onReady: @escaping @Sendable (UInt16) -> Void
    ) throws(TransportError) {
        radio.attachKernel(try KernelAdapter.open(), at: position.radioPosition, onReady: onReady)
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
