import ArgumentParser
import BLEAdapter
import BLETransport
import BLEWire
import BluetoothGateway
import CloudGateway
import Dispatch
import DurableQueue
import Foundation
import MQTTClient

struct CloudCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cloud",
        abstract: "Publish what the radio hears to an MQTT broker, and take commands from it.",
        discussion: """
            Example: bluelab gateway cloud --broker mqtt://127.0.0.1
            Example: bluelab gateway cloud --broker mqtt://one.example --broker mqtt://two.example
            Example: bluelab gateway cloud --config gateway.yaml

            The gateway publishes advertisements, and while the broker is away it keeps them in a queue on the disk. With --commands it \
            connects to devices, reads, writes and subscribes as clients of the broker ask.

            The user comes from the setting user or the environment variable BLUETOOTH_CLOUD_USER, the password from the file \
            that the setting passwordFile names or from BLUETOOTH_CLOUD_PASSWORD. Neither comes from the command line, which \
            other users of the machine can read. \
            Documentation/Cloud.md describes the topics and the settings.
            """)

    @OptionGroup var options: ClientOptions

    @OptionGroup var broker: BrokerOptions

    @Option(
        help: ArgumentHelp("The name of the gateway in topics. Without it the name of the machine.", valueName: "name"))
    var name: String?

    @Flag(help: "Carry out commands of the broker's clients.")
    var commands = false

    @Option(
        help: ArgumentHelp(
            "The folder of the queue. Without it a folder below the user's state folder.", valueName: "folder"))
    var queue: String?

    @Option(
        help: ArgumentHelp(
            "Serve /health and /metrics by HTTP, as at tcp:127.0.0.1:9464. Only programs of this machine reach it.",
            valueName: "address"))
    var status: String?

    func run() async throws {
        let interruption = Interruption()
        ProgramMemory.compactHeap()
        let settings = try settings()
        let (configuration, brokerConfiguration) = try Self.configurations(settings)
        let statusAddress = try Self.statusAddress(settings.status)
        try options.apply(isService: true)
        let adapter = AdapterBinding.current()
        let queue = DispatchQueue(label: "bluetooth.cloud")
        let gateway: CloudGateway
        do throws(CloudStartError) {
            gateway = try CloudGateway(
                adapter: adapter, configuration: configuration, broker: brokerConfiguration,
                folder: settings.queueFolder ?? Self.defaultFolder(configuration.name),
                limits: DurableQueue.Limits(octets: settings.queueLimit << 20), queue: queue)
        } catch {
            throw ToolError(.failed, "the gateway cannot start. \(error.description)")
        }
        try await serve(gateway, configuration, brokerConfiguration, statusAddress, queue, interruption)
    }

    private func serve(
        _ gateway: CloudGateway, _ configuration: CloudConfiguration, _ broker: MQTTConfiguration,
        _ statusAddress: TransportAddress?, _ queue: DispatchQueue, _ interruption: Interruption
    ) async throws {
        let (stopped, continuation) = AsyncStream<Void>.makeStream()
        let endpoint = queue.sync { () -> Result<StatusEndpoint?, TransportError> in
            gateway.onEvent = { event in
                if case .stopped = event { continuation.finish() }
                CloudReport.report(event)
            }
            do throws(TransportError) {
                let endpoint: StatusEndpoint? =
                    if let statusAddress {
                        try StatusEndpoint(at: statusAddress, queue: queue) { [weak gateway] path in
                            gateway.flatMap { CloudReport.answer(path, $0) }
                        }
                    } else {
                        nil
                    }
                gateway.run()
                return .success(endpoint)
            } catch {
                return .failure(error)
            }
        }
        let status: StatusEndpoint?
        switch endpoint {
        case .success(let endpoint): status = endpoint
        case .failure(let error):
            throw ToolError(.failed, "the status cannot be served: \(error)", "Try: --status tcp:127.0.0.1:0")
        }
        let record = CloudRecord(
            name: configuration.name, topic: queue.sync { gateway.session.topics.base },
            broker: broker.addresses.map(\.description).joined(separator: ", "), isEncrypted: broker.tls != nil,
            status: status?.address.description)
        if options.json {
            try emit(jsonLine(record, type: "cloud-gateway"))
        } else {
            try emit(say("The gateway publishes below \(record.topic) to \(record.broker)."))
            if let address = record.status { try emit(say("Health and metrics: \(address)")) }
        }
        ProgramMemory.releaseStartPages()
        await interruption.wait()
        queue.sync { gateway.stop() }
        for await _ in stopped {}
        queue.sync { status?.stop() }
    }

    // MARK: Settings

    private func settings() throws -> CloudSettings {
        var settings = try broker.settings(CloudSettings.init(_:)) ?? CloudSettings()
        settings.broker.addresses = try broker.addresses() ?? settings.broker.addresses
        settings.name = name ?? settings.name
        settings.allowsCommands = settings.allowsCommands || commands
        settings.queueFolder = queue ?? settings.queueFolder
        settings.status = status ?? settings.status
        return settings
    }

    /// The settings of the gateway, and of its connection.
    static func configurations(
        _ settings: CloudSettings
    ) throws -> (CloudConfiguration, MQTTConfiguration) {
        guard !settings.broker.addresses.isEmpty else {
            throw ToolError(
                .usage, "the gateway needs a broker.", "Try: bluelab gateway cloud --broker mqtt://127.0.0.1")
        }
        let name = settings.name ?? GatewayName.resembling(ProcessInfo.processInfo.hostName)
        guard GatewayName.isValid(name) else {
            throw ToolError(
                .usage,
                "the name of a gateway has 1 to \(GatewayName.limit) lower-case letters, digits and hyphens, as in hall-2."
            )
        }
        var configuration = CloudConfiguration(name: name, version: toolVersion)
        configuration.prefix = settings.broker.prefix
        configuration.allowsCommands = settings.allowsCommands
        configuration.advertisementInterval = settings.advertisementInterval
        configuration.advertisementRate = settings.advertisementRate
        configuration.publicationRate = settings.publicationRate
        configuration.isRaw = settings.isRaw
        configuration.isDecoded = settings.isDecoded
        configuration.linkLimit = settings.slots
        configuration.homeAssistantPrefix = settings.homeAssistantPrefix
        configuration.homeAssistantDevices = settings.homeAssistantDevices
        if let prefix = settings.homeAssistantPrefix, !CloudConfiguration.isDiscoveryPrefix(prefix) {
            throw ToolError(
                .usage, "the prefix of Home Assistant is a topic of one or two levels.", "Try: homeassistant")
        }
        let broker = try settings.broker.configuration(clientIdentifier: "opencorebluetooth-\(name)")
        BrokerOptions.warn(broker)
        return (configuration, broker)
    }

    private static func statusAddress(_ text: String?) throws -> TransportAddress? {
        guard let text else { return nil }
        do throws(TransportError) {
            let address = try TransportAddress(parsing: text)
            if case .tcp(let host, _) = address, GatewayServer.isLoopback(host) { return address }
            if case .unix = address { return address }
        } catch {
            throw ToolError(.usage, "--status: \(error)")
        }
        throw ToolError(
            .usage, "other machines would reach the status at \(text), which has no password.",
            "Try: --status tcp:127.0.0.1:9464, or unix:PATH")
    }

    private static func defaultFolder(_ name: String) -> String {
        let environment = ProcessInfo.processInfo.environment
        let state =
            environment["XDG_STATE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
            ?? (environment["HOME"] ?? NSHomeDirectory()) + "/.local/state"
        return "\(state)/opencorebluetooth/cloud-\(name)"
    }
}

/// Events and figures of the gateway for people and programs.
enum CloudReport {
    static func report(_ event: CloudGateway.Event) {
        switch event {
        case .brokerConnected(let address): printError("Connected to the broker at \(address).")
        case .brokerDisconnected(let reason):
            printError("The broker is away: \(ValueText.printable(reason)) Trying again.")
        case .subscriptionRefused(let filter, let reason):
            printError("The broker refused the subscription \(filter): \(ValueText.printable(reason))")
        case .publicationRefused(let reason): printError("The broker refused a message: \(ValueText.printable(reason))")
        case .queueFailed(let failure): printError("The queue failed: \(failure)")
        case .stopped: break
        }
    }

    static func answer(_ path: String, _ gateway: CloudGateway) -> StatusEndpoint.Answer? {
        switch path {
        case "/health":
            StatusEndpoint.Answer(
                isGood: gateway.isHealthy, type: "application/json",
                body: gateway.health + [UInt8(ascii: "\n")])
        case "/metrics":
            StatusEndpoint.Answer(
                type: "text/plain; version=0.0.4; charset=utf-8", body: Array(gateway.metrics.utf8))
        default: nil
        }
    }
}

/// The record of `--json`.
struct CloudRecord: Encodable {
    let name: String
    let topic: String
    let broker: String
    let isEncrypted: Bool
    let status: String?
}
