import BLEWire
import MQTTClient

/// Where an MQTT broker is, and how a program presents itself there.
///
/// ```swift
/// var broker = try MQTTBroker("mqtts://broker.example")
/// broker.setUser("lamp", password: password)
/// broker.setCertificates(authorities: "/etc/lamp/ca.pem", certificate: "/etc/lamp/lamp.pem", key: "/etc/lamp/lamp.key")
/// let bus = try MQTTTopicBus(broker, queue: queue)
/// ```
///
/// No description and no dump shows the password.
public struct MQTTBroker: Sendable {
    /// A version of MQTT.
    public enum Version: Hashable, Sendable {
        /// MQTT 3.1.1.
        case v311
        /// MQTT 5.0.
        case v5
    }

    /// The version that the program speaks. It is 5.0 unless you set another one.
    public var version = Version.v5
    /// The name of this connection at the broker, which ends an earlier connection with the same name. It is random unless you set one: letters and
    /// digits, at most 23 for MQTT 3.1.1.
    public var clientIdentifier: String
    private let address: MQTTAddress
    private var user: String?
    private var password: MQTTConfiguration.Secret?
    private var tls = MQTTConfiguration.TLS()

    /// Reads the address of a broker: `mqtt://HOST[:PORT]`, or `mqtts://HOST[:PORT]` for TLS. The ports are 1883 and 8883 unless the address
    /// names another one.
    ///
    /// - Throws: ``MQTTBrokerError`` for any other text. A user or a password has no place in an address; the error does not contain the text.
    public init(_ address: String) throws(MQTTBrokerError) {
        guard let address = MQTTAddress(address) else {
            throw MQTTBrokerError(description: "The address of a broker is mqtt://HOST[:PORT] or mqtts://HOST[:PORT].")
        }
        self.address = address
        clientIdentifier = Self.randomIdentifier()
    }

    /// A name that no other connection has: 4 letters and 16 digits.
    package static func randomIdentifier() -> String {
        "link" + hexadecimal(UInt64.random(in: .min ... .max), digits: 16).lowercased()
    }

    /// Sets the user, and its password. Read the password from a file or the environment: other users of the machine can read a command line.
    public mutating func setUser(_ user: String, password: String?) {
        self.user = user
        self.password = password.map { MQTTConfiguration.Secret($0) }
    }

    /// Sets the files of TLS, in PEM format. The address has to begin with `mqtts`.
    ///
    /// - Parameters:
    ///   - authorities: The authorities that may have signed the certificate of the broker; nil for those of the system.
    ///   - certificate: The certificate of this client; nil without one.
    ///   - key: The key of the certificate, without a passphrase.
    public mutating func setCertificates(
        authorities: String? = nil, certificate: String? = nil, key: String? = nil
    ) {
        tls = MQTTConfiguration.TLS(authorities: authorities, certificate: certificate, key: key)
    }

    func configuration() throws(MQTTClientError) -> MQTTConfiguration {
        try MQTTConfiguration(
            [address], clientIdentifier: clientIdentifier, version: version == .v5 ? .v5 : .v311, user: user,
            password: password, tls: tls)
    }
}

/// The reason why a program cannot use a broker, in sentences for people.
public struct MQTTBrokerError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The sentences.
    public let description: String
}
