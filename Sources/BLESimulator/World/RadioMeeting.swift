import BLEAdapter
import BLERuntime
import BLETransport
import BLEWire

extension World {
    /// Serves the place where programs of this user meet, and its control socket.
    ///
    /// - Parameter idleLimit: how long a connection to the control socket may do nothing.
    package func serveRadio(
        at place: RadioPlace, idleLimit: TimeSpan = RadioControlServer.idleLimit
    ) throws(RadioPlace.Failure) -> RadioMeeting {
        try place.prepare()
        do throws(TransportError) {
            // The control socket last: a radio that can be asked is one that can be joined.
            let server = try stage.serve(at: place.address, position: Position.origin.radioPosition)
            return RadioMeeting(place, server, try stage.control(at: place.controlAddress, idleLimit: idleLimit))
        } catch {
            guard error.kind == .addressInUse else { throw RadioPlace.Failure(description: error.description) }
            throw RadioPlace.Failure(
                description:
                    "A virtual radio runs at \(place.address) already: use it, or give this one a name with --name NAME.",
                isTaken: true)
        }
    }
}

/// A radio that serves a place; it ends when it is released.
package final class RadioMeeting: Sendable {
    package let place: RadioPlace
    private let server: VirtualControllerServer
    private let control: RadioControlServer

    fileprivate init(_ place: RadioPlace, _ server: VirtualControllerServer, _ control: RadioControlServer) {
        self.place = place
        self.server = server
        self.control = control
    }

    /// Nobody can join any more, nor change anything; those that are there stay.
    package func stop() {
        server.stop()
        control.stop()
    }
}
