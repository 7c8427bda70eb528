import AdvertisementScanning
import ArgumentParser
import BLEWire
import Foundation

/// The PHY that a scan adds to the others.
enum ScanPHY: RawRepresentable, ExpressibleByArgument, CaseIterable {
    case oneM
    case coded

    var rawValue: String {
        switch self {
        case .oneM: HCI.PHY.le1M.option
        case .coded: HCI.PHY.leCoded.option
        }
    }

    init?(rawValue: String) {
        guard let phy = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
        self = phy
    }
}

struct ScanCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "scan",
        abstract: "List the devices in range, the strongest first.",
        discussion: """
            In a terminal the table is updated in place: q quits, the arrow keys select, / filters by all that a row shows. Enter \
            connects to the selected device and shows its services and values, with keys to read, subscribe and write; esc returns to \
            the table. Otherwise each device is printed when it is found, or with --duration the table is printed at the end.

            Example: bluelab scan --duration 10
            Example: bluelab scan --service "heart rate" --minimum-rssi -70 --not-company apple
            Example: bluelab scan --data 4c000215 --csv signal.csv --plot signal.svg --duration 60
            Example: bluelab scan --detail wristband
            Example: bluelab scan --json --duplicates | head -n 100

            SIGNAL is in dBm. TYPE is the type of the address: public, static, private (resolvable), or unresol (not resolvable). \
            EVERY is the time between advertisements, SEEN is the number of received advertisements, AGE the time since the last one. \
            The other commands accept the ID, the address or a part of the name as their device. The distance of a beacon is an \
            estimate.
            """)

    @OptionGroup var options: ClientOptions
    @OptionGroup var filter: ScanFilter

    @Option(
        help: ArgumentHelp("Stop after this time. Without it the scan runs until Ctrl-C.", valueName: "seconds"),
        transform: positiveSeconds)
    var duration: Duration?

    @Option(help: ArgumentHelp("Stop after this number of devices.", valueName: "number"), transform: positiveCount)
    var count: Int?

    @Flag(help: "Print every advertisement instead of every device.")
    var duplicates = false

    @Option(
        help: ArgumentHelp(
            "The PHY: 1m, or coded to look for devices with long range as well, which takes a third of the time.",
            valueName: "phy"))
    var phy: ScanPHY?

    @Option(
        help: ArgumentHelp(
            "Print all data of one device, with its advertisement as octets and decoded.", valueName: "device"))
    var detail: String?

    @Option(
        help: ArgumentHelp("Write each received signal to a CSV file.", valueName: "file"),
        completion: .file(extensions: ["csv"]))
    var csv: String?

    @Option(
        help: ArgumentHelp("Write a chart of the signals to an .svg file.", valueName: "file"),
        completion: .file(extensions: ["svg"]))
    var plot: String?

    @OptionGroup var color: ColorOptions

    func validate() throws {
        if let plot, !PlotFile.canBe(plot) {
            throw ValidationError("--plot needs a file name that ends with .svg, not \"\(plot)\".")
        }
        guard let detail else { return }
        if detail.isEmpty {
            throw ValidationError("--detail needs a name, an identifier, an address, or a part of one.")
        }
        if count != nil || duplicates || csv != nil || plot != nil {
            throw ValidationError("--detail shows one device: omit --count, --duplicates, --csv and --plot.")
        }
    }

    func run() async throws {
        do {
            try await scan()
        } catch let failure as ToolError where failure.kind == .noAdapter {
            throw await ControllerAdvice.completing(failure)
        }
    }

    private func scan() async throws {
        if let phy { setenv("BLUETOOTH_EXTENDED_ADVERTISING", phy == .coded ? "coded" : "on", 1) }
        try options.apply()
        let terminal = color.terminal()
        try await CentralClient.run { client in
            try await client.powerOn(.seconds(10))
            if let detail {
                try await show(detail, client, terminal)
            } else if let csv {
                try await OutputFile.lines(to: csv, header: SignalLog.header) { file in
                    try await list(client, terminal, file)
                }
            } else {
                try await list(client, terminal, nil)
            }
        }
    }

    /// The time for which `--detail` observes a device, for its scan response and its interval.
    private static let observation = Duration.seconds(2)

    @MainActor
    private func show(_ wanted: String, _ client: CentralClient, _ terminal: Terminal) async throws {
        let search = DeviceQuery(wanted: wanted)
        let (device, age) = try await search.observe(
            with: client, duration ?? .seconds(10), for: Self.observation, filter.prepared.accepts)
        if options.json { return try emit(jsonLine(AdvertisementEventRecord(device))) }
        for line in AdvertisementDetail(terminal: terminal, names: OwnNames.current).lines(device, at: age) {
            try emit(line)
        }
        printError("Try: bluelab explore \(device.peer.shortText)")
    }

    @MainActor
    private func list(_ client: CentralClient, _ terminal: Terminal, _ file: LineFile?) async throws {
        let scan = ScanRun(
            style: style, terminal: terminal, filter: filter.prepared, duplicates: duplicates, limit: count, file: file,
            plot: try plot.map { try PlotFile($0) })
        do {
            try await scan.run(client, for: duration)
        } catch {
            // After Ctrl-C the chart and the summary show what the scan received.
            try? scan.finish()
            throw error
        }
        try scan.finish()
    }

    private var style: ScanRun.Style {
        if options.json { return .json }
        if duplicates { return .lines }
        let isDumb = ProcessInfo.processInfo.environment["TERM"] == "dumb"
        if isatty(STDOUT_FILENO) == 1, !isDumb { return .table }
        return duration == nil ? .lines : .summary
    }
}
