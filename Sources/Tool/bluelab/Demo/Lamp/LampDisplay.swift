import LampPrograms

/// Where the story of the lamp appears: as a picture, or as one JSON object per line.
enum LampDisplay {
    case picture(LampRenderer)
    case records(Terminal)

    /// - Parameter lines: The introduction of the picture.
    func begin(_ record: LampRecord, _ lines: [String]) {
        switch self {
        case .picture(let picture):
            for line in lines { picture.terminal.print(say(line)) }
            picture.printHeader()
        case .records(let terminal): terminal.print(jsonLine(record, type: "lamp"))
        }
    }

    mutating func show(_ shown: LampDisplayItem, at now: Duration) {
        switch self {
        case .picture(var picture):
            picture.show(shown, at: now)
            self = .picture(picture)
        case .records(let terminal):
            terminal.print(jsonLine(LampStepRecord(shown, at: now), type: "lamp-step"))
            terminal.flush()
        }
    }

    func conclude(_ outcome: LampOutcome) {
        switch self {
        case .picture(let picture): picture.printSummary(outcome)
        case .records(let terminal): terminal.print(jsonLine(LampSummaryRecord(outcome), type: "lamp-summary"))
        }
    }
}

/// The record of `--json` at the start.
struct LampRecord: Encodable {
    enum Form: String, Encodable {
        case namespaces, process
    }

    let form: Form
    let seed: UInt64
    let realTime: Bool
    /// Why there are no namespaces.
    var obstacle: String?
}

/// The record of `--json` for each report of a program and for each action of the demo.
struct LampStepRecord: Encodable {
    let seconds: Double
    let step: String
    var way: String?
    var ways: [String]?
    var request: Int?
    var on: Bool?
    var count: Int?
    var place: String?
    var reason: String?

    private init(_ now: Duration, _ step: String) {
        seconds = (now / .milliseconds(1)).rounded() / 1000
        self.step = step
    }

    init(_ shown: LampDisplayItem, at now: Duration) {
        switch shown {
        case .action(let action): self.init(action, now)
        case .report(.lamp(let event)): self.init(event, now)
        case .report(.phone(let event)): self.init(event, now)
        }
    }

    private init(_ action: LampAction, _ now: Duration) {
        switch action {
        case .press: self.init(now, "press")
        case .toggle: self.init(now, "toggle")
        case .cut(let way):
            self.init(now, "cut")
            self.way = way.rawValue
        case .mend(let ways):
            self.init(now, "mend")
            self.ways = ways.map(\.rawValue)
        }
    }

    private init(_ event: LampDevice.Event, _ now: Duration) {
        switch event {
        case .waiting: self.init(now, "lamp-waiting")
        case .joined: self.init(now, "lamp-joined")
        case .opened(let way, let place):
            self.init(now, "lamp-opened")
            (self.way, self.place) = (way, place)
        case .switched(let isOn, let count, let byButton):
            self.init(now, byButton ? "lamp-pressed" : "lamp-switched")
            on = isOn
            if !byButton { request = count }
        case .failed(let reason):
            self.init(now, "lamp-failed")
            self.reason = reason
        }
    }

    private init(_ event: LampPhone.Event, _ now: Duration) {
        switch event {
        case .pressTheButton: self.init(now, "phone-waiting")
        case .provisioned: self.init(now, "phone-provisioned")
        case .way(let way):
            self.init(now, "phone-way")
            self.way = way
        case .wayFailed(let way, let reason):
            self.init(now, "phone-way-failed")
            (self.way, self.reason) = (way, reason)
        case .switched(let isOn, let count, let way):
            self.init(now, "phone-switched")
            (on, request, self.way) = (isOn, count, way)
        case .pressed(let isOn):
            self.init(now, "phone-pressed")
            on = isOn
        case .missed(let count):
            self.init(now, "phone-missed")
            self.count = count
        case .failed(let reason):
            self.init(now, "phone-failed")
            self.reason = reason
        }
    }
}

/// The record of `--json` at the end.
struct LampSummaryRecord: Encodable {
    let sent: Int
    let carriedOut: Int
    let repeated: Int
    let lost: Int
    let pressed: Int
    let heard: Int
    let ways: [String]
    let problems: [String]

    init(_ outcome: LampOutcome) {
        (sent, carriedOut, repeated, lost) = (outcome.sent, outcome.carriedOut, outcome.repeated, outcome.lost)
        (pressed, heard, ways, problems) = (outcome.pressed, outcome.heard, outcome.ways, outcome.problems)
    }
}
