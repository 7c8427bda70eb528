import AdvertisementScanning
import BLEAdapter

/// What the live table shows, and what its keys do. The state is a value: keys go in, lines come out.
struct ScanScreen {
    enum Mode: Hashable {
        case list
        /// The user types a filter.
        case filter
        case detail(PeerIdentifier)
    }

    private(set) var mode = Mode.list
    private(set) var filterText = ""
    private(set) var selection: PeerIdentifier?
    /// Whether the user asked to quit.
    private(set) var isDone = false
    /// The devices of the last drawing, in their order.
    private var visible: [PeerIdentifier] = []
    private var pageSize = 10

    var words: FilterWords? { FilterWords(filterText) }

    mutating func handle(_ key: ScreenKey) {
        switch mode {
        case .filter: handleFilter(key)
        case .detail:
            switch key {
            case .character("q"), .escape, .enter, .backspace: mode = .list
            default: break
            }
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
        case .enter: if let selection, visible.contains(selection) { mode = .detail(selection) }
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

    /// The lines of the screen, at most `size.rows`.
    ///
    /// - Parameter indices: The devices that pass the filters, the strongest first.
    mutating func lines(
        _ devices: inout DeviceTable, _ indices: [Int], terminal: Terminal, size: TerminalSize, now: Duration
    ) -> [String] {
        if case .detail(let peer) = mode {
            if let index = devices.index(of: peer) {
                devices.decode(index)
                let device = devices.devices[index]
                let hint = terminal.styled(
                    "esc back \u{00B7} in a shell: bluelab explore \(device.peer.shortText)", .faint)
                return AdvertisementDetail(terminal: terminal).lines(device, at: now).prefix(max(1, size.rows - 2))
                    + ["", hint]
            }
            // The table has dropped the device.
            mode = .list
        }
        let table = ScanTable(terminal: terminal, width: size.columns)
        let room = max(1, size.rows - 2)
        pageSize = room
        visible = indices.map { devices.devices[$0].peer }
        // The selected row stays visible.
        let place = selection.flatMap { visible.firstIndex(of: $0) }
        let first = max(0, (place ?? 0) - room + 1)
        var lines = [table.header]
        for index in indices.dropFirst(first).prefix(room) {
            devices.decode(index)
            let device = devices.devices[index]
            let row = table.row(device, at: now)
            lines.append(device.peer == selection ? terminal.selected(row) : row)
        }
        let connectable = indices.count { devices.devices[$0].isConnectable }
        lines.append(footer(indices.count, connectable, of: devices, terminal, now))
        return lines
    }

    private func footer(
        _ count: Int, _ connectable: Int, of devices: DeviceTable, _ terminal: Terminal, _ now: Duration
    ) -> String {
        let dot = terminal.isUnicode ? " \u{00B7} " : ", "
        let hidden = devices.devices.count - count
        var parts = ["\(count) \(count == 1 ? "device" : "devices") in \(Int(now / .seconds(1))) s"]
        if hidden > 0 { parts.append("\(hidden) hidden") }
        parts.append("\(connectable) connectable")
        if case .filter = mode { return "/\(ValueText.printable(filterText))_  " + parts.joined(separator: dot) }
        if !filterText.isEmpty { parts.append("/\(ValueText.printable(filterText))") }
        let arrows = terminal.isUnicode ? "\u{2191}\u{2193}" : "j k"
        parts.append("q quits, \(arrows) selects, enter opens, / filters")
        return terminal.styled(parts.joined(separator: dot), .faint)
    }
}

extension Terminal {
    /// The selected row: inverse, or with a mark in front on a terminal without colours.
    fileprivate func selected(_ row: String) -> String {
        guard isColored else { return ">" + row.dropFirst() }
        // A reset in the row would end the inverse part.
        return "\u{1B}[7m" + row.replacing("\u{1B}[0m", with: "\u{1B}[0;7m") + "\u{1B}[0m"
    }
}
