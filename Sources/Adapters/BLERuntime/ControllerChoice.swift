import BLEHostAdapter
import BLETransport

/// The controller that the text of `BLUETOOTH_CONTROLLER` selects.
package enum ControllerChoice: Sendable {
    /// H4 over a socket or a serial port.
    case socket(TransportAddress)
    /// An adapter of this machine that the program takes from the kernel, by the number in its name.
    case adapter(UInt16)
    /// The virtual radio that programs of this user share.
    case radio(SharedRadioEndpoint)
    /// An adapter of bluetoothd, by its name; nil for the first one.
    case bluez(String?)
    /// The radio of a gateway.
    case gateway(GatewayAddress)
    /// A radio inside this process.
    case virtual
    /// No controller.
    case none(ControllerError)

    /// - Parameters:
    ///   - text: The variable's value. Nil or empty selects the machine's first adapter: that of bluetoothd if it runs.
    ///   - system: The system whose adapters are used.
    package init(_ text: String?, system: SystemBluetooth = .current) {
        switch text {
        case nil, "":
            if let first = system.adapters().first {
                self = system.isDaemonRunning ? .bluez(nil) : .adapter(first)
                break
            }
            self = .none(
                ControllerError(
                    unreadable: "", .notChosen,
                    "This machine has no Bluetooth adapter, and no other controller was chosen: set BLUETOOTH_CONTROLLER to tcp:HOST:PORT, "
                        + "unix:PATH or serial:DEVICE@SPEED (a controller that speaks H4 there), to radio (the simulated radio that "
                        + "bluelab radio runs, shared by programs), or to virtual (a simulated radio inside this program)."
                ))
        case "virtual": self = .virtual
        case "bluez": self = .bluez(nil)
        case .some(let text) where text.hasPrefix("bluez:"):
            let name = String(text.dropFirst("bluez:".count))
            // Other spellings of a number, such as hci01, are no names of bluetoothd's objects.
            if case .adapter(let index)? = try? TransportAddress(parsing: name) {
                self = .bluez("hci\(index)")
            } else {
                self = .unreadable(
                    text,
                    "\"\(text)\" names no adapter of bluetoothd. Write bluez for the first one, or bluez:hci1 for another one."
                )
            }
        case .some(let text) where text == "radio" || text.hasPrefix("radio:"):
            do throws(SharedRadioEndpoint.EndpointError) {
                self = .radio(
                    try SharedRadioEndpoint(name: text == "radio" ? nil : String(text.dropFirst("radio:".count))))
            } catch {
                self = .unreadable(text, "\(text): \(error)")
            }
        case .some(let text) where text == "gateway" || text.hasPrefix("gateway:"):
            if let place = GatewayAddress(String(text.dropFirst("gateway:".count))) {
                self = .gateway(place)
            } else {
                self = .unreadable(
                    text,
                    "\"\(text)\" names no gateway. Write gateway:HOST or gateway:HOST:PORT, with an IPv6 address in brackets, or "
                        + "gateway for the only one of the local network.")
            }
        case .some(let text):
            do throws(TransportError) {
                let address = try TransportAddress(parsing: text)
                if case .adapter(let index) = address { self = .adapter(index) } else { self = .socket(address) }
            } catch {
                switch error.kind {
                case .unknownTransport:
                    let spelling = Self.spelling(of: text, system: system)
                    let isKnown = ["tcp:", "unix:", "serial:", "hci"].contains { text.hasPrefix($0) }
                    let hint =
                        spelling.map { " Did you mean \($0)? Case matters." }
                        ?? (isKnown ? "" : " The words bluez, radio, gateway and virtual are choices, too.")
                    self = .unreadable(text, "\(error)\(hint)", spelling)
                default: self = .unreadable(text, "\(error)")
                }
            }
        }
    }

    private static func unreadable(_ text: String, _ reason: String, _ spelling: String? = nil) -> ControllerChoice {
        .none(ControllerError(unreadable: text, .unreadable(spelling: spelling), reason))
    }

    /// The text with its first word in lower case, if that selects a controller.
    private static func spelling(of text: String, system: SystemBluetooth) -> String? {
        let word = text.prefix { $0 != ":" }
        let spelling = word.lowercased() + text.dropFirst(word.count)
        guard spelling != text else { return nil }
        if case .none = ControllerChoice(spelling, system: system) { return nil }
        return spelling
    }
}

extension ControllerChoice: CustomStringConvertible {
    /// The text that selects the controller.
    package var description: String {
        switch self {
        case .socket(let address): address.description
        case .adapter(let index): "hci\(index)"
        case .radio(let endpoint): "radio" + (endpoint.name.map { ":\($0)" } ?? "")
        case .bluez(let name): "bluez" + (name.map { ":\($0)" } ?? "")
        case .gateway(let place): place.selection
        case .virtual: "virtual"
        case .none(let failure): failure.controller
        }
    }
}
