/// Why a call over a bus has no result, or a connection ended. The description is one sentence for people; that of an ended connection ends with
/// the command that helps.
package enum BusCallError: Error, Hashable, Sendable, CustomStringConvertible {
    /// No bus listens at this address, and the reason.
    case noBus(String, String)
    /// `DBUS_SYSTEM_BUS_ADDRESS` has this text, which names no socket of the Unix domain.
    case unreadableAddress(String)
    /// The bus does not authenticate this process.
    case refused
    /// The bus did not complete the start of the connection in time.
    case silent
    /// The connection broke, and how.
    case broken(String)
    /// The bus sent what is no message: the connection has ended.
    case violation(String)
    /// The owner closed the connection.
    case closed
    /// No answer came in time.
    case timeout
    /// Too many calls wait for answers, or too many octets wait for the bus.
    case full
    /// A name or a value has no form that a message can carry.
    case invalid
    /// The message, or the answer, is above the limits of this module.
    case tooLong
    /// The bus passes no file descriptors.
    case noDescriptors
    /// Another connection owns the name.
    case nameTaken(String)
    /// The service answered with an error: its name and its text.
    case error(String, String)

    package var description: String {
        switch self {
        case .noBus(let address, let reason):
            "The bus cannot be reached at \(address) (\(reason)): install and start dbus, in Debian and Ubuntu with sudo apt-get install dbus"
        case .unreadableAddress(let text):
            "\(BusAddress.variable) is \"\(Self.plain(text))\", which names no Unix socket: use the usual one with unset \(BusAddress.variable)"
        case .refused:
            "The bus refuses this user: see the reason in its log with sudo journalctl -u dbus"
        case .silent:
            "The bus does not answer: see its state with systemctl status dbus"
        case .broken(let reason):
            "The connection to the bus broke (\(reason)): see its log with sudo journalctl -u dbus"
        case .violation(let what):
            "The bus sent \(what), so the connection was closed: see which program is the bus with systemctl status dbus"
        case .closed: "The connection to the bus was closed."
        case .timeout: "The service did not answer on the bus. Check that it runs, then try again."
        case .full: "Too many calls wait for answers from the bus."
        case .invalid: "The call contains a name or a value that no message can carry."
        case .tooLong: "The message or its answer is too long."
        case .noDescriptors: "The bus passes no file descriptors."
        case .nameTaken(let name): "Another program owns the name \(name) on the bus."
        case .error(let name, let text): "\(name): \(Self.plain(text))"
        }
    }

    /// The characters of a peer's own words that a sentence contains.
    static let wordLimit = 300

    /// A peer's words without characters that could rewrite the line.
    private static func plain(_ text: String) -> String {
        let scalars = text.unicodeScalars.prefix(wordLimit)
        return String(
            String.UnicodeScalarView(scalars.map { unseen.contains($0.properties.generalCategory) ? " " : $0 }))
    }

    private static let unseen: Set<Unicode.GeneralCategory> = [.control, .format, .lineSeparator, .paragraphSeparator]

    /// The names of errors that services return (D-Bus Specification and the reference library).
    package enum Name {
        package static let accessDenied = "org.freedesktop.DBus.Error.AccessDenied"
        package static let failed = "org.freedesktop.DBus.Error.Failed"
        package static let invalidArguments = "org.freedesktop.DBus.Error.InvalidArgs"
        package static let limitsExceeded = "org.freedesktop.DBus.Error.LimitsExceeded"
        package static let nameHasNoOwner = "org.freedesktop.DBus.Error.NameHasNoOwner"
        package static let serviceUnknown = "org.freedesktop.DBus.Error.ServiceUnknown"
        package static let unknownInterface = "org.freedesktop.DBus.Error.UnknownInterface"
        package static let unknownMethod = "org.freedesktop.DBus.Error.UnknownMethod"
        package static let unknownObject = "org.freedesktop.DBus.Error.UnknownObject"
        package static let unknownProperty = "org.freedesktop.DBus.Error.UnknownProperty"
    }
}
