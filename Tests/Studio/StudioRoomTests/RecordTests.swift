import Foundation
import Phrases
import Testing

@testable import StudioRoom

/// What begins a room again: after a scene, and after a restart of the studio.
struct RecordTests {
    private let second: Int64 = 1_000_000_000

    private func timeline() throws -> RoomTimeline {
        let timeline = try Rooms.timeline(seed: 7)
        timeline.advance(to: second)
        _ = try timeline.perform(.wall(x1: 0, y1: -1, x2: 0, y2: 1, attenuation: 9))
        _ = try timeline.perform(.rename(device: "d2", "Band"))
        timeline.advance(to: 2 * second)
        // Waits until time advances.
        _ = try timeline.perform(.move(device: "d2", x: 3, y: 0))
        return timeline
    }

    @Test func aRecordBeginsTheSameRoom() throws {
        let first = try timeline()
        let record = first.record
        #expect(record.entries.count == 3)
        let other = try Rooms.timeline("empty")
        try other.begin(record)
        other.advance(to: record.now)
        let goal = 4 * second
        first.advance(to: goal)
        other.advance(to: goal)
        #expect(Rooms.frames(other) == Rooms.frames(first))
        #expect(other.state.devices == first.state.devices && other.seed == 7)
    }

    @Test func theRoomBeforeASceneStays() throws {
        let timeline = try timeline()
        let record = timeline.record
        #expect(timeline.former == nil)
        try timeline.begin(scene: "empty", seed: 1, parameters: .null)
        #expect(timeline.former == record && timeline.state.former == "pair")
        // A room in which nothing has happened does not take its place.
        try timeline.begin(scene: "crowd", seed: 1, parameters: ["count": 3])
        #expect(timeline.former == record)
    }

    @Test func aRecordThatCannotBeginLeavesTheRoom() throws {
        let timeline = try timeline()
        let record = timeline.record
        var unknown = record
        unknown.world.devices[0].body = .program("nothing")
        var many = record
        many.world.devices = (0...RoomRun.deviceLimit).map { WorldFile.Device("d\($0)") }
        var disorder = record
        disorder.entries.reverse()
        disorder.entries.append(RoomRecord.Entry(time: -1, change: .removeWall("w1")))
        var late = record
        late.entries = [RoomRecord.Entry(time: .max, change: .removeWall("w1"))]
        var long = record
        long.entries = Array(repeating: record.entries[0], count: CommandLog.limit + 1)
        for damaged in [unknown, many, disorder, late, long] {
            #expect(throws: PhrasedError.self) { try timeline.begin(damaged) }
            #expect(timeline.record == record)
        }
    }

    @Test(.timeLimit(.minutes(10))) func theDriverBringsBackTheFormerRoomAtItsMoment() async throws {
        let engine = try RoomEngine(
            programs: Rooms.programs, scenes: RoomScene.standard, scene: "pair", onChange: { _ in })
        _ = try await engine.seek(to: 2_000_000_000)
        let before = try await engine.perform { ($0.timeline.packetCount, $0.timeline.record) }
        try await engine.perform { try $0.begin(scene: "empty", seed: 3, parameters: .null) }
        let end = try await engine.perform { (driver, finish: @escaping RoomEngine.Finish<RoomDriver.SeekEnd>) in
            try driver.bringBack(finish)
        }
        #expect(end == .reached)
        let after = try await engine.perform { ($0.timeline.packetCount, $0.timeline.record) }
        #expect(after.0 == before.0 && after.1 == before.1)
        engine.end()
    }

    @Test(.timeLimit(.minutes(10))) func theNextCallbackIsWhereTimeStops() async throws {
        let engine = try RoomEngine(
            programs: Rooms.programs, scenes: RoomScene.standard, scene: "pair", onChange: { _ in })
        var last: Int64 = 0
        for _ in 0..<4 {
            let found = try await engine.perform { (driver, finish: @escaping RoomEngine.Finish<Bool>) in
                driver.stepToCallback(finish)
            }
            #expect(found)
            let (now, events) = try await engine.perform {
                ($0.timeline.now, Array($0.timeline.happened(from: 0).events))
            }
            let callbacks = events.filter { $0.kind == .callback }
            #expect(now > last && callbacks.last?.time == now)
            #expect(!callbacks.contains { $0.time > last && $0.time < now })
            last = now
        }
        try await engine.perform { try $0.begin(scene: "empty", seed: 1, parameters: .null) }
        let found = try await engine.perform { (driver, finish: @escaping RoomEngine.Finish<Bool>) in
            driver.stepToCallback(finish)
        }
        #expect(!found)
        #expect(try await engine.perform { $0.timeline.now } == 10_000_000_000)
        engine.end()
    }
}
