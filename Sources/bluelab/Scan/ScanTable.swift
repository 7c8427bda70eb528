/// Formats devices as a table, the strongest signal first.
struct ScanTable {
    private let terminal: Terminal
    private let contentWidth: Int
    /// 0 on a narrow terminal, which omits the column.
    private let companyWidth: Int

    private static let barWidth = 9
    private static let historyWidth = SeenDevice.historyLength / 2
    private static let nameWidth = 18
    /// The width of the fixed columns, and of the spaces between all columns.
    private static let fixedWidth = 70

    /// - Parameter width: The number of columns of the terminal.
    init(terminal: Terminal, width: Int) {
        self.terminal = terminal
        companyWidth = width < 100 ? 0 : 14
        contentWidth = min(40, max(8, width - Self.fixedWidth - companyWidth))
    }

    var header: String {
        let signal = filled(" SIGNAL", 6 + Self.barWidth + 1 + Self.historyWidth)
        return terminal.styled(
            "\(signal)  \(filled("NAME", Self.nameWidth)) \(filled("SERVICES", contentWidth)) "
                + "\(fitted("COMPANY", companyWidth)) \(padded("EVERY", 6)) \(padded("SEEN", 6))  ID", .bold)
    }

    /// The devices in the order of the table.
    static func sorted(_ devices: some Collection<SeenDevice>) -> [SeenDevice] {
        devices.sorted {
            ($0.rssi ?? Int.min, $1.identifier.uuidString) > ($1.rssi ?? Int.min, $0.identifier.uuidString)
        }
    }

    func row(_ device: SeenDevice) -> String {
        let plot = PulsePlot(isUnicode: terminal.isUnicode, range: -100...(-30), width: Self.barWidth)
        let signal = device.rssi.map { padded("\($0)", 5) } ?? "    -"
        let bar = filled(device.rssi.map(plot.bar) ?? "", Self.barWidth)
        let history = filled(
            plot.history(device.signals.suffix(Self.historyWidth)), Self.historyWidth)
        let name = device.name.map(ValueText.printable) ?? "(no name)"
        let content = device.content.isEmpty ? "-" : ValueText.printable(device.content)
        let company = device.company ?? "-"
        return "\(signal) \(terminal.styled(bar, .cyan)) \(terminal.styled(history, .faint))  "
            + "\(fitted(name, Self.nameWidth)) \(fitted(content, contentWidth)) \(fitted(company, companyWidth)) "
            + "\(padded(device.interval.map(Self.text) ?? "-", 6)) \(padded("\(device.count)", 6))  "
            + shortened(device.identifier)
    }

    /// Truncates `text` with an ellipsis, or pads it, to `width` characters.
    private func fitted(_ text: String, _ width: Int) -> String {
        guard width > 0 else { return "" }
        guard text.count > width else { return filled(text, width) }
        return text.prefix(width - 1) + (terminal.isUnicode ? "\u{2026}" : "~")
    }

    /// An interval in two digits: "100ms", "1.0s".
    static func text(_ interval: Duration) -> String {
        let milliseconds = Int(interval / .milliseconds(1))
        return milliseconds < 1000
            ? "\(milliseconds)ms" : "\((milliseconds + 50) / 1000).\((milliseconds + 50) / 100 % 10)s"
    }

    /// "3 devices in 8 s".
    static func summary(_ devices: some Collection<SeenDevice>, after time: Duration) -> String {
        let connectable = devices.count { $0.isConnectable }
        let noun = devices.count == 1 ? "device" : "devices"
        return "\(devices.count) \(noun) in \(Int(time / .seconds(1))) s, \(connectable) connectable"
    }
}
