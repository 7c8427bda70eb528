import LampPrograms

/// The ways of the demo, the best first. The raw value is the name of the way in `DeviceConnection`.
enum LampTransport: String, CaseIterable, Codable, Sendable {
    case network, direct, cloud, bluetooth
}

/// What one of the two programs reports.
enum LampReport: Equatable, Codable, Sendable {
    case lamp(LampDevice.Event)
    case phone(LampPhone.Event)
}

/// What the demo does to the programs and to the ways between them.
enum LampAction: Equatable, Sendable {
    /// Presses the button of the lamp.
    case press
    /// Lets the phone send a request.
    case toggle
    case cut(LampTransport)
    case mend([LampTransport])
}

/// The story of the demo, without programs, ways and clock: reports go in, actions come out.
///
/// A chapter cuts a way, and sends a request and presses the button at that moment. When the expected way carries both, it does that once more.
struct LampScenario: Sendable {
    private enum Phase: Equatable {
        case setup
        /// The request of the moment of the cut is under way.
        case moving
        /// A request that the expected way has to carry is under way.
        case using
        /// All requests are answered. A late copy of one would still be carried out.
        case settling
        case over
    }

    private struct Chapter {
        var cut: LampTransport?
        var mended: [LampTransport] = []
        /// Nil: no way works.
        let way: LampTransport?
    }

    private static let chapters = [
        Chapter(way: .network),
        Chapter(cut: .network, way: .direct),
        Chapter(cut: .direct, way: .cloud),
        Chapter(cut: .cloud, way: .bluetooth),
        Chapter(cut: .bluetooth, way: nil),
        Chapter(mended: LampTransport.allCases, way: .network),
    ]
    /// The further requests of a chapter whose reply came over another way.
    private static let mostTries = 5

    /// The time limit of a chapter.
    private let limit: Duration
    private let settling: Duration
    private var phase = Phase.setup
    private var number = 0
    private var tries = 0
    private var way: String?
    private var latestReplyWay: String?
    private var actions: [LampAction] = []
    private(set) var outcome = LampOutcome()
    /// When `handleTimeout` has to be called.
    private(set) var deadline: Duration

    init(limit: Duration, settling: Duration) {
        self.limit = limit
        self.settling = settling
        deadline = limit
    }

    var isOver: Bool { phase == .over }

    mutating func takeActions() -> [LampAction] {
        defer { actions = [] }
        return actions
    }

    mutating func handle(_ report: LampReport, at now: Duration) {
        guard !isOver else { return }
        switch report {
        case .lamp(.switched(_, let count, false)): outcome.carriedOut = count
        case .lamp: break
        case .phone(.pressTheButton): actions.append(.press)
        case .phone(.provisioned): if phase == .setup { begin(0, at: now) }
        case .phone(.way(let name)): way = name
        case .phone(.wayFailed): break
        case .phone(.switched(_, let count, let name)):
            outcome.replied += 1
            if count != outcome.replied { outcome.disordered += 1 }
            latestReplyWay = name
            outcome.ways.append(name)
        case .phone(.pressed): outcome.heard += 1
        case .phone(.missed): break
        case .phone(.failed(let reason)):
            if phase == .setup { return end(reason) }
            outcome.lost += 1
        }
        advance(at: now)
    }

    mutating func handleTimeout(at now: Duration) {
        guard now >= deadline, !isOver else { return }
        switch phase {
        case .setup: end("The phone has not set the lamp up in time.")
        case .settling: phase = .over
        default:
            let goal = Self.chapters[number].way.map { "reached the lamp over \($0.rawValue)" } ?? "lost the lamp"
            end("The phone has not \(goal) in time, or a reply or an event is missing.")
        }
    }

    private mutating func end(_ problem: String) {
        outcome.problem = problem
        phase = .over
    }

    private var isAnswered: Bool { outcome.replied + outcome.lost == outcome.sent && outcome.heard == outcome.pressed }

    private mutating func advance(at now: Duration) {
        let expected = Self.chapters[number].way
        switch phase {
        case .moving:
            guard let expected else {
                if way == nil { begin(number + 1, at: now) }
                return
            }
            guard way == expected.rawValue, isAnswered else { return }
            phase = .using
            ask()
        case .using:
            guard isAnswered else { return }
            if latestReplyWay == expected?.rawValue, way == latestReplyWay {
                begin(number + 1, at: now)
            } else if way == expected?.rawValue, tries < Self.mostTries {
                tries += 1
                ask()
            }
        case .setup, .settling, .over: break
        }
    }

    private mutating func begin(_ chapter: Int, at now: Duration) {
        guard chapter < Self.chapters.count else {
            phase = .settling
            deadline = now + settling
            return
        }
        number = chapter
        tries = 0
        phase = .moving
        deadline = now + limit
        if let way = Self.chapters[chapter].cut { actions.append(.cut(way)) }
        let mended = Self.chapters[chapter].mended
        if !mended.isEmpty { actions.append(.mend(mended)) }
        // A lamp has no session yet that would keep an event for the phone.
        ask(presses: chapter > 0)
    }

    private mutating func ask(presses: Bool = true) {
        actions.append(.toggle)
        outcome.sent += 1
        guard presses else { return }
        actions.append(.press)
        outcome.pressed += 1
    }
}

/// The counts of a story, and whether its promises hold.
struct LampOutcome: Equatable, Sendable {
    /// The requests of the phone.
    var sent = 0
    /// The requests that the lamp has carried out, as the lamp counts them.
    var carriedOut = 0
    var replied = 0
    var lost = 0
    /// Replies whose count is not that of their request.
    var disordered = 0
    var pressed = 0
    var heard = 0
    /// The way of each reply.
    var ways: [String] = []
    /// Why the story ended early.
    var problem: String?

    /// The requests that the lamp carried out more than once.
    var repeated: Int { max(0, carriedOut - sent) }

    /// A sentence for each promise that does not hold.
    var problems: [String] {
        var result = problem.map { [$0] } ?? []
        if carriedOut != sent { result.append("The lamp carried out \(carriedOut) of \(sent) requests.") }
        if lost > 0 { result.append("Requests without a reply: \(lost).") }
        if disordered > 0 { result.append("Replies with the count of another request: \(disordered).") }
        if heard != pressed { result.append("The phone heard \(heard) of \(pressed) presses of the button.") }
        let unused = LampTransport.allCases.filter { !ways.contains($0.rawValue) }
        if !unused.isEmpty {
            result.append("No reply came over: \(unused.map(\.rawValue).joined(separator: ", ")).")
        }
        if ways.last != LampTransport.network.rawValue { result.append("The phone did not return to the best way.") }
        return result
    }
}
