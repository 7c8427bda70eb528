/// Where the broker is, and how a client presents itself there.
package struct MQTTConfiguration: Sendable {
    package enum Version: UInt8, Sendable {
        case v311 = 4
        case v5 = 5
    }

    /// Paths of files in PEM format.
    package struct TLS: Hashable, Sendable {
        /// The authorities that may have signed the broker's certificate; nil for those of the system.
        package var authorities: String?
        /// The client's certificate and its key, both or neither.
        package var certificate: String?
        package var key: String?

        package init(authorities: String? = nil, certificate: String? = nil, key: String? = nil) {
            (self.authorities, self.certificate, self.key) = (authorities, certificate, key)
        }
    }

    package struct Address: Hashable, Sendable, CustomStringConvertible {
        package var host: String
        package var port: Int

        package init(host: String, port: Int) { (self.host, self.port) = (host, port) }

        package var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
    }

    /// The brokers of one cluster, at least one. The client tries them in turn.
    package var addresses: [Address]
    package var clientIdentifier: String
    package var version = Version.v5
    package var user: String?
    package var password: Secret?
    package var tls: TLS?
    /// The message that the broker publishes when the client vanishes.
    package var will: MQTTPublication?
    /// In seconds, from 5 to 65,535. The broker publishes the will 1.5 times this after the last packet (MQTT 5.0, 3.1.2.10).
    package var keepAlive = 30
    /// The seconds for which the broker keeps the subscriptions and their messages after a lost connection; nil if each connection begins
    /// without them. A broker of version 3.1.1 keeps them until the client connects with nil.
    package var sessionExpiry: UInt32?

    package init(host: String, port: Int, clientIdentifier: String) {
        self.init([Address(host: host, port: port)], clientIdentifier: clientIdentifier)
    }

    /// - Parameter addresses: At least one.
    package init(_ addresses: [Address], clientIdentifier: String) {
        precondition(!addresses.isEmpty, "A client needs a broker.")
        (self.addresses, self.clientIdentifier) = (addresses, clientIdentifier)
    }

    /// - Parameters:
    ///   - brokers: The brokers of one cluster, at least one.
    ///   - tls: The files of a connection with TLS. An address with `mqtts` uses TLS also without them.
    /// - Throws: If the password has no user, only some of the brokers use TLS, or none uses it although there are files for it.
    package init(
        _ brokers: [MQTTAddress], clientIdentifier: String, version: Version = .v5, user: String? = nil,
        password: Secret? = nil, tls: TLS = TLS()
    ) throws(MQTTClientError) {
        self.init(brokers.map { Address(host: $0.host, port: $0.port) }, clientIdentifier: clientIdentifier)
        let isSecure = brokers[0].isSecure
        guard brokers.allSatisfy({ $0.isSecure == isSecure }) else {
            throw MQTTClientError(
                "The brokers of a cluster all use TLS, or none does.", "Use mqtts for all of them.")
        }
        guard password == nil || user != nil else {
            throw MQTTClientError("The password of the broker has no user.", "Give the user as well.")
        }
        guard isSecure || tls == TLS() else {
            throw MQTTClientError("The TLS settings need an address with mqtts.", "Try: mqtts://\(brokers[0].host)")
        }
        (self.version, self.user, self.password) = (version, user, password)
        self.tls = isSecure ? tls : nil
    }

    /// A text that no description shows.
    package struct Secret: Sendable, CustomStringConvertible, CustomReflectable {
        package let text: String

        package init(_ text: String) { self.text = text }

        package var description: String { "(secret)" }
        package var customMirror: Mirror { Mirror(self, children: []) }
    }
}
