import ArgumentParser
import BLEValues
import CoreBluetooth
import Foundation

struct ScanCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "scan",
        abstract: "List the devices in range, the strongest first.",
        discussion: """
            In a terminal the table is updated in place. Otherwise each device is printed when it is found, or with --duration the \
            table is printed at the end. Ctrl-C stops the scan.

              bluelab scan --duration 10
              bluelab scan --service "heart rate" --minimum-rssi -70
              bluelab scan --json --duplicates | head -n 100

            SIGNAL is in dBm, EVERY is the time between advertisements, SEEN is the number of received advertisements. The other \
            commands accept the ID or a part of the name as their device.
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

    @OptionGroup var color: ColorOptions

    func run() async throws {
        options.apply()
        let terminal = color.terminal()
        try await CentralClient.run { client in
            let report = ScanReport(
                style: style,
                terminal: terminal, filter: filter, duplicates: duplicates, limit: count)
            defer { report.finish() }
            try await client.powerOn(.seconds(10))
            try report.begin()
            _ = try await client.scan(
                duration ?? .seconds(1_000_000_000), reportsDuplicates: report.needsDuplicates
            ) { sighting, _ in
                try report.add(sighting)
            }
        }
    }
}

extension ScanCommand {
    fileprivate var style: ScanReport.Style {
        if options.json { return .json }
        if duplicates { return .lines }
        if isatty(STDOUT_FILENO) == 1 { return .table }
        return duration == nil ? .lines : .summary
    }
}

/// Collects sightings and prints them.
@MainActor
private final class ScanReport {
    enum Style {
        /// A table that is updated in place.
        case table
        /// A row for each device, or for each advertisement.
        case lines
        /// The table once, at the end.
        case summary
        case json
    }

    let style: Style
    private let table: ScanTable
    private let filter: ScanFilter
    private let duplicates: Bool
    private let limit: Int?
    private let start = ContinuousClock.now
    private var devices: [UUID: SeenDevice] = [:]
    /// Devices that passed the filter.
    private var shown: Set<UUID> = []
    private var drawnRows = 0
    private var lastDrawing = Duration.zero
    private var hasBegun = false

    private static let redrawInterval = Duration.milliseconds(200)

    init(style: Style, terminal: Terminal, filter: ScanFilter, duplicates: Bool, limit: Int?) {
        self.style = style
        table = ScanTable(terminal: terminal, width: style == .table ? TerminalSize.current.columns : 120)
        self.filter = filter
        self.duplicates = duplicates
        self.limit = limit
    }

    /// Whether the report needs every advertisement, for intervals and signal histories.
    var needsDuplicates: Bool { duplicates || style == .table || style == .summary }

    func begin() throws {
        hasBegun = true
        switch style {
        case .table: try draw()
        case .lines: try emit(table.header)
        case .summary, .json: break
        }
    }

    /// Adds a sighting. Returns whether the requested number of devices was found.
    func add(_ sighting: Sighting) throws -> Bool {
        let now = ContinuousClock.now - start
        devices[sighting.identifier, default: SeenDevice(identifier: sighting.identifier)].add(sighting, at: now)
        guard let device = devices[sighting.identifier], filter.accepts(device) else { return false }
        let isNew = shown.insert(sighting.identifier).inserted
        switch style {
        case .table: if now - lastDrawing >= Self.redrawInterval { try draw() }
        case .summary: break
        case .lines: if isNew || duplicates { try emit(table.row(device)) }
        case .json: if isNew || duplicates { try emit(jsonLine(SightingRecord(sighting, device, at: now))) }
        }
        return limit.map { shown.count >= $0 } ?? false
    }

    func finish() {
        guard hasBegun else { return }
        if style == .table || style == .summary { try? draw() }
        guard style != .json else { return }
        printError(ScanTable.summary(shown.compactMap { devices[$0] }, after: ContinuousClock.now - start))
    }

    /// Draws the table over the previous one.
    private func draw() throws {
        lastDrawing = ContinuousClock.now - start
        let isLive = style == .table
        // The header, and the line below the table, take one row each.
        let room = isLive ? max(1, TerminalSize.current.rows - 2) : Int.max
        let rows = ScanTable.sorted(shown.compactMap { devices[$0] }).prefix(room).map(table.row)
        var text = drawnRows > 0 ? "\u{1B}[\(drawnRows)A" : ""
        for row in [table.header] + rows { text += row + (isLive ? "\u{1B}[K\n" : "\n") }
        drawnRows = isLive ? rows.count + 1 : 0
        // The terminal truncates wide rows at its edge instead of wrapping them.
        try emit(isLive ? "\u{1B}[?7l\(text)\u{1B}[?7h" : text, terminator: "")
    }
}

/// The output of `bluelab scan --json`.
struct SightingRecord: Encodable {
    let type = "advertisement"
    let id: String
    let name: String?
    /// Seconds since the start of the scan.
    let time: Double
    let rssi: Int?
    let connectable: Bool
    let services: [String]
    let company: String?
    /// Hexadecimal digits, including the company identifier.
    let manufacturerData: String?
    let serviceData: [String: String]?
    let txPower: Int?

    init(_ sighting: Sighting, _ device: SeenDevice, at time: Duration) {
        id = sighting.identifier.uuidString
        name = sighting.name
        self.time = (time / .milliseconds(1)).rounded() / 1000
        rssi = sighting.rssi
        connectable = sighting.isConnectable
        services = sighting.services.map(\.uuidString)
        company = device.company
        manufacturerData = sighting.manufacturerData.map(Hexadecimal.digits)
        serviceData =
            sighting.serviceData.isEmpty
            ? nil
            : Dictionary(
                uniqueKeysWithValues: sighting.serviceData.map { ($0.key.uuidString, Hexadecimal.digits($0.value)) })
        txPower = sighting.transmitPower
    }
}
