import NoiseChannel

/// What a gateway announces by DNS-SD (RFC 6763), as a value for a responder, with the attributes of ESPHome's devices.
package struct GatewayAnnouncement: Hashable, Sendable {
    package static let serviceType = "_esphomelib._tcp"

    /// The name of the instance and of the host.
    package let name: String
    package let port: UInt16
    /// The keys and values of the TXT record. Clients recognise the device by `mac`, and the encryption by `api_encryption`.
    package let text: [String: String]

    package init(_ configuration: GatewayConfiguration, port: UInt16) {
        name = configuration.name
        self.port = port
        var text = [
            "version": configuration.version, "mac": configuration.macAddress.lowercased().filter { $0 != ":" },
            "friendly_name": configuration.name, "platform": "linux", "network": "ethernet",
            "project_name": "opencorebluetooth.gateway", "project_version": configuration.version,
        ]
        if configuration.key != nil { text["api_encryption"] = HandshakeState.protocolName }
        self.text = text
    }
}

/// The rule for names of gateways, which are names of hosts: 1 to 31 lower-case letters, digits and hyphens.
package enum GatewayName {
    package static let limit = 31

    package static func isValid(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.count <= limit && name.utf8.allSatisfy(isAllowed) && name.utf8.first != 0x2D
            && name.utf8.last != 0x2D
    }

    /// A valid name that resembles `text`, such as the name of the machine.
    package static func resembling(_ text: String) -> String {
        let octets = text.lowercased().utf8.map { isAllowed($0) ? $0 : 0x2D }.prefix(limit)
        let name = String(decoding: octets, as: UTF8.self)
        let trimmed = String(name.drop { $0 == "-" }.reversed().drop { $0 == "-" }.reversed())
        return trimmed.isEmpty ? "gateway" : trimmed
    }

    private static func isAllowed(_ octet: UInt8) -> Bool {
        (0x61...0x7A).contains(octet) || (0x30...0x39).contains(octet) || octet == 0x2D
    }
}
