import BLETransport

/// The address of a bus (D-Bus Specification, "Server Addresses"). Sockets of the Unix domain alone.
package enum BusAddress: Hashable, Sendable, CustomStringConvertible {
    case path(String)
    /// An abstract socket (unix(7)), by its name.
    case abstract(String)
    /// A text that names no such socket.
    case unreadable(String)

    /// The variable with the addresses of the system bus.
    static let variable = "DBUS_SYSTEM_BUS_ADDRESS"

    /// The addresses of the system bus, to be tried in their order: those of the variable, or the usual one if it is empty.
    package static func system(
        environment: String? = getenv(variable).map { String(cString: $0) }
    ) -> [BusAddress] {
        guard let environment, !environment.isEmpty else { return [.path("/run/dbus/system_bus_socket")] }
        let named = parse(environment)
        return named.isEmpty ? [.unreadable(environment)] : named
    }

    /// The addresses of a list that this module can connect to.
    package static func parse(_ list: String) -> [BusAddress] {
        list.split(separator: ";").compactMap { address in
            guard address.hasPrefix("unix:") else { return nil }
            for pair in address.dropFirst(5).split(separator: ",") {
                let parts = pair.split(separator: "=", maxSplits: 1)
                guard parts.count == 2, let value = unescaped(parts[1]) else { continue }
                switch parts[0] {
                case "path": return .path(value)
                case "abstract": return .abstract(value)
                default: break
                }
            }
            return nil
        }
    }

    /// Octets outside of a small set of characters are written as `%` with two hexadecimal digits.
    private static func unescaped(_ text: Substring) -> String? {
        var octets: [UInt8] = []
        var rest = text.utf8[...]
        while let octet = rest.popFirst() {
            guard octet == UInt8(ascii: "%") else {
                octets.append(octet)
                continue
            }
            let digits = Substring(rest.prefix(2))
            guard digits.utf8.count == 2, let value = UInt8(digits, radix: 16), value != 0 else { return nil }
            octets.append(value)
            rest = rest.dropFirst(2)
        }
        return String(validating: octets, as: UTF8.self)
    }

    /// For a socket: an abstract name begins with NUL. Nil if this names none.
    var transport: TransportAddress? {
        switch self {
        case .path(let path): .unix(path: path)
        case .abstract(let name): .unix(path: "\0" + name)
        case .unreadable: nil
        }
    }

    package var description: String {
        switch self {
        case .path(let path): path
        case .abstract(let name): "unix:abstract=\(name)"
        case .unreadable(let text): text
        }
    }
}
