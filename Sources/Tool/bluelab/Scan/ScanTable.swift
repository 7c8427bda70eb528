import AdvertisementScanning
import BLEStore
import BLEWire

/// Formats devices as rows. A wider terminal has more columns. The identifier is always visible, because the other commands take it.
struct ScanTable {
    private let terminal: Terminal
    private let names: DeviceNames
    private let nameWidth: Int
    /// 0 for no column.
    private let contentWidth: Int
    /// Whether the bar and the history of the signal follow its number.
    private let showsBar: Bool
    private let showsInterval: Bool
    private let showsAge: Bool
    private let showsKind: Bool
    private let showsCompany: Bool
    private let showsCount: Bool
    private let showsAddress: Bool
    private let showsDistance: Bool
    private let bar: BarText
    private let sparkline: Sparkline

    /// The signals of the shortest and the longest bar, in dBm.
    static let signals = -100.0...(-30.0)
    private static let barWidth = 9
    private static let historyWidth = 8
    private static let widestName = 18
    private static let kindWidth = 7
    private static let companyWidth = 14
    private static let addressWidth = 17
    private static let distanceWidth = 7
    /// The signal, its bar and history, the name, the interval, the age, the identifier, and the spaces between them.
    private static let fixedWidth = 25 + 1 + widestName + 1 + 1 + 6 + 1 + 5 + 2 + 8
    /// The number of the signal, the identifier, and the spaces around the name.
    private static let narrowWidth = 6 + 1 + 2 + 8
    private static let smallestContent = 10
    private static let extraContent = 10

    /// - Parameters:
    ///   - width: The number of columns of the terminal.
    ///   - names: The names that the user gave to devices.
    init(terminal: Terminal, width: Int, names: DeviceNames = DeviceNames()) {
        self.terminal = terminal
        self.names = names
        bar = BarText(isUnicode: terminal.isUnicode, range: Self.signals, width: Self.barWidth)
        sparkline = Sparkline(isUnicode: terminal.isUnicode, range: Self.signals)
        var room = width - Self.fixedWidth - Self.smallestContent
        func takes(_ columns: Int) -> Bool {
            guard room > columns else { return false }
            room -= columns + 1
            return true
        }
        showsBar = room >= 0
        if !showsBar {
            room = max(0, width - Self.narrowWidth)
            nameWidth = min(Self.widestName, room)
            room -= nameWidth
            contentWidth = takes(Self.smallestContent) ? Self.smallestContent : 0
            showsAge = takes(5)
            showsInterval = takes(6)
            (showsDistance, showsKind, showsCompany, showsCount, showsAddress) = (false, false, false, false, false)
            return
        }
        (nameWidth, showsInterval, showsAge) = (Self.widestName, true, true)
        showsDistance = takes(Self.distanceWidth)
        showsKind = takes(Self.kindWidth)
        // The services get more room before further columns do.
        let extra = max(0, min(room, Self.extraContent))
        room -= extra
        showsCompany = takes(Self.companyWidth)
        showsCount = takes(6)
        showsAddress = room > Self.addressWidth + 14 && takes(Self.addressWidth)
        contentWidth = min(48, Self.smallestContent + extra + max(0, room))
    }

    var header: String {
        func title(_ english: String, _ width: Int) -> String { TextWidth.fitted(say(english), width) + " " }
        var text = showsBar ? " " + title("SIGNAL", 24) : title("SIGNAL", 6)
        text += title("NAME", nameWidth)
        if showsAddress { text += title("ADDRESS", Self.addressWidth) }
        if showsKind { text += title("TYPE", Self.kindWidth) }
        if contentWidth > 0 { text += title("SERVICES", contentWidth) }
        if showsCompany { text += title("COMPANY", Self.companyWidth) }
        if showsInterval { text += padded(say("EVERY"), 6) + " " }
        if showsCount { text += padded(say("SEEN"), 6) + " " }
        if showsAge { text += padded(say("AGE"), 5) + " " }
        text += " ID"
        return terminal.styled(text, .bold)
    }

    /// The row of a decoded device.
    ///
    /// - Parameter now: The time since the start of the scan.
    func row(_ device: ScannedDevice, at now: Duration) -> String {
        let ellipsis = terminal.isUnicode ? "\u{2026}" : "~"
        func fitted(_ text: String, _ width: Int) -> String { TextWidth.fitted(text, width, ellipsis: ellipsis) }
        let bar = filled(device.rssi.map { self.bar.text(Double($0)) } ?? "", Self.barWidth)
        let history = filled(
            sparkline.text(device.signals.values.suffix(Self.historyWidth).map(Double.init)), Self.historyWidth)
        var text = padded(device.rssi.map { "\($0)" } ?? "-", showsBar ? 5 : 6) + " "
        if showsBar { text += terminal.styled(bar, .cyan) + " " + terminal.styled(history, .faint) + "  " }
        let own = names[device.peer]
        let name = fitted(own ?? device.name.map(ValueText.printable) ?? say("(no name)"), nameWidth)
        text += (own == nil ? name : terminal.styled(name, .bold)) + " "
        if showsAddress { text += fitted(device.address?.description ?? "-", Self.addressWidth) + " " }
        if showsKind { text += fitted(device.address.map(Self.kind) ?? "-", Self.kindWidth) + " " }
        if contentWidth > 0 { text += fitted(Self.content(device), contentWidth) + " " }
        if showsCompany { text += fitted(device.content.company ?? "-", Self.companyWidth) + " " }
        if showsInterval { text += padded(device.interval.map(Self.text) ?? "-", 6) + " " }
        if showsCount { text += padded("\(device.count)", 6) + " " }
        if showsAge { text += padded(Self.age(now - device.lastSeen), 5) + " " }
        text += " " + device.peer.shortText
        if showsDistance, let distance = device.distance { text += " " + padded(Self.text(metres: distance), 6) }
        return text
    }

    /// What a device sends, after the number of the set if the row is that of a set.
    private static func content(_ device: ScannedDevice) -> String {
        let summary = ValueText.printable(device.content.summary)
        guard let set = set(device) else { return summary.isEmpty ? "-" : summary }
        return set + (summary.isEmpty ? "" : " " + summary)
    }

    /// "set 4": the advertising set of a row; nil for the row of a device.
    static func set(_ device: ScannedDevice) -> String? { device.key.set.map { say("set \(Int($0))") } }

    /// The type of an address in seven characters.
    static func kind(_ address: DeviceAddress) -> String {
        switch address.typeName {
        case .public: say("public")
        case .static: say("static")
        case .resolvable: say("private")
        case .nonresolvable: say("unresol")
        case .reserved: "-"
        }
    }

    /// An interval in two digits: "100ms", "1.0s".
    static func text(_ interval: Duration) -> String {
        let milliseconds = Int(interval / .milliseconds(1))
        return milliseconds < 1000
            ? "\(milliseconds)ms" : "\((milliseconds + 50) / 1000).\((milliseconds + 50) / 100 % 10)s"
    }

    /// The time since the last packet: "now", "12s", "3m".
    static func age(_ age: Duration) -> String {
        let seconds = Int(age / .seconds(1))
        if seconds < 1 { return say("now") }
        return seconds < 120 ? "\(seconds)s" : "\(seconds / 60)m"
    }

    /// An estimated distance: "~0.4 m", "~12 m".
    static func text(metres: Double) -> String {
        if metres >= 999 { return ">1 km" }
        return metres < 10 ? "~\(Int(metres)).\(Int(metres * 10) % 10) m" : "~\(Int(metres.rounded())) m"
    }

    /// The number of devices and of connectable devices, however many sets they have.
    static func counts(_ rows: some Collection<ScannedDevice>) -> (devices: Int, connectable: Int) {
        guard rows.contains(where: { $0.key.set != nil }) else { return (rows.count, rows.count { $0.isConnectable }) }
        return (Set(rows.map(\.peer)).count, Set(rows.filter(\.isConnectable).map(\.peer)).count)
    }

    /// "3 devices in 8 s, 2 connectable".
    static func summary(_ devices: some Collection<ScannedDevice>, after time: Duration) -> String {
        let (count, connectable) = counts(devices)
        let noun = count == 1 ? "device" : "devices"
        return say("\(count) \(noun) in \(Int(time / .seconds(1))) s, \(connectable) connectable")
    }
}
