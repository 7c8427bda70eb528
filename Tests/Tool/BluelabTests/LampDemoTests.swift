import BLEAdapter
import Foundation
import LampPrograms
import Testing

@testable import bluelab

/// `bluelab demo lamp`: its story as a value, and the two programs in one process.
@Suite(.timeLimit(.minutes(10)))
struct LampDemoTests {
    /// What the demo shows of a run, and how it ends.
    private struct Run: Equatable {
        var outcome = LampOutcome()
        var lines: [String] = []
        var order: [String] = []
    }

    private func run(seed: UInt64) -> Run {
        let terminal = Terminal(allowsColor: false, environment: ["LC_ALL": "C.UTF-8"], isTerminal: false)
        let lines = Lock<[String]>([])
        var picture = LampRenderer(terminal: terminal) { line in lines.withLock { $0.append(line) } }
        var story = LampScenario(limit: .seconds(300), settling: .seconds(5))
        var result = Run()
        LampSimulation(seed: seed, pace: .unlimited).run(&story, isInterrupted: { false }) { shown, now in
            picture.show(shown, at: now)
            if case .report(.phone(.way(let name))) = shown { result.order.append(name ?? "none") }
        }
        result.outcome = story.outcome
        result.lines = lines.withLock { $0 }
        return result
    }

    @Test(arguments: [1, 2, 3]) func eachRequestIsCarriedOutOnceOverEachWay(seed: UInt64) {
        let run = run(seed: seed)
        #expect(run.outcome.problems == [], "\(run.lines.joined(separator: "\n"))")
        #expect(run.outcome.sent == 11 && run.outcome.carriedOut == 11 && run.outcome.replied == 11)
        #expect(run.outcome.repeated == 0 && run.outcome.lost == 0 && run.outcome.disordered == 0)
        #expect(run.outcome.pressed == 10 && run.outcome.heard == 10)
        #expect(run.order.filter { $0 != "none" }.prefix(4) == ["network", "direct", "cloud", "bluetooth"])
        #expect(run.order.last == "network")
    }

    @Test func equalSeedsTellEqualStories() {
        let first = run(seed: 5)
        #expect(run(seed: 5) == first)
    }

    @Test func theLanesShowTheCutsAndTheWayInUse() {
        let lines = run(seed: 1).lines
        func lanes(_ text: String) -> String? {
            lines.last { $0.contains(text) }.map { line in String(line.filter { "·│┃╳".contains($0) }) }
        }
        #expect(lanes("waits for a phone") == "···│")
        #expect(lanes("wants its button pressed") == "···┃")
        #expect(lanes("password of the network") == "││││")
        #expect(lanes("leaves the router") == "╳│││")
        #expect(lanes("leaves the lamp's access point") == "╳╳││")
        #expect(lanes("loses its mobile network") == "╳╳╳│")
        #expect(lanes("phone: no way works") == "╳╳╳╳")
        #expect(lanes("phone: over the local network") == "┃│││")
    }

    @Test func aTerminalWithoutUnicodeGetsASCII() {
        var lines: [String] = []
        let terminal = Terminal(environment: ["LC_ALL": "C"], isTerminal: false)
        var picture = LampRenderer(terminal: terminal) { lines.append($0) }
        picture.printHeader()
        picture.show(.cut(.direct), at: .milliseconds(1_949))
        picture.show(.lamp(.switched(isOn: true, count: 1, byButton: false)), at: .seconds(61))
        #expect(lines.joined().utf8.allSatisfy { $0 < 0x80 })
        #expect(lines.last == "  61.0 s      .        x      .        |       *    lamp: on, by request 1")
    }

    // MARK: The story alone

    /// Answers like a phone and a lamp without faults, with the changes of a test.
    private func tell(
        _ change: (inout LampReport) -> Bool = { _ in true }, until end: (LampScenario) -> Bool = { $0.isOver }
    ) -> LampScenario {
        var story = LampScenario(limit: .seconds(60), settling: .seconds(3))
        var (now, count, isOn) = (Duration.zero, 0, false)
        var up = Set(LampTransport.allCases)
        var way: LampTransport?
        func report(_ report: LampReport) {
            var report = report
            if change(&report) { story.handle(report, at: now) }
        }
        report(.phone(.pressTheButton))
        #expect(story.takeActions() == [.press])
        report(.phone(.provisioned))
        while !end(story), now < .seconds(600) {
            let best = LampTransport.allCases.first(where: up.contains)
            if best != way {
                way = best
                report(.phone(.way(best?.rawValue)))
            }
            for action in story.takeActions() {
                switch action {
                case .cut(let way): up.remove(way)
                case .mend(let ways): up.formUnion(ways)
                case .toggle:
                    (count, isOn) = (count + 1, !isOn)
                    let best = LampTransport.allCases.first(where: up.contains) ?? .network
                    report(.lamp(.switched(isOn: isOn, count: count, byButton: false)))
                    report(.phone(.switched(isOn: isOn, count: count, over: best.rawValue)))
                case .press: report(.phone(.pressed(isOn: isOn)))
                }
            }
            now += .seconds(1)
            story.handleTimeout(at: now)
        }
        return story
    }

    @Test func aStoryWithoutFaultsHasNoProblem() {
        let story = tell()
        #expect(story.isOver && story.outcome.problems == [])
        #expect(Set(story.outcome.ways) == Set(LampTransport.allCases.map(\.rawValue)))
    }

    @Test func eachBrokenPromiseIsReported() {
        // A reply that belongs to another request.
        var number = 0
        let disordered = tell { report in
            guard case .phone(.switched(let isOn, let count, let way)) = report else { return true }
            number += 1
            if number == 3 { report = .phone(.switched(isOn: isOn, count: count + 1, over: way)) }
            return true
        }
        #expect(disordered.outcome.problems == ["Replies with the count of another request: 1."])
        // A request without a reply.
        number = 0
        let lost = tell { report in
            guard case .phone(.switched) = report else { return true }
            number += 1
            if number == 4 { report = .phone(.failed("no reply")) }
            return true
        }
        #expect(lost.outcome.lost == 1 && lost.outcome.problems.contains("Requests without a reply: 1."))
        // A copy that is carried out at the end.
        var repeated = tell { _ in
            true
        } until: {
            $0.deadline < .seconds(60) && $0.outcome.sent == 11
        }
        if !repeated.isOver {
            repeated.handle(.lamp(.switched(isOn: true, count: 12, byButton: false)), at: .seconds(30))
            repeated.handleTimeout(at: .seconds(600))
        }
        #expect(
            repeated.outcome.repeated == 1 && repeated.outcome.problems == ["The lamp carried out 12 of 11 requests."])
        // A press that the phone does not hear.
        let unheard = tell { if case .phone(.pressed) = $0 { false } else { true } }
        #expect(unheard.outcome.problems.contains { $0.hasPrefix("The phone heard 0 of ") })
        #expect(unheard.outcome.problems.contains { $0.contains("No reply came over: direct, cloud, bluetooth.") })
        // A way that never works.
        let silent = tell { if case .phone(.way("cloud")) = $0 { false } else { true } }
        #expect(silent.outcome.problem?.contains("over cloud") == true)
    }

    @Test func aSetupThatFailsEndsTheStory() {
        var story = LampScenario(limit: .seconds(60), settling: .seconds(1))
        story.handleTimeout(at: .seconds(59))
        #expect(!story.isOver)
        story.handleTimeout(at: .seconds(60))
        #expect(story.isOver && story.outcome.problem == "The phone has not set the lamp up in time.")
        story = LampScenario(limit: .seconds(60), settling: .seconds(1))
        story.handle(.phone(.failed("wrong password")), at: .zero)
        #expect(story.isOver && story.outcome.problem == "wrong password")
    }

    @Test func reportsSurviveThePipe() throws {
        let reports: [LampReport] = [
            .lamp(.waiting), .lamp(.opened("network", "tcp:0.0.0.0:1")), .lamp(.failed("a\nb")),
            .lamp(.switched(isOn: true, count: 3, byButton: false)), .phone(.way(nil)), .phone(.way("direct")),
            .phone(.switched(isOn: false, count: 4, over: "cloud")), .phone(.wayFailed("cloud", "灯")),
        ]
        for report in reports {
            let line = try JSONEncoder().encode(LampProcessMessage.report(report))
            #expect(!line.contains(0x0A))
            guard case .report(let decoded) = try JSONDecoder().decode(LampProcessMessage.self, from: line) else {
                Issue.record("no report")
                continue
            }
            #expect(decoded == report)
        }
    }

    @Test func onlyTheDemoMakesAProcessOneOfItsEnds() {
        #expect(LampEndpointRun([:]) == nil)
        #expect(LampEndpointRun(["BLUELAB_LAMP_PLACE": "lamp"]) == nil)
        let key = "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="
        let whole = ["BLUELAB_LAMP_PLACE": "phone", "BLUETOOTH_LINK_KEY": key, "BLUETOOTH_WIFI_PASSWORD": "x"]
        #expect(LampEndpointRun(whole) != nil)
        #expect(LampEndpointRun(whole.merging(["BLUELAB_LAMP_PLACE": "kitchen"]) { $1 }) == nil)
    }

    @Test func theOptionsExcludeEachOther() throws {
        #expect(throws: (any Error).self) { try LampDemoCommand.parse(["--one-process", "--namespaces"]) }
        #expect(throws: (any Error).self) { try LampDemoCommand.parse(["--seed", "x"]) }
        #expect(throws: (any Error).self) { try LampDemoCommand.parse(["kitchen"]) }
        #expect(try LampDemoCommand.parse(["--seed", "7", "--one-process"]).seed == 7)
        #expect(try Bluelab.parseAsRoot(["demo", "lamp"]) is LampDemoCommand)
        #expect(try Bluelab.parseAsRoot(["demo"]) is WristbandDemoCommand)
    }
}
