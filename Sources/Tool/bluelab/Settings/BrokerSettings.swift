import Foundation
import MQTTClient
import DeviceFiles

/// The settings about a broker, which commands share: from a file, the environment and options.
struct BrokerSettings: Equatable {
    /// The broker, or the brokers of one cluster.
    var addresses: [MQTTAddress] = []
    /// The first levels of all topics.
    var prefix = "bluetooth"
    var version = MQTTConfiguration.Version.v5
    var user: String?
    /// A file with the password; never the password itself.
    var passwordFile: String?
    var tls = MQTTConfiguration.TLS()

    static let userVariable = "BLUETOOTH_CLOUD_USER"
    static let passwordVariable = "BLUETOOTH_CLOUD_PASSWORD"
    static let keys = ["broker", "prefix", "version", "user", "passwordFile", "tls"]

    /// The most brokers of one cluster.
    static let brokerLimit = 16

    init() {}

    /// Reads a file that has settings about a broker alone.
    init(_ document: YAMLDocument) throws(YAMLError) {
        var yaml = YAMLReader(file: document.file)
        if let root = yaml.mapping(document.root, "the settings of the broker", keys: Self.keys) { read(root, &yaml) }
        try yaml.finish()
    }

    mutating func read(_ root: YAMLMapping, _ yaml: inout YAMLReader) {
        if let node = root["broker"] { readBrokers(node, &yaml) }
        if let node = root["prefix"], let text = yaml.string(node) { prefix = text }
        if let node = root["version"], let text = yaml.choice(node, of: ["5", "3.1.1"]) {
            version = text == "5" ? .v5 : .v311
        }
        if let node = root["user"] { user = yaml.string(node) }
        if let node = root["passwordFile"] { passwordFile = yaml.string(node, "the name of a file") }
        guard let node = root["tls"],
            let mapping = yaml.mapping(node, "the TLS settings", keys: ["authorities", "certificate", "key"])
        else { return }
        if let node = mapping["authorities"] { tls.authorities = yaml.string(node, "the name of a file") }
        if let node = mapping["certificate"] { tls.certificate = yaml.string(node, "the name of a file") }
        if let node = mapping["key"] { tls.key = yaml.string(node, "the name of a file") }
    }

    private mutating func readBrokers(_ node: YAMLNode, _ yaml: inout YAMLReader) {
        guard let list = yaml.listOrOne(node, "an address, or a list of the addresses of one cluster") else { return }
        if list.isEmpty || list.count > Self.brokerLimit {
            yaml.complain("expected 1 to \(Self.brokerLimit) brokers, found \(list.count).", at: node.position)
        }
        for node in list.prefix(Self.brokerLimit) {
            guard let text = yaml.string(node) else { continue }
            if let address = MQTTAddress(text) {
                addresses.append(address)
            } else {
                // The message does not repeat the text, which may have a password in it.
                yaml.complain(
                    "expected an address such as mqtts://broker.example:8883, without a user and a password.",
                    at: node.position)
            }
        }
    }

    /// The configuration of a connection.
    ///
    /// - Parameter environment: Has the user and the password that the settings do not name.
    /// - Throws: If there is no broker, a secret cannot be read, or the settings contradict each other.
    func configuration(
        clientIdentifier: String, environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws -> MQTTConfiguration {
        guard !addresses.isEmpty else {
            throw ToolError(
                .usage, "the address of the broker is missing.",
                "Try: --broker mqtt://127.0.0.1, or the setting broker.")
        }
        func variable(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
        let password =
            try passwordFile.map { try SecretFile.read($0, "the password") } ?? variable(Self.passwordVariable)
        do throws(MQTTClientError) {
            return try MQTTConfiguration(
                addresses, clientIdentifier: clientIdentifier, version: version,
                user: user ?? variable(Self.userVariable), password: password.map(MQTTConfiguration.Secret.init),
                tls: tls)
        } catch {
            throw ToolError(.usage, error.description)
        }
    }
}
