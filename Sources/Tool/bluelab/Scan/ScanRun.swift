import AdvertisementScanning
import BLEAdapter
import BLETransport
import Dispatch
import Foundation

/// One run of `bluelab scan`. It takes the reports of the adapter in batches, keeps the devices, and prints them.
@MainActor
final class ScanRun {
    enum Style {
        /// A table that is updated in place.
        case table
        /// A row for each device, or for each advertisement.
        case lines
        /// The table once, at the end.
        case summary
        case json
    }

    private let style: Style
    private let terminal: Terminal
    private var filter: DeviceFilter
    private let duplicates: Bool
    private let limit: Int?
    private let file: LineFile?
    private let plotFile: PlotFile?

    private var devices = DeviceTable(separatesSets: true)
    private var reports: [AdvertisementReport] = []
    /// The rows that were printed, and the devices that were counted.
    private var shown: Set<ScannedDevice.Key> = []
    private var counted: Set<PeerIdentifier> = []
    private var chart = SignalChart()
    private var screen = ScanScreen()
    private var start = ContinuousClock.now
    private var hasBegun = false
    private var isOnScreen = false
    private var keyboard: Keyboard?
    /// The device that the user opened.
    private var page: DevicePage?
    /// The end of the link of the page before.
    private var closing: Task<Void, Never>?
    private var droppedCount = 0

    /// The time between two drawings, and the longest time that reports wait for the table.
    private static let refresh = Duration.milliseconds(200)
    /// In microseconds. Shorter than the time between two advertising events, for the estimate of the interval.
    private static let readDelay: UInt32 = 5000
    /// The most rows that `shown` contains, for printing each once, and the most devices of `counted`, for `--count`.
    private static let shownLimit = 100_000

    init(
        style: Style, terminal: Terminal, filter: DeviceFilter, duplicates: Bool, limit: Int?, file: LineFile?,
        plot: PlotFile?
    ) {
        self.style = style
        self.terminal = terminal
        self.filter = filter
        self.duplicates = duplicates
        self.limit = limit
        self.file = file
        plotFile = plot
        screen.names = OwnNames.current
    }

    /// Scans until the time is over, the number of devices is reached, or the user quits.
    func run(_ client: CentralClient, for duration: Duration?) async throws {
        do {
            try await scan(client, for: duration)
        } catch {
            // The terminal is the user's again before the link ends.
            endScreen()
            await closePage()
            throw error
        }
        endScreen()
        await closePage()
    }

    private func scan(_ client: CentralClient, for duration: Duration?) async throws {
        hasBegun = true
        start = .now
        // The table and the summary need every packet, for intervals and histories, and so do the files.
        let isTable = style == .table || style == .summary
        let needsAll = duplicates || isTable || file != nil || plotFile != nil
        func makeScan() -> AdvertisementScan {
            AdvertisementScan(on: client.adapter, allowsDuplicates: needsAll, wake: isTable ? nil : client.waker)
        }
        var scan = makeScan()
        defer { droppedCount += scan.droppedCount }
        // A table answers no packet, so the packets of some milliseconds can arrive in one read.
        if isTable { PollingThread.readDelay.store(Self.readDelay, ordering: .relaxed) }
        defer { PollingThread.readDelay.store(0, ordering: .relaxed) }
        if style == .lines { try emit(lineTable.header) }
        if style == .table { beginScreen(client) }
        while !screen.isDone {
            let left = duration.map { $0 - (.now - start) } ?? CentralClient.unlimited
            guard left > .zero else { break }
            do {
                _ = try await client.wait(min(left, Self.refresh)) { event in
                    if case .woken = event { true } else { false }
                }
            } catch let loss as ToolError where loss.kind == .noAdapter {
                endScreen()
                // The link is gone with the controller.
                await closePage()
                guard try await client.awaitController(after: loss, within: left) else { break }
                if style == .table { beginScreen(client) }
                droppedCount += scan.droppedCount
                scan = makeScan()
                continue
            }
            if try step(scan) { break }
        }
    }

    /// Handles the reports that have arrived. Returns whether the requested number of devices was found.
    private func step(_ scan: AdvertisementScan) throws -> Bool {
        scan.take(&reports)
        let isPrinted = style == .lines || style == .json
        for report in reports {
            let index = devices.add(report, since: start)
            let time = report.time - start
            if file != nil || plotFile != nil || isPrinted || limit != nil {
                guard devices.accept(index, filter) else { continue }
                try record(report, index, time)
                if isPrinted { try print(index) }
                if shown.count < Self.shownLimit { shown.insert(devices.devices[index].key) }
                guard let limit else { continue }
                if counted.count < Self.shownLimit { counted.insert(devices.devices[index].peer) }
                if counted.count >= limit { return true }
            }
        }
        if style == .table { try draw() }
        return false
    }

    /// Adds a report to the files.
    private func record(_ report: AdvertisementReport, _ index: Int, _ time: Duration) throws {
        if let file {
            devices.decode(index)
            try file.append(SignalLog.line(report.discovery, name: devices.devices[index].name, time: time))
        }
        if plotFile != nil { chart.add(report.discovery, at: time) }
    }

    private func print(_ index: Int) throws {
        guard duplicates || !shown.contains(devices.devices[index].key) else { return }
        devices.decode(index)
        let device = devices.devices[index]
        switch style {
        case .lines: try emit(lineTable.row(device, at: .now - start))
        case .json: try emit(jsonLine(AdvertisementEventRecord(device)))
        case .table, .summary: break
        }
    }

    /// The table for a file or a pipe, wide enough for all columns except the address.
    private var lineTable: ScanTable { ScanTable(terminal: terminal, width: 132, names: screen.names) }

    /// Writes the chart, the final table and the summary.
    func finish() throws {
        endScreen()
        guard hasBegun else { return }
        hasBegun = false
        filter.words = screen.words
        let indices = devices.sorted(devices.accepted(by: filter))
        if let plotFile {
            let names = indices.map { index in
                devices.decode(index)
                let device = devices.devices[index]
                return (
                    device.peer,
                    "\(screen.names[device.peer] ?? device.name.map(ValueText.printable) ?? "(no name)") \(device.peer.shortText)"
                )
            }
            try plotFile.write(chart.chart(Dictionary(names, uniquingKeysWith: { $1 })))
        }
        let now = ContinuousClock.now - start
        if style == .table || style == .summary {
            let table =
                style == .table
                ? ScanTable(terminal: terminal, width: TerminalSize.current.columns, names: screen.names) : lineTable
            try emit(table.header)
            // A terminal shows as many devices as it has room for.
            for index in indices.prefix(style == .table ? max(1, TerminalSize.current.rows - 3) : Int.max) {
                devices.decode(index)
                try emit(table.row(devices.devices[index], at: now))
            }
        }
        guard style != .json else { return }
        printError(ScanTable.summary(indices.map { devices.devices[$0] }, after: now))
        if droppedCount > 0 {
            printError("\(droppedCount) advertisements were dropped, because the output was too slow.")
        }
    }
}

// MARK: The live table

extension ScanRun {
    private func beginScreen(_ client: CentralClient) {
        isOnScreen = true
        keyboard = Keyboard { [weak self, weak client] keys in
            for key in keys { self?.handle(key, client) }
            // The current step ends, and the table is drawn.
            client?.report(.woken)
        }
        // The alternate screen; the cursor is hidden.
        try? emit("\u{1B}[?1049h\u{1B}[?25l\u{1B}[H\u{1B}[2J", terminator: "")
    }

    private func endScreen() {
        guard isOnScreen else { return }
        isOnScreen = false
        keyboard?.end()
        keyboard = nil
        try? emit("\u{1B}[H\u{1B}[2J\u{1B}[?25h\u{1B}[?1049l", terminator: "")
    }

    /// Takes a key for the page that is open, or for the list.
    private func handle(_ key: ScreenKey, _ client: CentralClient?) {
        if let page {
            guard page.handle(key) else { return }
            leavePage()
            return
        }
        screen.handle(key)
        guard let key = screen.openDevice else { return }
        guard let index = devices.index(of: key) else { return screen.back() }
        devices.decode(index)
        page = DevicePage(devices.devices[index], terminal: terminal) { [weak client] in client?.report(.woken) }
    }

    /// Returns to the list while the link ends.
    private func leavePage() {
        guard let page else { return }
        self.page = nil
        screen.back()
        let former = closing
        closing = Task {
            await former?.value
            await page.close()
        }
        (screen.names, filter.ownNames) = (OwnNames.current, OwnNames.current)
    }

    private func closePage() async {
        leavePage()
        await closing?.value
        closing = nil
    }

    private func draw() throws {
        let lines = lines(size: .current, at: ContinuousClock.now - start)
        // The last row has no line feed: it would scroll.
        try emit(
            Terminal.frame("\u{1B}[H" + lines.joined(separator: "\u{1B}[K\n") + "\u{1B}[K\u{1B}[J"), terminator: "")
    }
}

extension ScanRun {
    private func lines(size: TerminalSize, at now: Duration) -> [String] {
        guard let page else {
            filter.words = screen.words
            let indices = devices.sorted(devices.accepted(by: filter))
            return screen.lines(&devices, indices, terminal: terminal, size: size, now: now)
        }
        let index = devices.index(of: page.key)
        if let index { devices.decode(index) }
        return page.lines(index.map { devices.devices[$0] }, at: now, size: size)
    }
}

extension DeviceTable {
    /// Whether the filter selects the device at `index`.
    mutating func accept(_ index: Int, _ filter: DeviceFilter) -> Bool { modify(index) { filter.accepts(&$0) } }

    /// The indices of the devices that the filter selects.
    mutating func accepted(by filter: DeviceFilter) -> [Int] {
        var accepted: [Int] = []
        accepted.reserveCapacity(devices.count)
        for index in devices.indices where accept(index, filter) { accepted.append(index) }
        return accepted
    }
}
