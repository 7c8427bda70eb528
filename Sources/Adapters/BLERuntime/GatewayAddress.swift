import BLETransport

/// Where the gateway of `BLUETOOTH_CONTROLLER=gateway[:HOST[:PORT]]` is.
package struct GatewayAddress: Hashable, Sendable {
    /// The port of ESPHome's native API.
    package static let standardPort: UInt16 = 6053

    /// A name or an address, an IPv6 address without brackets; nil for the only gateway of the local network.
    package let host: String?
    /// Nil for the port that the gateway announces, or else the standard one.
    package let port: UInt16?

    /// The text after `gateway:`; nil if it is no host with or without a port. The empty text is no host and no port.
    package init?(_ text: String) {
        guard !text.isEmpty else {
            (host, port) = (nil, nil)
            return
        }
        let afterHost = text.first == "[" ? text.drop { $0 != "]" } : text[...]
        let hasPort = afterHost.contains(":")
        guard
            case .tcp(let host, let port)? = try? TransportAddress(
                parsing: "tcp:\(text)\(hasPort ? "" : ":\(Self.standardPort)")"),
            port != 0
        else { return nil }
        (self.host, self.port) = (host, hasPort ? port : nil)
    }

    /// The text that selects the gateway.
    package var selection: String {
        guard let host else { return "gateway" }
        let text = TransportAddress.tcp(host: host, port: port ?? Self.standardPort).description.dropFirst("tcp:".count)
        return "gateway:" + (port == nil ? text.dropLast(":\(Self.standardPort)".count) : text)
    }

    /// The first label of a name of multicast DNS, such as `hall` of `hall.local` (RFC 6762, 3).
    package var localName: String? {
        guard let name = host?.lowercased(), name.hasSuffix(".local") else { return nil }
        let label = name.dropLast(".local".count)
        return label.isEmpty || label.contains(".") ? nil : String(label)
    }
}

extension GatewayAddress: CustomStringConvertible {
    package var description: String {
        guard let host else { return "the gateway of the local network" }
        return "the gateway at \(TransportAddress.tcp(host: host, port: port ?? Self.standardPort))"
    }
}
