import BLETransport

/// Which controller the text of `BLUETOOTH_CONTROLLER` names.
package enum ControllerChoice: Sendable {
    /// H4 over a socket or a serial port.
    case socket(TransportAddress)
    /// A radio inside this process.
    case virtual
    /// None; the sentence says why, and what to do.
    case none(String)

    /// - Parameter text: the variable's value; nil if it is not set.
    package init(_ text: String?) {
        switch text {
        case nil, "":
            self = .none(
                "No Bluetooth controller was chosen: set BLUETOOTH_CONTROLLER to tcp:HOST:PORT, unix:PATH or "
                    + "serial:DEVICE@SPEED (a controller that speaks H4 there), or to virtual (a simulated radio inside this program)."
            )
        case "virtual": self = .virtual
        case .some(let text):
            do throws(TransportError) {
                self = .socket(try TransportAddress(parsing: text))
            } catch {
                switch error.kind {
                case .unknownTransport:
                    self = .none("BLUETOOTH_CONTROLLER: \(error) The word virtual is a choice, too.")
                default: self = .none("BLUETOOTH_CONTROLLER: \(error)")
                }
            }
        }
    }
}
