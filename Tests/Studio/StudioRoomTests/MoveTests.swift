import Phrases
import BLEPacketDecoding
import BLESimulator
import Testing

@testable import StudioRoom

/// Moves: a drag leaves a short log, and the log repeats the run.
struct MoveTests {
    private static let second: Int64 = 1_000_000_000

    private func events(_ timeline: RoomTimeline) -> [RoomEvent] { Array(timeline.happened(from: 0).events) }

    /// Runs the log again and compares packets, events and the state with those of the first run.
    private func expectRepetition(_ timeline: RoomTimeline, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let (frames, events, state, end) = (Rooms.frames(timeline), events(timeline), timeline.state, timeline.now)
        try timeline.restart()
        timeline.advance(to: end / 3)
        #expect(Rooms.frames(timeline) == Array(frames.prefix(timeline.packetCount)), sourceLocation: sourceLocation)
        timeline.advance(to: end)
        #expect(Rooms.frames(timeline) == frames, sourceLocation: sourceLocation)
        #expect(self.events(timeline) == events, sourceLocation: sourceLocation)
        #expect(timeline.state == state, sourceLocation: sourceLocation)
    }

    /// A room with two scanning phones, in which each reception draws random numbers. Far places are in other cells of the radio.
    private func crowd() throws -> RoomTimeline {
        let timeline = try Rooms.timeline("crowd", seed: 9, parameters: ["count": 12])
        _ = try timeline.perform(.environment(RoomEnvironment(fading: 4, packetLoss: 0.2)))
        _ = try timeline.perform(.add(program: "walkthrough", name: "Other", x: 2, y: 2))
        return timeline
    }

    @Test func aDragWhileTimeStandsStillIsOneMove() throws {
        let timeline = try crowd()
        timeline.advance(to: Self.second)
        let before = timeline.log.entries.count
        // Quarter of an hour at 20 places a second, through other cells of the radio and back.
        for step in 0..<18_000 {
            let device = step.isMultiple(of: 3) ? "d1" : "d5"
            _ = try timeline.perform(.move(device: device, x: Double(step % 700), y: Double(step % 13)))
        }
        #expect(timeline.log.entries.count == before)
        #expect(timeline.commandsLeft == CommandLog.limit - before - 2)
        #expect(timeline.state.devices[0].x == Double(17_997 % 700))
        timeline.advance(to: 2 * Self.second)
        #expect(timeline.log.entries.count == before + 2)
        #expect(timeline.log.entries.suffix(2).allSatisfy { $0.time == Self.second })
        try expectRepetition(timeline)
    }

    @Test func movesAreBeforeTheCommandThatFollowsThem() throws {
        let timeline = try crowd()
        timeline.advance(to: Self.second)
        _ = try timeline.perform(.move(device: "d1", x: 9, y: 9))
        _ = try timeline.perform(.move(device: "d2", x: 1, y: 1))
        _ = try timeline.perform(.power(device: "d2", isOn: false))
        _ = try timeline.perform(.move(device: "d2", x: 3, y: 3))
        _ = try timeline.perform(.power(device: "d2", isOn: true))
        let changes: [WorldFile.Event.Change] = [
            .move(device: "d1", to: Position(x: 9, y: 9), over: .zero),
            .move(device: "d2", to: Position(x: 1, y: 1), over: .zero), .power(device: "d2", isOn: false),
            .move(device: "d2", to: Position(x: 3, y: 3), over: .zero), .power(device: "d2", isOn: true),
        ]
        #expect(timeline.log.entries.suffix(5).map(\.change) == changes)
        // A step back takes waiting moves into the log.
        timeline.advance(to: 2 * Self.second)
        _ = try timeline.perform(.move(device: "d1", x: 4, y: 4))
        try timeline.restart()
        timeline.advance(to: 3 * Self.second)
        #expect(timeline.state.devices[0].x == 4)
        try expectRepetition(timeline)
        #expect(throws: PhrasedError.self) { try timeline.perform(.move(device: "d99", x: 0, y: 0)) }
    }

    @Test func aDragWhileTimeRunsTakesTenPlacesInASecond() throws {
        final class Clock { var now: Int64 = 1_000_000_000 }
        let clock = Clock()
        let driver = RoomDriver(try crowd(), clock: { clock.now }, onChange: { _ in })
        let timeline = driver.timeline
        let flag = StopFlag()
        let before = timeline.log.entries.count
        driver.start()
        var place = 0.0
        let seconds: Int64 = 6
        for _ in 0..<Int(seconds * 50) {
            clock.now += 20_000_000
            place += 1
            _ = try driver.perform(.move(device: "d1", x: place.truncatingRemainder(dividingBy: 900), y: 1))
            #expect(timeline.state.devices[0].x == place.truncatingRemainder(dividingBy: 900))
            while driver.turn(interruptedBy: flag, []) == 0 {}
        }
        let added = timeline.log.entries.count - before
        #expect(added <= seconds * (1_000_000_000 / RoomDriver.moveInterval) + 1)
        #expect(added > 0)
        // The last place is never lost.
        driver.pause()
        timeline.advance(to: timeline.now + Self.second)
        #expect(timeline.run.devices[0].position.x == 300)
        try expectRepetition(timeline)
    }

    @Test func aFullLogRefusesAMoveAndLosesNone() throws {
        let timeline = try RoomTimeline(
            programs: Rooms.programs, scenes: RoomScene.standard, scene: "pair", seed: 1, commandLimit: 3)
        _ = try timeline.perform(.rename(device: "d1", "A"))
        timeline.advance(to: Self.second)
        _ = try timeline.perform(.move(device: "d1", x: 1, y: 1))
        _ = try timeline.perform(.move(device: "d2", x: 2, y: 2))
        #expect(timeline.commandsLeft == 0)
        // Another place of a device that moves needs no room.
        _ = try timeline.perform(.move(device: "d1", x: 5, y: 5))
        let failure = #expect(throws: PhrasedError.self) { try timeline.perform(.rename(device: "d1", "B")) }
        #expect(failure?.code == "log-full")
        #expect(failure?.next != nil)
        timeline.advance(to: 2 * Self.second)
        #expect(throws: PhrasedError.self) { try timeline.perform(.move(device: "d1", x: 7, y: 7)) }
        #expect(timeline.state.devices.map(\.x) == [5, 2])
        #expect(timeline.state.devices[0].name == "A")
        try expectRepetition(timeline)
        // A step back makes room: the commands after it are replaced.
        try timeline.restart()
        timeline.advance(to: Self.second / 2)
        _ = try timeline.perform(.rename(device: "d1", "C"))
        #expect(timeline.commandsLeft == 1)
    }
}
