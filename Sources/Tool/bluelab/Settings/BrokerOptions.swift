import ArgumentParser
import BluetoothGateway
import MQTTClient
import DeviceFiles

/// The options of commands that use a broker.
struct BrokerOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The broker: mqtt://HOST[:PORT], or mqtts://HOST[:PORT] with TLS. Give the option again for each further broker of a cluster.",
            valueName: "address"))
    var broker: [String] = []

    @Option(help: ArgumentHelp("A YAML file with settings. Options override it.", valueName: "file"))
    var config: String?

    var isEmpty: Bool { broker.isEmpty && config == nil }

    /// The addresses of the option; nil without it.
    func addresses() throws -> [MQTTAddress]? {
        guard broker.count <= BrokerSettings.brokerLimit else {
            throw ToolError(.usage, "a cluster has at most \(BrokerSettings.brokerLimit) brokers.")
        }
        let addresses = try broker.map { text in
            guard let address = MQTTAddress(text) else {
                throw ToolError(
                    .usage, "--broker is no address: expected mqtt://HOST[:PORT] or mqtts://HOST[:PORT].",
                    "A user belongs to the settings, and a password to a file: see Documentation/Cloud.md.")
            }
            return address
        }
        return addresses.isEmpty ? nil : addresses
    }

    /// Reads the file; nil without one.
    func settings<Settings>(_ read: (YAMLDocument) throws(YAMLError) -> Settings) throws -> Settings? {
        guard let config else { return nil }
        do throws(YAMLError) {
            return try read(YAMLDocument(path: config))
        } catch {
            throw ToolError(.usage, error.description)
        }
    }

    /// Warns if a password leaves this machine in the clear.
    static func warn(_ configuration: MQTTConfiguration) {
        if configuration.password != nil, configuration.tls == nil,
            !configuration.addresses.allSatisfy({ GatewayServer.isLoopback($0.host) })
        {
            printError("Warning: the password crosses the network without encryption. Use mqtts.")
        }
    }
}
