import ArgumentParser
import BLETransport
import BLEWire
import BluetoothGateway
import CloudGateway
import Foundation
import GatewayFleet
import MQTTClient

struct FleetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fleet",
        abstract: "Load an MQTT broker with many gateways, and measure what it does.",
        discussion: """
            Example: bluelab gateway fleet --broker mqtt://127.0.0.1 --gateways 1000 --devices 100
            Example: bluelab gateway fleet --broker mqtt://127.0.0.1 --ramp --broker-process 4711

            The settings of the file are those of all gateways. Each gateway begins with another broker of a cluster.

            Only the radio is simulated: each gateway has its own connection, last will, queue and limits, as `bluelab gateway cloud` has. \
            A subscriber checks that every message arrives. With --ramp the rate grows until the broker no longer follows.

            Ctrl-C ends the fleet in order: the queues become empty, and each gateway says that it is offline. Restart the broker \
            meanwhile to see how the fleet returns. Documentation/Fleet.md has the arithmetic for larger fleets.
            """)

    @OptionGroup var broker: BrokerOptions

    @Option(shown: "The number of gateways.", valueName: "number", transform: positiveCount)
    var gateways = 1000

    @Option(shown: "The devices that each gateway hears.", valueName: "number", transform: positiveCount)
    var devices = 100

    @Option(
        shown: "The time between two advertisements of one device.", valueName: "seconds", transform: positiveSeconds)
    var every: Duration = .seconds(10)

    @Option(
        help: ArgumentHelp("End after this time. Without it, Ctrl-C ends the fleet.", valueName: "seconds"),
        transform: positiveSeconds)
    var duration: Duration?

    @Flag(help: "Raise the rate by a half again and again, until the broker no longer follows.")
    var ramp = false

    @Option(shown: "The time of each rate of --ramp.", valueName: "seconds", transform: positiveSeconds)
    var step: Duration = .seconds(10)

    @Option(shown: "The time between two reports.", valueName: "seconds", transform: positiveSeconds)
    var report: Duration = .seconds(5)

    @Option(
        help: ArgumentHelp(
            "The clients that receive the messages and share them if there are several; 0 for none.",
            valueName: "number"))
    var subscribers = 1

    @Option(shown: "The gateways that begin to connect in a second.", valueName: "number", transform: positiveCount)
    var connects = 200

    @Option(
        help: ArgumentHelp(
            "Where the fleet makes the folder of its queues, which it removes at its end. Without it /dev/shm, in memory.",
            valueName: "folder"))
    var queue: String?

    @Option(shown: "The limit of each gateway's queue in KiB.", valueName: "number", transform: positiveCount)
    var queueLimit = 4096

    @Option(
        help: ArgumentHelp(
            "A process of the broker on this machine, whose processor time is measured. Can be repeated.",
            valueName: "number"))
    var brokerProcess: [Int32] = []

    @Option(help: ArgumentHelp("The beginning of the gateways' names.", valueName: "name"))
    var name = "gateway"

    @Option(
        help: ArgumentHelp("The number of the first gateway, for a fleet of several processes.", valueName: "number"))
    var first = 0

    @Flag(help: "Print one JSON object per line.")
    var json = false

    func validate() throws {
        if gateways > FleetConfiguration.gatewayLimit {
            throw ValidationError("a fleet has at most \(FleetConfiguration.gatewayLimit) gateways in one process.")
        }
        if devices > FleetConfiguration.deviceLimit {
            throw ValidationError("a gateway of a fleet hears at most \(FleetConfiguration.deviceLimit) devices.")
        }
        // A driver that is late makes the advertisements of up to a second at once.
        if Double(gateways * devices) / (every / .seconds(1)) > 1_000_000 {
            throw ValidationError(
                "the devices of a fleet advertise at most 1,000,000 times in a second: give a longer --every.")
        }
        if !(0...64).contains(subscribers) { throw ValidationError("a fleet has 0 to 64 subscribers.") }
        if first < 0 || first + gateways > 10_000_000 {
            throw ValidationError("the numbers of gateways are at most 9999999.")
        }
        if name.utf8.count > 16 || !GatewayName.isValid(name) {
            throw ValidationError(
                "the beginning of the names has 1 to 16 lower-case letters, digits and hyphens, as in hall.")
        }
    }

    func run() async throws {
        let interruption = Interruption()
        var configuration = try configuration()
        let limit = DescriptorLimit.raise()
        guard limit >= configuration.descriptors else {
            throw ToolError(
                .failed,
                "\(gateways) gateways need \(configuration.descriptors) file descriptors, and the limit of this process is \(limit).",
                "Raise it as root: ulimit -Hn \(configuration.descriptors), or LimitNOFILE= in a unit of systemd.")
        }
        if let missing = brokerProcess.first(where: { ProcessFigures.of($0) == nil }) {
            throw ToolError(.usage, "there is no process \(missing).", "Try: --broker-process $(pidof mosquitto)")
        }
        let folder = try Self.folder(queue)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        configuration.folder = folder
        let fleet: GatewayFleet
        do throws(MQTTClientError) {
            fleet = try GatewayFleet(configuration, lanes: ProcessInfo.processInfo.activeProcessorCount)
        } catch {
            throw ToolError(.failed, "the fleet cannot start. \(error.description)")
        }
        try await FleetRun(self, fleet, interruption).run()
    }

    private func configuration() throws -> FleetConfiguration {
        var settings = try broker.settings(CloudSettings.init(_:)) ?? CloudSettings()
        settings.broker.addresses = try broker.addresses() ?? settings.broker.addresses
        settings.name = name
        // Commands would find no device.
        settings.allowsCommands = false
        guard !settings.broker.addresses.isEmpty else {
            throw ToolError(
                .usage, "the fleet needs a broker.", "Try: bluelab gateway fleet --broker mqtt://127.0.0.1")
        }
        let (gateway, connection) = try CloudCommand.configurations(settings)
        var fleet = FleetConfiguration(folder: "", gateway: gateway, broker: connection)
        fleet.gateways = gateways
        fleet.devices = devices
        fleet.name = name
        fleet.first = first
        fleet.interval = TimeSpan(nanoseconds: Int64(every / .nanoseconds(1)))
        fleet.connectsPerSecond = connects
        fleet.subscribers = subscribers
        fleet.queueLimit = queueLimit << 10
        return fleet
    }

    /// A new folder that only this user can read.
    private static func folder(_ queue: String?) throws -> String {
        let memory = "/dev/shm"
        let base = queue ?? (access(memory, W_OK) == 0 ? memory : NSTemporaryDirectory())
        var template = Array("\(base)/bluelab-fleet-XXXXXX".utf8CString)
        let path = template.withUnsafeMutableBufferPointer { template in
            mkdtemp(template.baseAddress!).map { String(cString: $0) }
        }
        guard let path else {
            throw ToolError(
                .failed, "the queues cannot be created in \(base): \(String(cString: strerror(errno))).",
                "Choose another folder with --queue.")
        }
        return path
    }
}
