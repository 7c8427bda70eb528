import BLEAdapter
import Dispatch
import Foundation
import Phrases
import TestConditions

@testable import StudioRoom
@testable import StudioServer
import Testing

@testable import Studio

/// The lesson on a room: steps, packets and actions.
@Suite struct LessonPartTests {
    private let hub = StudioHub()
    private let engine: RoomEngine
    private let lesson: LessonPart

    init() throws {
        engine = try RoomEngine(
            programs: WorldProgramKind.standard + Lesson.programs,
            scenes: RoomScene.standard + Lesson.scenes.map(\.roomScene),
            // Time runs only where a command takes it: the real clock stands still.
            scene: "pair", clock: { 0 }, onChange: { _ in })
        lesson = LessonPart(engine: engine, hub: hub)
    }

    private func run(_ command: String, _ arguments: String = "{}") async throws -> String {
        let body = try #require(hub.command(command))
        return try await body(Data(#"{"id":1,"do":"\#(command)","with":\#(arguments)}"#.utf8)).text
    }

    private struct Topic: Decodable {
        struct Step: Decodable {
            var step: Int
            var time: Int64
        }
        var lesson: String?
        var step: Int
        var isShowing: Bool
        var reached: [Step]
    }

    private func topic() async throws -> Topic {
        hub.touch("lesson")
        let text = try #require(await hub.text(of: "lesson")).text.text
        return try JSONDecoder().decode(Topic.self, from: Data(text.utf8))
    }

    private struct Air: Decodable {
        struct Packet: Decodable {
            struct Field: Decodable {
                var path: String
                var from: Int
                var to: Int
            }
            var name: String
            var octets: String
            var fields: [Field]
        }
        var packets: [Packet]
    }

    private func air(_ step: Int) async throws -> Air {
        try JSONDecoder().decode(Air.self, from: Data(try await run("lesson.packets", #"{"step":\#(step)}"#).utf8))
    }

    @Test(arguments: [LessonTour.central, .peripheral]) func eachStepComesWithItsPackets(tour: LessonTour) async throws
    {
        _ = try await run("lesson.open", #"{"lesson":"\#(tour.scene)"}"#)
        let name = tour.scene == "tour-central" ? "central" : "peripheral"
        var last: Int64 = 0
        var targets = 0
        for step in tour.steps {
            _ = try await run("lesson.next", #"{"slowly":false}"#)
            let state = try await topic()
            #expect(state.step == step.number && state.lesson == tour.scene)
            let now = try await engine.perform { $0.timeline.now }
            #expect(now >= last)
            last = now
            let packets = try await air(step.number).packets
            let names = packets.map(\.name)
            for name in step.packets { #expect(names.contains(name), "step \(step.number): \(names)") }
            for (mark, parts) in try LessonTexts.texts(name)["\(step.number)"]?.marks ?? [:] {
                // The packet of a mark and its field exist.
                try #require(parts.count == 2)
                guard let target = parts[1] else { continue }
                targets += 1
                let packet = String(target.prefix { $0 != "/" })
                let pattern = target.dropFirst(packet.count + 1)
                let found = packets.filter { $0.name == packet }
                #expect(!found.isEmpty, "step \(step.number), mark \(mark): \(names)")
                guard !pattern.isEmpty else { continue }
                let regex = try NSRegularExpression(pattern: String(pattern), options: .caseInsensitive)
                let paths = found.flatMap(\.fields).map(\.path)
                #expect(
                    paths.contains { regex.firstMatch(in: $0, range: NSRange($0.startIndex..., in: $0)) != nil },
                    "step \(step.number), mark \(mark): \(paths)")
            }
            if step.packets.isEmpty { #expect(names.isEmpty, "step \(step.number): \(names)") }
        }
        #expect(targets > 5, "\(targets)")
        _ = try await run("lesson.next", #"{"slowly":false}"#)
        #expect(try await topic().step == tour.steps.count)
    }

    @Test func aSlowStepStopsExactlyAtItsEndAndASecondCommandEndsTheWait() async throws {
        _ = try await run("lesson.open", #"{"lesson":"tour-central"}"#)
        _ = try await run("lesson.go", #"{"step":4}"#)
        let start = try await engine.perform { $0.timeline.now }
        _ = try await run("lesson.next")
        #expect(try await topic().isShowing)
        #expect(try await topic().step == 5)
        _ = try await run("lesson.next")
        let state = try await topic()
        #expect(!state.isShowing && state.step == 5)
        let now = try await engine.perform { $0.timeline.now }
        #expect(now > start && state.reached.contains { $0.step == 6 && $0.time == now })
    }

    @Test func theSpeedComesBackAfterASlowStep() async throws {
        func speed() async throws -> Double {
            _ = try await topic()
            return try await engine.perform { $0.time.speed }
        }
        try await engine.perform { $0.setSpeed(10) }
        _ = try await run("lesson.open", #"{"lesson":"tour-central"}"#)
        _ = try await run("lesson.go", #"{"step":4}"#)
        _ = try await run("lesson.next")
        #expect(try await speed() < 0.1)
        // The second command ends the wait.
        _ = try await run("lesson.next")
        #expect(try await speed() == 10)
        // Another room ends the tour in the middle of a step, and no page looks at it before the next step.
        _ = try await run("lesson.next")
        _ = try await run("lesson.next")
        _ = try await run("lesson.next")
        try await engine.perform(waits: true) { try $0.begin(scene: "empty", seed: 1, parameters: .null) }
        #expect(try await speed() == 10)
    }

    @Test func aPageThatReadsTheTopicOnTheWayToASlowStepKeepsTheSpeed() async throws {
        try await engine.perform { $0.setSpeed(10) }
        for _ in 0..<10 {
            _ = try await run("lesson.open", #"{"lesson":"tour-central"}"#)
            _ = try await run("lesson.go", #"{"step":4}"#)
            let page = Task { while !Task.isCancelled { _ = try await topic() } }
            defer { page.cancel() }
            _ = try await run("lesson.next")
            #expect(try await topic().isShowing)
            // The second command ends the wait.
            _ = try await run("lesson.next")
            #expect(try await !topic().isShowing)
            #expect(try await engine.perform { $0.time.speed } == 10)
        }
    }

    @Test func aSpeedThatTheReaderSelectsDuringASlowStepStays() async throws {
        func speed() async throws -> Double {
            _ = try await topic()
            return try await engine.perform { $0.time.speed }
        }
        try await engine.perform { $0.setSpeed(10) }
        _ = try await run("lesson.open", #"{"lesson":"tour-central"}"#)
        _ = try await run("lesson.go", #"{"step":4}"#)
        _ = try await run("lesson.next")
        #expect(try await speed() < 0.1)
        try await engine.perform { $0.setSpeed(0.01) }
        #expect(try await speed() == 0.01)
        // The second command ends the step.
        _ = try await run("lesson.next")
        #expect(try await speed() == 0.01)
        // The next slow step returns to the selected speed.
        _ = try await run("lesson.go", #"{"step":4}"#)
        _ = try await run("lesson.next")
        #expect(try await topic().isShowing)
        _ = try await run("lesson.next")
        #expect(try await speed() == 0.01)
    }

    @Test func backAndForthGivesTheSamePackets() async throws {
        _ = try await run("lesson.open", #"{"lesson":"tour-central"}"#)
        _ = try await run("lesson.go", #"{"step":14}"#)
        let before = try await run("lesson.packets", #"{"step":13}"#)
        _ = try await run("lesson.go", #"{"step":3}"#)
        #expect(try await topic().step == 3)
        #expect(try await topic().reached.map(\.step).max() == 5)
        _ = try await run("lesson.go", #"{"step":14}"#)
        #expect(try await run("lesson.packets", #"{"step":13}"#) == before)
    }

    /// Holds the room's thread until `gate` is signalled, so that the calls after it are in one turn.
    private func hold(_ gate: DispatchSemaphore) async throws -> Task<Void, any Error> {
        let (engine, hasBegun) = (engine, StopFlag())
        let blocking = Task {
            try await engine.perform { (_: RoomDriver) in
                hasBegun.set()
                gate.wait()
            }
        }
        try #require(await eventually { hasBegun.isSet })
        return blocking
    }

    @Test(.timeLimit(.minutes(10))) func aStepThatTakesLongLetsOthersAskAndCanBeStopped() async throws {
        _ = try await run("lesson.open", #"{"lesson":"tour-central"}"#)
        _ = try await run("lesson.go", #"{"step":4}"#)
        // The phone connects to a device that is gone.
        _ = try await engine.perform(waits: true) { try $0.perform(.move(device: "d2", x: 9000, y: 0)) }
        let start = try await engine.perform { $0.timeline.now }
        let gate = DispatchSemaphore(value: 0)
        let blocking = try await hold(gate)
        let next = Task { try await run("lesson.next") }
        try #require(await eventually { engine.waitingCallCount >= 1 })
        let asking = Task { try await engine.perform { ($0.time.isSeeking, $0.time.progress) } }
        try #require(await eventually { engine.waitingCallCount >= 2 })
        let stopping = Task { try await engine.perform { $0.pause() } }
        try #require(await eventually { engine.waitingCallCount >= 3 })
        gate.signal()
        try await blocking.value
        let (isSeeking, progress) = try await asking.value
        #expect(isSeeking && progress == nil)
        try await stopping.value
        // The reader stopped it: that is no failure, and the step stays.
        _ = try await next.value
        #expect(try await topic().step == 4)
        #expect(try await engine.perform { $0.timeline.now } < start + 60_000_000_000)
        // A step that does not come within a minute fails.
        let failure = await #expect(throws: PhrasedError.self) { try await run("lesson.next") }
        #expect(failure?.code == "no-step")
    }

    @Test func anotherSceneOfTheRoomEndsTheLesson() async throws {
        _ = try await run("lesson.open", #"{"lesson":"q1"}"#)
        #expect(try await topic().lesson == "q1")
        try await engine.perform(waits: true) { try $0.begin(scene: "empty", seed: 1, parameters: .null) }
        #expect(try await topic().lesson == nil)
        await #expect(throws: PhrasedError.self) { try await run("lesson.next") }
    }

    @Test func anActionChangesTheRoomAndLetsTimePass() async throws {
        _ = try await run("lesson.open", #"{"lesson":"q4"}"#)
        _ = try await run("lesson.act", #"{"action":"hour"}"#)
        #expect(try await engine.perform { $0.timeline.now } == 3_600_000_000_000)
        _ = try await run("lesson.act", #"{"action":"on"}"#)
        #expect(try await engine.perform { $0.timeline.state.devices.allSatisfy(\.isOn) })
        await #expect(throws: PhrasedError.self) { try await run("lesson.act", #"{"action":"fly"}"#) }
    }

    @Test func badArgumentsAreRefusedWithAReason() async throws {
        for (command, arguments) in [
            ("lesson.open", #"{"lesson":"q99"}"#), ("lesson.packets", #"{"step":1}"#),
            ("lesson.open", #"{"lesson":"try-filter","parameters":{"filter":"heart"}}"#),
            ("lesson.open", #"{"lesson":"try-mtu","parameters":{"mtu":5}}"#), ("lesson.project", #"{"name":"None"}"#),
            ("lesson.open", #"{"lesson":"q1","parameters":{"x":"\#(String(repeating: "x", count: 100_000))"}}"#),
        ] {
            let failure = await #expect(throws: PhrasedError.self) { try await run(command, arguments) }
            #expect(failure?.text.description.isEmpty == false)
        }
        _ = try await run("lesson.open", #"{"lesson":"tour-central"}"#)
        await #expect(throws: PhrasedError.self) { try await run("lesson.go", #"{"step":24}"#) }
    }

    /// Two pages: one opens another scene while a command of the other page waits.
    @Test(.timeLimit(.minutes(10))) func anActionOfAnotherSceneIsRefused() async throws {
        _ = try await run("lesson.open", #"{"lesson":"q4"}"#)
        let seeking = Task { try await engine.seek(to: RoomTimeline.longest) }
        try #require(await eventually { try await engine.perform { $0.isSeeking } })
        let opening = Task { try await run("lesson.open", #"{"lesson":"q3"}"#) }
        try #require(await eventually { engine.waitingCallCount >= 1 })
        let acting = Task { try await run("lesson.act", #"{"action":"on"}"#) }
        try #require(await eventually { engine.waitingCallCount >= 2 })
        try await engine.perform { $0.pause() }
        _ = try await (seeking.value, opening.value)
        let failure = await #expect(throws: PhrasedError.self) { try await acting.value }
        #expect(failure?.code == "no-tour")
        #expect(try await engine.perform { $0.timeline.scene } == "q3")
    }
}
