import Phrases
import Testing

@testable import StudioRoom

/// Undo and redo of the user's changes.
struct UndoTests {
    private static let second: Int64 = 1_000_000_000

    /// A room after a change at each second, with the state of the run before each of them.
    private func changed() throws -> RoomTimeline {
        let timeline = try Rooms.timeline(seed: 5)
        for command: RoomCommand in [
            .wall(x1: 0, y1: -1, x2: 0, y2: 1, attenuation: 9), .rename(device: "d2", "Band"),
            .power(device: "d2", isOn: false),
        ] {
            timeline.advance(to: timeline.now + Self.second)
            _ = try timeline.perform(command)
        }
        timeline.advance(to: 4 * Self.second)
        return timeline
    }

    /// Goes where an undo leads to.
    private func resume(_ timeline: RoomTimeline, _ state: RoomTimeline.Resumption) {
        timeline.advance(to: state.goal)
    }

    @Test func undoLeavesTheChangeOutAndRedoBringsItBack() throws {
        let timeline = try changed()
        let (frames, record) = (Rooms.frames(timeline), timeline.record)
        #expect(timeline.state.undo == "power" && timeline.state.redo == nil)
        resume(timeline, try timeline.undo())
        #expect(timeline.now == 4 * Self.second && timeline.state.devices[1].isOn)
        #expect(timeline.state.undo == "rename" && timeline.state.redo == "power")
        // The same room without the command.
        let other = try Rooms.timeline(seed: 5)
        other.advance(to: Self.second)
        _ = try other.perform(.wall(x1: 0, y1: -1, x2: 0, y2: 1, attenuation: 9))
        other.advance(to: 2 * Self.second)
        _ = try other.perform(.rename(device: "d2", "Band"))
        other.advance(to: 4 * Self.second)
        #expect(Rooms.frames(timeline) == Rooms.frames(other))
        resume(timeline, try timeline.undo())
        resume(timeline, try timeline.undo())
        #expect(timeline.state.walls.isEmpty && timeline.state.undo == nil)
        #expect(throws: PhrasedError.self) { try timeline.undo() }
        for _ in 0..<3 { resume(timeline, try timeline.redo()) }
        #expect(Rooms.frames(timeline) == frames && timeline.record == record)
        #expect(throws: PhrasedError.self) { try timeline.redo() }
    }

    @Test func aNewChangeEndsRedo() throws {
        let timeline = try changed()
        resume(timeline, try timeline.undo())
        _ = try timeline.perform(.loss(device: "d2", 0.5))
        #expect(timeline.state.redo == nil && timeline.state.undo == "loss")
        // A change that fails ends nothing.
        resume(timeline, try timeline.undo())
        #expect(throws: PhrasedError.self) { try timeline.perform(.act(device: "d1", action: "fly", with: .null)) }
        #expect(timeline.state.redo == "loss" && timeline.state.undo == "rename")
    }

    @Test func undoBringsBackTheCommandsThatAChangeInThePastReplaced() throws {
        let timeline = try changed()
        let record = timeline.record
        try timeline.restart()
        timeline.advance(to: Self.second / 2)
        _ = try timeline.perform(.loss(device: "d1", 0.1))
        #expect(timeline.record.entries.count == 1)
        let state = try timeline.undo()
        resume(timeline, state)
        #expect(timeline.now == Self.second / 2 && timeline.record.entries == record.entries)
        timeline.advance(to: 4 * Self.second)
        #expect(timeline.state.devices[1].name == "Band")
    }

    @Test func undoBringsBackTheCommandsThatAFailedChangeReplaced() throws {
        let timeline = try changed()
        let record = timeline.record
        try timeline.restart()
        timeline.advance(to: Self.second / 2)
        #expect(throws: PhrasedError.self) { try timeline.perform(.act(device: "d1", action: "fly", with: .null)) }
        #expect(timeline.record.entries.count == 1 && timeline.state.undo == "act")
        resume(timeline, try timeline.undo())
        #expect(timeline.record.entries == record.entries && timeline.state.undo == "power")
    }

    @Test func theMovesOfADragAreOneStep() throws {
        let timeline = try Rooms.timeline()
        timeline.advance(to: Self.second)
        let run = timeline.runCount
        for x in 1...20 {
            _ = try timeline.perform(.move(device: "d1", x: Double(x), y: 0), drag: 1)
            if x % 5 == 0 { timeline.advance(to: timeline.now + Self.second / 10) }
        }
        _ = try timeline.perform(.move(device: "d1", x: 30, y: 0), drag: 2)
        _ = try timeline.perform(.move(device: "d1", x: 40, y: 0), drag: 3)
        // Moves that time has not passed need no new run.
        resume(timeline, try timeline.undo())
        #expect(timeline.state.devices[0].x == 30 && timeline.runCount == run)
        resume(timeline, try timeline.undo())
        #expect(timeline.state.devices[0].x == 20)
        resume(timeline, try timeline.undo())
        #expect(timeline.state.devices[0].x == -1 && timeline.runCount > run && timeline.state.undo == nil)
        for x in [20.0, 30, 40] {
            resume(timeline, try timeline.redo())
            #expect(timeline.state.devices[0].x == x)
        }
    }

    @Test func theLossesOfASliderAreOneStep() throws {
        let timeline = try Rooms.timeline()
        _ = try timeline.perform(.wall(x1: 0, y1: -1, x2: 0, y2: 1, attenuation: 9))
        for loss in 10...20 { _ = try timeline.perform(.attenuation(wall: "w1", Double(loss)), drag: 4) }
        #expect(timeline.state.undo == "attenuation" && timeline.record.entries.count == 12)
        resume(timeline, try timeline.undo())
        #expect(timeline.state.walls.map(\.attenuation) == [9] && timeline.state.undo == "wall")
        resume(timeline, try timeline.redo())
        #expect(timeline.state.walls.map(\.attenuation) == [20])
    }

    @Test func anotherRoomIsUndone() throws {
        let timeline = try changed()
        let (frames, record) = (Rooms.frames(timeline), timeline.record)
        try timeline.begin(scene: "empty", seed: 1, parameters: .null)
        _ = try timeline.perform(.add(program: "beacon", x: 0, y: 0))
        #expect(timeline.state.undo == "add")
        resume(timeline, try timeline.undo())
        let back = try timeline.undo()
        #expect(back.isNewRoom && back.goal == 4 * Self.second)
        resume(timeline, back)
        #expect(Rooms.frames(timeline) == frames && timeline.record == record)
        // The steps of the room are still those of this room: time stays where it is.
        resume(timeline, try timeline.undo())
        #expect(timeline.now == 4 * Self.second && timeline.state.devices[1].isOn)
        for _ in 0..<3 { resume(timeline, try timeline.redo()) }
        #expect(timeline.state.scene == "empty" && timeline.state.devices.count == 1)
    }

    @Test func theStepsAreBounded() throws {
        let timeline = try Rooms.timeline()
        for number in 0..<RoomSteps.limit + 20 {
            _ = try timeline.perform(.loss(device: "d1", Double(number % 7) / 10))
        }
        #expect(timeline.steps.undo.count == RoomSteps.limit)
        // A long log bounds their number as well.
        var steps = RoomSteps(limit: RoomSteps.limit)
        let entry = RoomRecord.Entry(time: 0, change: .remove(device: "d1"))
        let record = RoomRecord(
            scene: "pair", world: WorldFile(), entries: Array(repeating: entry, count: CommandLog.limit))
        for number in 0..<10 { steps.add(record, 1, "\(number)") }
        #expect(steps.undo.map(\.word) == ["6", "7", "8", "9"])
        // So do other rooms, because each has a world of its own.
        for number in 0..<20 { try timeline.begin(scene: "empty", seed: UInt64(number), parameters: .null) }
        #expect(timeline.steps.undo.count == RoomSteps.roomLimit)
        // A world without undo keeps none.
        let lesson = try RoomTimeline(
            programs: Rooms.programs, scenes: RoomScene.standard, scene: "pair", seed: 1, undoLimit: 0)
        _ = try lesson.perform(.loss(device: "d1", 0.1))
        try lesson.begin(scene: "empty", seed: 1, parameters: .null)
        #expect(lesson.state.undo == nil && lesson.steps.undo.isEmpty)
    }

    @Test func theEngineUndoesAtThePresentMoment() async throws {
        let engine = try RoomEngine(
            programs: Rooms.programs, scenes: RoomScene.standard, scene: "pair", onChange: { _ in })
        try await engine.seek(to: Self.second)
        _ = try await engine.perform { try $0.perform(.power(device: "d2", isOn: false)) }
        try await engine.seek(to: 3 * Self.second)
        for (isUndo, isOn) in [(true, true), (false, false), (true, true)] {
            let end = try await engine.perform(waits: true) {
                (driver, finish: @escaping RoomEngine.Finish<String>) in
                try isUndo ? driver.undo(finish) : driver.redo(finish)
            }
            #expect(end == "power")
            let (now, device) = try await engine.perform { ($0.timeline.now, $0.timeline.state.devices[1]) }
            #expect(now == 3 * Self.second && device.isOn == isOn)
        }
        engine.end()
    }
}
