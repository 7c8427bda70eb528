import BLEController
import BLETransport
import BLEWire

/// Shares a virtual radio with the programs of this user. Each connection to one socket is a controller, and another
/// socket takes commands. The server ends when it is released.
package final class SharedRadioServer: Sendable {
    package let endpoint: SharedRadioEndpoint
    private let controllers: VirtualControllerServer
    private let control: RadioControlServer

    /// Listens at the sockets of `endpoint`. Fails if another radio serves it, or if its directory is not safe to use.
    ///
    /// - Parameters:
    ///   - platforms: The controllers of programs that request a platform.
    ///   - idleLimit: The time after which an idle connection to the control socket is closed.
    package init(
        _ radio: VirtualRadioRuntime, at endpoint: SharedRadioEndpoint,
        platforms: [String: ControllerConfiguration], idleLimit: TimeSpan = RadioControlServer.idleLimit
    ) throws(SharedRadioEndpoint.EndpointError) {
        try endpoint.prepare()
        do throws(TransportError) {
            // The control socket comes last: once it answers, programs can join.
            let controllers = try radio.serve(at: endpoint.address, position: .origin, platforms: platforms)
            control = try RadioControlServer(at: endpoint.controlAddress, radio, idleLimit: idleLimit)
            self.controllers = controllers
        } catch {
            guard error.kind == .addressInUse else {
                throw SharedRadioEndpoint.EndpointError(description: error.description)
            }
            throw SharedRadioEndpoint.EndpointError(
                description:
                    "A virtual radio runs at \(endpoint.address) already: use it, or give this one a name with --name NAME.",
                isTaken: true)
        }
        self.endpoint = endpoint
    }

    /// Stops accepting connections and commands. Existing controllers stay.
    package func stop() {
        controllers.stop()
        control.stop()
    }
}
