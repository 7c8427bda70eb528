import ArgumentParser
import BLEAdapter
import BLERuntime
import BLETransport
import BLEWire
import BluetoothGateway
import Dispatch
import Foundation
import LocalDiscovery
import NoiseChannel

struct GatewayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gateway",
        abstract:
            "Share this machine's Bluetooth radio over the network, as an ESPHome Bluetooth proxy, or through an MQTT broker.",
        discussion: """
            Home Assistant and other clients of ESPHome's native API use the radio: advertisements, connections, GATT and pairing.

              bluelab gateway key --file gateway.key
              bluelab gateway --listen tcp:0.0.0.0:6053 --key-file gateway.key

            Without a key the gateway listens only at addresses of this machine. The key comes from a file or from the environment \
            variable BLUETOOTH_GATEWAY_KEY, never from the command line, which other users of the machine can read.

            Options: `bluelab help gateway serve`. Documentation/Gateway.md describes the protocol's limits.
            """,
        subcommands: [
            GatewayServeCommand.self, GatewayListCommand.self, CloudCommand.self, FleetCommand.self, StormCommand.self,
            GatewayKeyCommand.self,
        ],
        defaultSubcommand: GatewayServeCommand.self)
}

struct GatewayServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Serve the radio until Ctrl-C.",
        discussion: """
            Example: bluelab gateway serve --controller bluez
            Example: bluelab gateway serve --listen tcp:0.0.0.0:6053 --key-file gateway.key --name hall
            """)

    @OptionGroup var options: ClientOptions

    @Option(
        help: ArgumentHelp(
            "Where to listen: tcp:HOST:PORT or unix:PATH. Port 0 selects a free one. An address that other machines reach needs a key.",
            valueName: "address"))
    var listen = "tcp:127.0.0.1:6053"

    @Option(
        help: ArgumentHelp(
            "The name of the gateway: lower-case letters, digits and hyphens. Without it the name of the machine.",
            valueName: "name"))
    var name: String?

    @Option(
        shown: "The most devices that all clients together connect to.", valueName: "number", transform: positiveCount)
    var slots = 3

    @Option(
        help: ArgumentHelp(
            "A file with the key, which only its owner can read. Otherwise BLUETOOTH_GATEWAY_KEY.", valueName: "file"))
    var keyFile: String?

    @Flag(
        inversion: .prefixedNo,
        help: ArgumentHelp(
            "Announce the gateway on the local network by multicast DNS. Without a choice only a gateway that other machines reach."
        ))
    var announce: Bool?

    func validate() throws {
        if let name, !GatewayName.isValid(name) {
            throw ValidationError(
                "the name of a gateway has 1 to \(GatewayName.limit) lower-case letters, digits and hyphens, as in hall-2."
            )
        }
        if slots > 64 { throw ValidationError("a gateway has at most 64 slots.") }
    }

    func run() async throws {
        let interruption = Interruption()
        ProgramMemory.compactHeap()
        let key = try GatewayKeyFile.key(path: keyFile)
        try options.apply(isService: true)
        if case .none(let failure) = ProcessAdapter.choice { throw ToolError(failure) }
        let address: TransportAddress
        do throws(TransportError) {
            address = try TransportAddress(parsing: listen)
        } catch {
            throw ToolError(.usage, "--listen: \(error)")
        }
        let adapter = AdapterBinding.current()
        let queue = DispatchQueue(label: "bluetooth.gateway")
        let configuration = GatewayConfiguration(
            name: name ?? GatewayName.resembling(ProcessInfo.processInfo.hostName), version: toolVersion,
            macAddress: Self.identity(of: adapter), slots: slots, key: key)
        guard
            let server = GatewayServer(
                adapter: adapter, configuration: configuration, scheduler: QueueScheduler(queue))
        else {
            throw ToolError(
                .noAdapter, "the gateway has no Bluetooth adapter whose devices have addresses.",
                "Tried the controller \(ProcessAdapter.choice).",
                "Try: bluelab adapters, or bluelab gateway --controller radio.")
        }
        try await serve(server, configuration, address, queue, interruption)
    }

    private func serve(
        _ server: GatewayServer, _ configuration: GatewayConfiguration, _ address: TransportAddress,
        _ queue: DispatchQueue, _ interruption: Interruption
    ) async throws {
        let json = options.json
        let result = queue.sync { () -> Result<TransportAddress, TransportError> in
            server.onEvent = { event in Self.report(event) }
            do throws(TransportError) {
                return .success(try server.listen(at: address, on: queue))
            } catch {
                return .failure(error)
            }
        }
        let announced: LocalNetwork?
        switch result {
        case .success(let address):
            let record = GatewayRecord(
                address: address.description, name: configuration.name, isEncrypted: configuration.key != nil,
                slots: configuration.slots)
            if json {
                try emit(jsonLine(record, type: "gateway"))
            } else {
                try emit(
                    say(
                        "The gateway \(configuration.name) serves at \(address)\(configuration.key == nil ? ", without encryption" : "")."
                    ))
            }
            announced = try announcement(configuration, address, queue)
        case .failure(let error):
            throw ToolError(
                .failed, "the gateway cannot listen: \(error)", "Tried \(address).",
                "Try: bluelab gateway --listen tcp:127.0.0.1:0")
        }
        ProgramMemory.releaseStartPages()
        await interruption.wait()
        let counts = queue.sync {
            announced?.close()
            server.stop()
            return server.counts
        }
        if counts.droppedAdvertisements + counts.droppedValues > 0 {
            printError(
                "Passed on \(counts.advertisements) advertisements and \(counts.values) values. Dropped \(counts.droppedAdvertisements) and \(counts.droppedValues), because a client read too slowly."
            )
        }
    }

    /// Announces the gateway, if it is to be announced.
    private func announcement(
        _ configuration: GatewayConfiguration, _ address: TransportAddress, _ queue: DispatchQueue
    ) throws -> LocalNetwork? {
        guard case .tcp(let host, let port) = address else {
            guard announce != true else {
                throw ToolError(
                    .usage, "--announce: other machines do not reach \(address).",
                    "Try: --listen tcp:0.0.0.0:6053")
            }
            return nil
        }
        guard announce ?? !GatewayServer.isLoopback(host) else { return nil }
        let announcement = GatewayAnnouncement(configuration, port: port)
        do throws(LocalServiceError) {
            let network = try LocalNetwork(host: announcement.name, queue: queue)
            let service = try LocalService(
                announcement.name, type: GatewayAnnouncement.serviceType, port: announcement.port,
                text: announcement.text)
            let result = queue.sync { () -> Result<LocalNetwork, LocalServiceError> in
                network.open()
                do throws(LocalServiceError) {
                    try network.publish(service)
                    return .success(network)
                } catch {
                    return .failure(error)
                }
            }
            return try result.get()
        } catch {
            throw ToolError(.failed, "the gateway cannot be announced: \(error)", "Try: --no-announce")
        }
    }

    private static func report(_ event: GatewayServer.Event) {
        switch event {
        case .clientConnected(let name): printError("Connected: \(ValueText.printable(name))")
        case .clientEnded(let name, let reason):
            printError("Ended: \(ValueText.printable(name)): \(ValueText.printable(reason))")
        case .clientRefused(let name):
            printError(
                "Refused: \(ValueText.printable(name)): the gateway has \(GatewayServer.clientLimit) clients already")
        }
    }

    /// An address that identifies this gateway, the same in every run: locally administered, from this host's identifiers.
    private static func identity(of adapter: any BluetoothAdapter) -> String {
        let identifier = adapter.peerIdentification?.identifier(for: DeviceAddress(kind: .public, value: 0))
        let value = (identifier?.low ?? 0) & 0xFCFF_FFFF_FFFF | 0x0200_0000_0000
        return DeviceAddress(kind: .public, value: value).description
    }
}

/// The record of `--json`.
struct GatewayRecord: Encodable {
    let address: String
    let name: String
    let isEncrypted: Bool
    let slots: Int
}
