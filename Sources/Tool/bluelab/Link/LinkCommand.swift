import ArgumentParser
import DeviceLink
import Foundation
import MQTTClient
import NoiseChannel

struct LinkCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "link",
        abstract:
            "Reach a device over the best way that works: the local network, its own access point, Bluetooth, or the cloud.",
        discussion: """
            bluelab gateway key --file lamp.key
            bluelab link serve lamp-1 --key-file lamp.key
            bluelab link ask lamp-1 set '{"on":true}' --key-file lamp.key
            bluelab link watch lamp-1 --key-file lamp.key
            bluelab link ask lamp-1 get --key-file lamp.key --way cloud --broker mqtts://broker.example

            The device carries out each request once. The key comes from a file or from the environment variable BLUETOOTH_LINK_KEY, never from \
            the command line, which other users of the machine can read. The way cloud needs an MQTT broker; its user and password come as those of \
            bluelab gateway cloud. Documentation/DeviceLink.md describes the protocol and the settings.
            """,
        subcommands: [LinkServeCommand.self, LinkAskCommand.self, LinkWatchCommand.self])
}

/// The ways that the tool has.
enum LinkTransportName: String, CaseIterable, ExpressibleByArgument {
    case network, direct, http, bluetooth, cloud
}

/// The device, its key and the ways to it.
struct LinkOptions: ParsableArguments {
    @OptionGroup var client: ClientOptions

    @Argument(help: "The identifier of the device: 1 to 64 octets.")
    var device: String

    @Option(
        help: ArgumentHelp(
            "A file with the key, which only its owner can read. Otherwise BLUETOOTH_LINK_KEY.", valueName: "file"))
    var keyFile: String?

    @Option(
        name: .customLong("way"),
        help: ArgumentHelp(
            "A way, the best one first: network, direct, http, bluetooth or cloud. Several are possible. Without it network, then bluetooth, then cloud if there is a broker.",
            valueName: "way"))
    var ways: [LinkTransportName] = []

    @Option(
        name: .customLong("interface"),
        help: ArgumentHelp(
            "A network interface to find or announce the device on. Several are possible. Without it all that can multicast.",
            valueName: "interface"))
    var interfaces: [String] = []

    @OptionGroup var broker: BrokerOptions

    var chosenWays: [LinkTransportName] {
        ways.isEmpty ? [.network, .bluetooth] + (broker.isEmpty ? [] : [.cloud]) : ways
    }

    func validate() throws {
        guard (1...64).contains(device.utf8.count) else {
            throw ValidationError("the identifier of a device has 1 to 64 octets.")
        }
        guard Set(ways).count == ways.count else { throw ValidationError("each way stands once.") }
        guard !chosenWays.contains(.cloud) || !broker.isEmpty else {
            throw ValidationError("the way cloud needs a broker: --broker mqtts://HOST, or --config FILE.")
        }
        guard chosenWays.contains(.cloud) || broker.isEmpty else {
            throw ValidationError("--broker and --config belong to the way cloud: add --way cloud.")
        }
    }

    func key(environment: [String: String] = ProcessInfo.processInfo.environment) throws -> LinkKey {
        if let keyFile, let key = try GatewayKeyFile.key(path: keyFile) { return LinkKey(key) }
        guard let text = environment["BLUETOOTH_LINK_KEY"], !text.isEmpty else {
            throw ToolError(
                .usage, "the key of the device is missing.",
                "Make one with: bluelab gateway key --file FILE, then give --key-file FILE, or set BLUETOOTH_LINK_KEY.")
        }
        return LinkKey(try GatewayKeyFile.key(text, in: "BLUETOOTH_LINK_KEY"))
    }

    /// The bus of the way cloud; nil if the way is not chosen.
    func bus(queue: DispatchQueue) throws -> LinkBus? {
        guard chosenWays.contains(.cloud) else { return nil }
        var settings = try broker.settings(BrokerSettings.init(_:)) ?? BrokerSettings()
        settings.addresses = try broker.addresses() ?? settings.addresses
        let configuration = try settings.configuration(clientIdentifier: MQTTBroker.randomIdentifier())
        if let problem = LinkTopics.problem(prefix: settings.prefix, device: device) {
            throw ToolError(.usage, problem)
        }
        BrokerOptions.warn(configuration)
        do throws(MQTTClientError) {
            return LinkBus(bus: try MQTTTopicBus(configuration, queue: queue), prefix: settings.prefix)
        } catch {
            throw ToolError(.failed, "the way cloud cannot be used. \(error)")
        }
    }

    /// The ways of a client.
    func deviceWays(
        _ key: LinkKey, at places: LinkAddressOptions, queue: DispatchQueue
    ) throws -> [any DeviceTransport] {
        let cloud = try bus(queue: queue)
        return chosenWays.compactMap { way -> (any DeviceTransport)? in
            switch way {
            case .network:
                NetworkTransport(
                    to: device, key: key, at: places.at.map { ($0.host, $0.port) }, interfaces: interfaces,
                    queue: queue)
            case .direct: DirectTransport(key: key, at: places.direct.map { ($0.host, $0.port) }, queue: queue)
            case .http: HTTPTransport(key: key, at: places.http.map { ($0.host, $0.port) }, queue: queue)
            case .bluetooth: BluetoothTransport(to: device, key: key, queue: queue)
            case .cloud:
                cloud.map { CloudTransport(to: device, key: key, over: $0.bus, prefix: $0.prefix, queue: queue) }
            }
        }
    }
}

/// A bus over a broker, and the first levels of its topics.
struct LinkBus {
    let bus: MQTTTopicBus
    let prefix: String
}

/// A host and a port, as in `192.0.2.7:7000` or `[fe80::1]:7000`.
struct LinkServerAddress: ExpressibleByArgument, Hashable {
    let host: String
    let port: UInt16

    var defaultValueDescription: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

    init?(argument: String) {
        guard let colon = argument.lastIndex(of: ":"), let port = UInt16(argument[argument.index(after: colon)...])
        else { return nil }
        var host = argument[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
        } else if host.contains(":") {
            return nil
        }
        guard !host.isEmpty, !host.contains("\0") else { return nil }
        self.host = String(host)
        self.port = port
    }
}
