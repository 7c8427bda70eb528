import CoreBluetooth
import Phrases
import Testing

@testable import StudioRoom
@testable import WorldFiles

/// Notes the times of its ticks. A callback sets the first one.
private final class TickingProgram: NSObject, WorldProgram, CBCentralManagerDelegate {
    private let context: WorldProgramContext
    private var manager: CBCentralManager?
    private(set) var nextDeadline: Duration?
    private var ticks: [Int64] = []

    init(_ context: WorldProgramContext) { self.context = context }

    func start() { manager = CBCentralManager(delegate: self, queue: context.queue) }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        dispatchPrecondition(condition: .onQueue(context.queue))
        nextDeadline = context.now() + .microseconds(1234)
    }

    func tick() {
        dispatchPrecondition(condition: .onQueue(context.queue))
        ticks.append(context.now().wholeNanoseconds)
        context.report(ProgramEvent(.note, Phrase(data: "\(context.now().wholeNanoseconds)")))
        // After the tenth tick it asks for the past.
        nextDeadline = ticks.count < 10 ? context.now() + .microseconds(1234) : .zero
        context.changed()
    }

    var snapshot: (any Encodable & Sendable)? { ticks }

    func perform(_ action: String, with arguments: RoomValue) throws -> RoomValue {
        guard action == "count" else { throw PhrasedError.unknownAction(action) }
        return ["count": .integer(ticks.count), "with": arguments]
    }
}

struct ProgramTests {
    private func timeline() throws -> RoomTimeline {
        let kind = WorldProgramKind("ticking", kind: .other, defaultName: "Ticking") { TickingProgram($0) }
        let broken = WorldProgramKind("broken", kind: .other, defaultName: "Broken") { context -> PhoneProgram in
            throw PhrasedError("broken", Phrase(data: "The profile of \(context.name) cannot be read."))
        }
        let scene = RoomScene("ticking") { _ in WorldFile(devices: [WorldFile.Device(running: "ticking", x: 0, y: 0)]) }
        return try RoomTimeline(
            programs: [kind, broken, .phone], scenes: [scene], scene: "ticking", seed: 1)
    }

    @Test func programsTickExactlyAtTheirDeadlines() throws {
        let timeline = try timeline()
        timeline.advance(to: 2_000_000_000)
        let times = timeline.happened(from: 0).events.map(\.time)
        #expect(times.count > 1000)
        let gaps = zip(times.dropFirst(), times).map { $0 - $1 }
        #expect(gaps.prefix(9).allSatisfy { $0 == 1_234_000 })
        // A deadline in the past does not stop time.
        #expect(gaps.dropFirst(9).allSatisfy { $0 == 1_000_000 })
    }

    @Test func anActionAnswers() throws {
        let timeline = try timeline()
        timeline.advance(to: 1_000_000_000)
        let answer = try timeline.perform(.act(device: "d1", action: "count", with: ["a": [1, 2.5, "x", true, .null]]))
        #expect(answer["count"]?.integer ?? 0 > 10)
        #expect(answer["with"] == ["a": [1, 2.5, "x", true, .null]])
        #expect(throws: PhrasedError.unknownAction("other")) {
            try timeline.perform(.act(device: "d1", action: "other", with: .null))
        }
        #expect(try timeline.snapshot(of: "d1") is [Int64])
    }

    @Test func aProgramThatCannotStartLeavesTheRoomAsItIs() throws {
        let timeline = try timeline()
        #expect(throws: PhrasedError("broken", Phrase(data: "The profile of Broken cannot be read."))) {
            try timeline.perform(.add(program: "broken", x: 0, y: 0))
        }
        #expect(timeline.state.devices.count == 1)
        let added = try timeline.perform(.add(program: "phone", x: 0, y: 0))
        #expect(added == ["id": "d2"])
        #expect(throws: PhrasedError.self) { try timeline.perform(.add(program: "none", x: 0, y: 0)) }
        timeline.advance(to: 10_000_000)
        let state = timeline.state
        try timeline.restart()
        timeline.advance(to: 10_000_000)
        #expect(timeline.state == state)
    }
}
