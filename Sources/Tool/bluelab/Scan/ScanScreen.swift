import AdvertisementScanning
import BLEAdapter
import BLEStore

/// What the live table shows, and what its keys do. The state is a value: keys go in, lines come out.
struct ScanScreen {
    enum Mode: Hashable {
        case list
        /// The user types a filter.
        case filter
        /// A `DevicePage` shows this device.
        case device(ScannedDevice.Key)
    }

    private(set) var mode = Mode.list
    private(set) var filterText = ""
    private(set) var selection: ScannedDevice.Key?
    /// Whether the user asked to quit.
    private(set) var isDone = false
    /// The names that the user gave to devices.
    var names = DeviceNames()
    /// The rows of the last drawing, in their order.
    private var visible: [ScannedDevice.Key] = []
    private var pageSize = 10

    var words: FilterWords? { FilterWords(filterText) }

    /// The device whose page is open.
    var openDevice: ScannedDevice.Key? {
        if case .device(let key) = mode { key } else { nil }
    }

    /// Returns from a device to the list, with its selection and its filter.
    mutating func back() { mode = .list }

    mutating func handle(_ key: ScreenKey) {
        switch mode {
        case .filter: handleFilter(key)
        case .device: break
        case .list: handleList(key)
        }
    }

    private mutating func handleFilter(_ key: ScreenKey) {
        switch key {
        case .character(let character): if filterText.count < 60 { filterText.append(character) }
        case .backspace: if filterText.popLast() == nil { mode = .list }
        case .enter: mode = .list
        case .escape:
            filterText = ""
            mode = .list
        case .up: move(by: -1)
        case .down: move(by: 1)
        default: break
        }
    }

    private mutating func handleList(_ key: ScreenKey) {
        switch key {
        case .character("q"): isDone = true
        case .character("/"): mode = .filter
        case .up, .character("k"): move(by: -1)
        case .down, .character("j"): move(by: 1)
        case .pageUp: move(by: -pageSize)
        case .pageDown: move(by: pageSize)
        case .home, .character("g"): selection = visible.first
        case .end, .character("G"): selection = visible.last
        case .enter: if let selection, visible.contains(selection) { mode = .device(selection) }
        case .escape:
            if selection != nil { selection = nil } else { filterText = "" }
        default: break
        }
    }

    /// Moves the selection. The first move selects the strongest or the last device.
    private mutating func move(by step: Int) {
        guard !visible.isEmpty else { return }
        let place = selection.flatMap { visible.firstIndex(of: $0) }
        let next = place.map { $0 + step } ?? (step > 0 ? 0 : visible.count - 1)
        selection = visible[min(max(next, 0), visible.count - 1)]
    }

    /// The lines of the list, at most `size.rows`.
    ///
    /// - Parameter indices: The devices that pass the filters, the strongest first.
    mutating func lines(
        _ devices: inout DeviceTable, _ indices: [Int], terminal: Terminal, size: TerminalSize, now: Duration
    ) -> [String] {
        let table = ScanTable(terminal: terminal, width: size.columns, names: names)
        let room = max(1, size.rows - 2)
        pageSize = room
        visible = indices.map { devices.devices[$0].key }
        // The selected row stays visible.
        let place = selection.flatMap { visible.firstIndex(of: $0) }
        let first = max(0, (place ?? 0) - room + 1)
        var lines = [table.header]
        for index in indices.dropFirst(first).prefix(room) {
            devices.decode(index)
            let device = devices.devices[index]
            let row = table.row(device, at: now)
            lines.append(device.key == selection ? terminal.selected(row) : row)
        }
        let found = ScanTable.counts(indices.map { devices.devices[$0] })
        lines.append(footer(found.devices, found.connectable, of: devices, terminal, size.columns, now))
        return lines
    }

    private func footer(
        _ count: Int, _ connectable: Int, of devices: DeviceTable, _ terminal: Terminal, _ width: Int, _ now: Duration
    ) -> String {
        let dot = terminal.isUnicode ? " \u{00B7} " : ", "
        let hidden = ScanTable.counts(devices.devices).devices - count
        let noun = count == 1 ? "device" : "devices"
        var parts = [say("\(count) \(noun) in \(Int(now / .seconds(1))) s")]
        if hidden > 0 { parts.append(say("\(hidden) hidden")) }
        parts.append(say("\(connectable) connectable"))
        if case .filter = mode { return "/\(ValueText.printable(filterText))_  " + parts.joined(separator: dot) }
        if !filterText.isEmpty { parts.append("/\(ValueText.printable(filterText))") }
        let arrows = terminal.isUnicode ? "\u{2191}\u{2193}" : "j k"
        var text = (parts + [say("q quits, \(arrows) selects, enter opens, / filters")]).joined(separator: dot)
        // A narrow screen has the keys without the arrows, which everybody tries.
        if TextWidth.of(text) > width {
            let typed = filterText.isEmpty ? [] : parts.suffix(1)
            text = ([parts[0]] + typed + [say("q quits, enter opens, / filters")]).joined(separator: dot)
        }
        let ellipsis = terminal.isUnicode ? "\u{2026}" : "~"
        return terminal.styled(TextWidth.clipped(text, width, ellipsis: ellipsis), .faint)
    }
}

extension Terminal {
    /// The selected row: inverse, or with a mark in front on a terminal without colours.
    func selected(_ row: String) -> String {
        guard isColored else { return ">" + row.dropFirst() }
        // A reset in the row would end the inverse part.
        return "\u{1B}[7m" + row.replacing("\u{1B}[0m", with: "\u{1B}[0;7m") + "\u{1B}[0m"
    }
}
