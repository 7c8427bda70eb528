import AdvertisementScanning
import BLEWire
import CoreBluetooth

/// What the page of a device shows, and what its keys do. It is a value: keys and results go in, lines and actions come out.
struct DeviceView {
    /// What a key asks for. Numbers are indices of `characteristics`.
    enum Action: Hashable {
        case connect, close
        case read(Int)
        case subscribe(Int, Bool)
        case write(Int, String)
        case name(String)
    }

    enum State: Hashable {
        /// The device says that it accepts no connection: a beacon.
        case notConnectable
        case connecting
        case exploring
        case connected
        /// With the reason.
        case lost(String)

        var isConnected: Bool { self == .connected || self == .exploring }
    }

    /// A characteristic with what is known of its value.
    struct Characteristic: Hashable {
        /// The name and the UUID, or the UUID alone.
        let title: String
        let number: String
        let properties: CBCharacteristicProperties
        var octets: [UInt8]?
        var text = ""
        /// Why there is no value.
        var problem: String?
        var isNotifying = false
        /// The number of received notifications.
        var count = 0
        /// The text of its user description.
        var label: String?

        static func == (left: Self, right: Self) -> Bool {
            (left.title, left.number, left.octets, left.text, left.problem) == (
                right.title, right.number, right.octets, right.text, right.problem
            ) && left.isNotifying == right.isNotifying && left.count == right.count && left.label == right.label
        }

        func hash(into hasher: inout Hasher) { hasher.combine(title) }
    }

    /// A line of the tree.
    private enum Row: Hashable {
        case service(title: String, number: String)
        case characteristic(Int)
    }

    private enum Input: Hashable {
        case value(Int)
        case name
    }

    var state = State.connecting
    /// The device and its link, without styles.
    var head = ""
    /// The last result or problem.
    var note = ""
    private(set) var characteristics: [Characteristic] = []
    private var rows: [Row] = []
    private(set) var selection: Int?
    /// Whether the advertisement is shown in place of the tree.
    private(set) var showsAdvertisement = false
    private var input: Input?
    private(set) var inputText = ""
    private var first = 0
    private var pageSize = 10

    /// The longest text that a user types. A value of 512 octets has 1024 digits.
    private static let inputLimit = 1100

    // MARK: What the device has

    /// Forgets the attributes of the link before.
    mutating func begin() {
        (state, note, characteristics, rows, selection, first) = (.connecting, "", [], [], nil, 0)
        input = nil
    }

    mutating func add(service title: String, _ number: String) { rows.append(.service(title: title, number: number)) }

    mutating func add(_ characteristic: Characteristic) {
        rows.append(.characteristic(characteristics.count))
        characteristics.append(characteristic)
        if selection == nil { selection = 0 }
    }

    mutating func update(_ index: Int, _ change: (inout Characteristic) -> Void) {
        guard characteristics.indices.contains(index) else { return }
        change(&characteristics[index])
    }

    // MARK: Keys

    mutating func handle(_ key: ScreenKey) -> Action? {
        if let input { return handle(key, input) }
        if showsAdvertisement, state != .notConnectable {
            switch key {
            case .character("a"), .character("q"), .escape, .backspace, .enter: showsAdvertisement = false
            default: break
            }
            return nil
        }
        switch key {
        case .character("q"), .escape, .backspace: return .close
        case .character("a"): showsAdvertisement = true
        case .character("n"):
            input = .name
            inputText = ""
        case .up, .character("k"): move(by: -1)
        case .down, .character("j"): move(by: 1)
        case .pageUp: move(by: -pageSize)
        case .pageDown: move(by: pageSize)
        case .home, .character("g"): move(by: -characteristics.count)
        case .end, .character("G"): move(by: characteristics.count)
        case .character("c"): if case .lost = state { return .connect }
        case .enter:
            if case .lost = state { return .connect }
            return read()
        case .character("r"): return read()
        case .character("s"): return subscribe()
        case .character("w"):
            guard let (index, chosen) = chosen else { return nil }
            guard !chosen.properties.isDisjoint(with: [.write, .writeWithoutResponse]) else {
                note = say("\(chosen.title) cannot be written.")
                return nil
            }
            input = .value(index)
            inputText = ""
        default: break
        }
        return nil
    }

    private mutating func handle(_ key: ScreenKey, _ kind: Input) -> Action? {
        switch key {
        case .character(let character): if inputText.count < Self.inputLimit { inputText.append(character) }
        case .backspace: if inputText.popLast() == nil { input = nil }
        case .escape: input = nil
        case .enter:
            input = nil
            switch kind {
            case .value(let index): return inputText.isEmpty ? nil : .write(index, inputText)
            case .name: return .name(inputText)
            }
        default: break
        }
        return nil
    }

    /// The selected characteristic of a link.
    private var chosen: (Int, Characteristic)? {
        guard state.isConnected, let selection else { return nil }
        return (selection, characteristics[selection])
    }

    private mutating func read() -> Action? {
        guard let (index, chosen) = chosen else { return nil }
        if chosen.properties.contains(.read) { return .read(index) }
        note = say("\(chosen.title) cannot be read.")
        return nil
    }

    private mutating func subscribe() -> Action? {
        guard let (index, chosen) = chosen else { return nil }
        if !chosen.properties.isDisjoint(with: [.notify, .indicate]) { return .subscribe(index, !chosen.isNotifying) }
        note = say("\(chosen.title) supports neither notifications nor indications.")
        return nil
    }

    private mutating func move(by step: Int) {
        guard let selection else { return }
        self.selection = min(max(selection + step, 0), characteristics.count - 1)
    }

    // MARK: Lines

    /// The lines of the screen, at most `size.rows`.
    ///
    /// - Parameter advertisement: The lines of what the scan has received of the device.
    mutating func lines(_ advertisement: [String], terminal: Terminal, size: TerminalSize) -> [String] {
        let bottom = self.bottom(terminal, size)
        let room = max(1, size.rows - bottom.count)
        let showsTree = state != .notConnectable && state != .connecting && !showsAdvertisement && !rows.isEmpty
        guard showsTree else {
            return Array(advertisement.prefix(room)) + Array(repeating: "", count: max(0, room - advertisement.count))
                + bottom
        }
        let tree = self.tree(terminal, size.columns)
        let place = selection.flatMap { chosen in rows.firstIndex(of: .characteristic(chosen)) } ?? 0
        let shown = max(1, room - 1)
        pageSize = shown
        // The first characteristic shows its service as well.
        first = min(first, max(0, place - 1))
        first = max(first, place - shown + 1)
        let title = TextWidth.clipped(head, size.columns, ellipsis: terminal.isUnicode ? "\u{2026}" : "~")
        var lines = [terminal.styled(title, .bold)] + tree.dropFirst(first).prefix(shown)
        lines += Array(repeating: "", count: max(0, room - lines.count))
        return Array((lines + bottom).suffix(size.rows))
    }

    private func tree(_ terminal: Terminal, _ width: Int) -> [String] {
        let ellipsis = terminal.isUnicode ? "\u{2026}" : "~"
        let titles = characteristics.map { Self.title($0.title, $0.number) }
        // The value is what the user wants to see: it has half of a narrow screen.
        let titleWidth = min(titles.map { TextWidth.of($0) }.max() ?? 0, width * 2 / 5)
        let usesWords = width >= 110
        let properties = characteristics.map { Self.text($0.properties, usesWords: usesWords) }
        let propertyWidth = min(properties.map { TextWidth.of($0) }.max() ?? 0, 40)
        return rows.map { row in
            switch row {
            case .service(let title, let number):
                return TextWidth.clipped(Self.title(title, number), width, ellipsis: ellipsis)
            case .characteristic(let index):
                let characteristic = characteristics[index]
                var line = "  " + TextWidth.fitted(titles[index], titleWidth, ellipsis: ellipsis) + "  "
                line += TextWidth.fitted(properties[index], propertyWidth, ellipsis: ellipsis) + " "
                let mark = terminal.isUnicode ? "\u{25CF} " : "* "
                line += characteristic.isNotifying ? terminal.styled(mark, .green) : "  "
                let room = max(0, width - titleWidth - propertyWidth - 7)
                let text = TextWidth.fitted(Self.value(characteristic), room, ellipsis: ellipsis)
                line += terminal.styled(text, characteristic.problem == nil ? .cyan : .yellow)
                return index == selection ? terminal.selected(line) : line
            }
        }
    }

    private static func title(_ title: String, _ number: String) -> String {
        number.isEmpty ? title : "\(title) \(number)"
    }

    private static func value(_ characteristic: Characteristic) -> String {
        let label = characteristic.label.map { "\"\($0)\"" } ?? ""
        return [characteristic.problem ?? characteristic.text, label].filter { !$0.isEmpty }
            .joined(separator: " \u{00B7} ")
    }

    private static func text(_ properties: CBCharacteristicProperties, usesWords: Bool) -> String {
        guard !usesWords else { return properties.words.joined(separator: " ") }
        let letters: [(CBCharacteristicProperties, String)] = [
            (.read, "R"), (.write, "W"), (.writeWithoutResponse, "w"), (.notify, "N"), (.indicate, "I"),
        ]
        return letters.map { properties.contains($0.0) ? $0.1 : "-" }.joined()
    }

    /// The selected value in full, the state, and the keys.
    private func bottom(_ terminal: Terminal, _ size: TerminalSize) -> [String] {
        let ellipsis = terminal.isUnicode ? "\u{2026}" : "~"
        var lines = [""]
        if let (_, chosen) = chosen, !showsAdvertisement {
            let octets = chosen.octets.map { $0.isEmpty ? say("(empty)") : Hexadecimal.text($0) } ?? ""
            let count = chosen.count > 0 ? "  " + say("\(chosen.count) received") : ""
            lines.append(
                terminal.styled(
                    TextWidth.clipped("\(chosen.title)  \(octets)\(count)", size.columns, ellipsis: ellipsis), .faint))
        }
        if let input {
            let prompt =
                switch input {
                case .value(let index): say("hex for \(characteristics[index].title): ")
                case .name: say("name of your own (empty removes it): ")
                }
            // The end of a long value stays visible.
            let room = max(8, size.columns - TextWidth.of(prompt) - 2)
            lines.append(prompt + String(ValueText.printable(inputText).suffix(room)) + "_")
            lines.append(terminal.styled(say("enter takes it, esc cancels"), .faint))
            return lines
        }
        lines.append(TextWidth.clipped(status, size.columns, ellipsis: ellipsis))
        lines.append(terminal.styled(TextWidth.clipped(keys, size.columns, ellipsis: ellipsis), .faint))
        return lines
    }

    private var status: String {
        switch state {
        case .notConnectable: note.isEmpty ? say("This device accepts no connections.") : note
        case .connecting: say("Connecting...")
        case .exploring: note.isEmpty ? say("Reading...") : note
        case .connected: note
        case .lost(let reason): reason
        }
    }

    private var keys: String {
        if showsAdvertisement, state != .notConnectable { return say("esc back") }
        switch state {
        case .notConnectable: return say("esc back, n names it")
        case .connecting: return say("esc back, a advertisement")
        case .exploring, .connected:
            return say("esc back, r reads, s subscribes, w writes, n names, a advertisement")
        case .lost: return say("esc back, enter connects again, a advertisement")
        }
    }
}
