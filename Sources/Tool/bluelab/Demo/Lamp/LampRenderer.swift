import BLEWire

/// Draws the story of the lamp: one line for each thing that happens, with the four ways as lanes from the top to the bottom.
struct LampRenderer {
    private enum Lane { case absent, idle, used, cut }

    /// The lanes have the width of their names.
    private static let names: [(way: LampTransport, name: String)] = [
        (.network, "network"), (.direct, "direct"), (.cloud, "cloud"), (.bluetooth, "Bluetooth"),
    ]

    let terminal: Terminal
    private let output: (String) -> Void
    private var cut: Set<LampTransport> = []
    private var used: LampTransport?
    private var hasJoined = false
    private var isOn = false
    private var requests = 0

    /// - Parameters:
    ///   - terminal: Knows the colours and characters.
    ///   - output: Receives each line.
    init(terminal: Terminal, output: @escaping (String) -> Void) {
        self.terminal = terminal
        self.output = output
    }

    /// Draws on the terminal, each line at once.
    init(terminal: Terminal) {
        self.init(terminal: terminal) { line in
            terminal.print(line)
            terminal.flush()
        }
    }

    func printHeader() {
        let names = Self.names.map { say($0.name) }.joined(separator: "  ")
        output("")
        output(terminal.styled("\(padded(say("time"), 8))   \(names)  \(say("lamp"))", .faint))
    }

    mutating func show(_ action: LampAction, at now: Duration) {
        switch action {
        case .press: break
        case .toggle:
            requests += 1
            line(say("phone: switch the lamp, request \(requests)"), at: now)
        case .cut(let way):
            cut.insert(way)
            line(terminal.styled(say(Self.sentence(way)), .bold, .red), at: now)
        case .mend(let ways):
            cut.subtract(ways)
            line(terminal.styled(say("all four ways are back"), .bold, .green), at: now)
        }
    }

    mutating func show(_ report: LampReport, at now: Duration) {
        switch report {
        case .lamp(.waiting): line(say("lamp: waits for a phone, by Improv Wi-Fi over Bluetooth"), at: now)
        case .lamp(.joined):
            hasJoined = true
            line(say("lamp: joined the Wi-Fi network"), at: now)
        case .lamp(.opened): break
        case .lamp(.switched(let isOn, let count, let byButton)):
            self.isOn = isOn
            line(say("lamp: \(word(isOn)), by \(byButton ? "its button" : "request \(count)")"), at: now)
        case .lamp(.failed(let reason)):
            line(terminal.styled(say("lamp: \(ValueText.printable(reason))"), .faint), at: now)
        case .phone(.pressTheButton):
            used = .bluetooth
            line(say("phone: found the lamp, which wants its button pressed"), at: now)
        case .phone(.provisioned):
            used = nil
            line(say("phone: gave the lamp the password of the network"), at: now)
        case .phone(.way(let name)):
            used = name.flatMap(LampTransport.init(rawValue:))
            let text = used.map { "phone: over \(Self.name($0))" } ?? "phone: no way works"
            line(terminal.styled(say(text), .bold), at: now)
        case .phone(.wayFailed(let name, let reason)):
            line(terminal.styled(say("phone: \(name): \(ValueText.printable(reason))"), .faint), at: now)
        case .phone(.switched(let isOn, let count, let name)):
            let way = LampTransport(rawValue: name).map(Self.name) ?? name
            line(say("phone: request \(count) was carried out: \(word(isOn)), over \(way)"), at: now)
        case .phone(.pressed(let isOn)): line(say("phone: hears the button: \(word(isOn))"), at: now)
        case .phone(.missed(let count)): line(say("phone: \(count) events were lost"), at: now)
        case .phone(.failed(let reason)):
            line(terminal.styled(say("phone: \(ValueText.printable(reason))"), .red), at: now)
        }
    }

    func printSummary(_ outcome: LampOutcome) {
        let isRight = outcome.problems.isEmpty
        let counts =
            "\(outcome.sent) requests sent, \(outcome.carriedOut) carried out, \(outcome.repeated) repeated, \(outcome.lost) lost"
        output("")
        output(terminal.styled(say(counts), .bold, isRight ? .green : .red))
        output(say("\(outcome.pressed) presses of the button, \(outcome.heard) heard"))
        for problem in outcome.problems { output(terminal.styled(say(ValueText.printable(problem)), .red)) }
    }

    private func line(_ text: String, at now: Duration) {
        let lanes = Self.names.map { way, name in
            let width = TextWidth.of(say(name))
            let indent = width / 2
            return String(repeating: " ", count: indent) + mark(way)
                + String(repeating: " ", count: width - indent - 1)
        }
        let light = isOn ? terminal.styled(terminal.isUnicode ? "●" : "*", .yellow) : terminal.isUnicode ? "○" : "o"
        output("\(terminal.styled(Self.time(now), .faint))   \(lanes.joined(separator: "  "))   \(light)    \(text)")
    }

    private func mark(_ way: LampTransport) -> String {
        let lane: Lane =
            if cut.contains(way) { .cut } else if used == way { .used } else if hasJoined || way == .bluetooth {
                .idle
            } else {
                .absent
            }
        let isUnicode = terminal.isUnicode
        return switch lane {
        case .absent: isUnicode ? "·" : "."
        case .idle: terminal.styled(isUnicode ? "│" : "|", .faint)
        case .used: terminal.styled(isUnicode ? "┃" : "#", .bold, .green)
        case .cut: terminal.styled(isUnicode ? "╳" : "x", .red)
        }
    }

    private func word(_ isOn: Bool) -> String { isOn ? "on" : "off" }

    /// Tenths of a second, right-aligned.
    private static func time(_ duration: Duration) -> String {
        let tenths = Int((duration / .milliseconds(100)).rounded())
        return padded("\(tenths / 10).\(tenths % 10)", 6) + " s"
    }

    static func name(_ way: LampTransport) -> String {
        switch way {
        case .network: "the local network"
        case .direct: "the lamp's access point"
        case .cloud: "the cloud"
        case .bluetooth: "Bluetooth"
        }
    }

    private static func sentence(_ way: LampTransport) -> String {
        switch way {
        case .network: "cut: the phone leaves the router's Wi-Fi"
        case .direct: "cut: the phone leaves the lamp's access point"
        case .cloud: "cut: the phone loses its mobile network"
        case .bluetooth: "cut: nothing passes on the radio"
        }
    }
}
