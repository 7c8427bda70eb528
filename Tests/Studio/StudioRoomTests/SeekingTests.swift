import BLEPacketDecoding
import BLEWire
import Phrases
import Testing

@testable import StudioRoom

/// A run of a room is a function of its seed and its commands: how time passes does not change it.
struct SeekingTests {
    private let second: Int64 = 1_000_000_000

    /// Commands of all kinds at odd times.
    private static let script: [(time: Int64, command: RoomCommand)] = [
        (0, .add(program: "beacon", x: 3, y: 1)),
        (137_000_001, .move(device: "d1", x: -2, y: 0.5)),
        (1_000_000_007, .environment(RoomEnvironment(fading: 3, packetLoss: 0.1))),
        (1_500_000_000, .wall(x1: 0, y1: -3, x2: 0, y2: 3, attenuation: 12)),
        (1_900_000_000, .attenuation(wall: "w1", 18)),
        (2_345_678_901, .add(program: "phone", name: "Other", x: 1, y: 2)),
        (2_345_678_901, .loss(device: "d2", 0.2)),
        (3_000_000_000, .rename(device: "d2", "Band")),
        (4_000_000_000, .power(device: "d2", isOn: false)),
        (7_111_111_111, .power(device: "d2", isOn: true)),
        (7_111_111_111, .unwall(wall: "w1")),
        (8_000_000_000, .remove(device: "d3")),
        (9_000_000_000, .act(device: "d1", action: "start", with: .null)),
        (9_500_000_000, .act(device: "d1", action: "dance", with: .null)),
    ]
    private static let end: Int64 = 14_000_000_000

    private func perform(
        _ timeline: RoomTimeline, stoppingWhen stop: @escaping @Sendable (Int) -> Bool = { _ in false }
    ) {
        for (time, command) in Self.script {
            while !timeline.advance(to: time, stoppingWhen: stop) {}
            // The last one fails, in each run.
            _ = try? timeline.perform(command)
        }
        while !timeline.advance(to: Self.end, stoppingWhen: stop) {}
    }

    private func events(_ timeline: RoomTimeline) -> [RoomEvent] { Array(timeline.happened(from: 0).events) }

    @Test(arguments: [("pair", 1), ("pair", 77), ("crowd", 5)])
    func goingBackAndRunningAgainGivesTheSamePackets(scene: String, seed: Int) throws {
        let timeline = try Rooms.timeline(scene, seed: UInt64(seed), parameters: ["count": 20])
        perform(timeline)
        let (frames, events, state) = (Rooms.frames(timeline), events(timeline), timeline.state)
        #expect(frames.count > 500)
        #expect(events.contains { $0.kind == .callback })
        for time in [8_500_000_000, 3_999_999_999, 0, 1] as [Int64] {
            try timeline.restart()
            timeline.advance(to: time)
            #expect(timeline.now == time)
            #expect(timeline.end == Self.end)
            #expect(Rooms.frames(timeline) == Array(frames.prefix(timeline.packetCount)))
        }
        timeline.advance(to: Self.end)
        #expect(Rooms.frames(timeline) == frames)
        #expect(self.events(timeline) == events)
        #expect(timeline.state == state)
    }

    @Test(arguments: [1, 2, 3])
    func theLengthOfSlicesChangesNothing(seed: Int) throws {
        let whole = try Rooms.timeline(seed: UInt64(seed))
        perform(whole)
        let sliced = try Rooms.timeline(seed: UInt64(seed))
        // Every slice ends after a packet or two.
        perform(sliced) { $0 >= 2 }
        #expect(Rooms.frames(sliced) == Rooms.frames(whole))
        #expect(events(sliced) == events(whole))
        let shortest = try Rooms.timeline(seed: UInt64(seed))
        perform(shortest) { $0 >= 1 }
        #expect(Rooms.frames(shortest) == Rooms.frames(whole))
    }

    @Test func seedsDiffer() throws {
        let rooms = try [1, 2].map { try Rooms.timeline(seed: $0) }
        for room in rooms { room.advance(to: 1_000_000_000) }
        #expect(Rooms.frames(rooms[0]) != Rooms.frames(rooms[1]))
    }

    @Test func aCommandAfterAStepBackCutsTheLog() throws {
        let timeline = try Rooms.timeline()
        timeline.advance(to: 1_000_000_000)
        _ = try timeline.perform(.power(device: "d2", isOn: false))
        timeline.advance(to: 2_000_000_000)
        try timeline.restart()
        timeline.advance(to: 500_000_000)
        #expect(timeline.end == 2_000_000_000)
        #expect(timeline.state.devices[1].isOn)
        _ = try timeline.perform(.rename(device: "d2", "Later"))
        #expect(timeline.end == 500_000_000)
        timeline.advance(to: 3_000_000_000)
        #expect(timeline.state.devices[1].isOn)
        #expect(timeline.state.devices[1].name == "Later")
        // A refused command changes nothing, and the commands that follow stay.
        try timeline.restart()
        #expect(throws: PhrasedError.self) { try timeline.perform(.remove(device: "d9")) }
        timeline.advance(to: 600_000_000)
        #expect(timeline.state.devices[1].name == "Later")
    }

    @Test func aStepEndsWithTheNextPacket() throws {
        let timeline = try Rooms.timeline()
        for number in 0..<50 {
            #expect(timeline.step())
            let packet = try #require(timeline.packets[number])
            #expect(timeline.packetCount == number + 1)
            #expect(timeline.now == packet.frame.start + packet.frame.airTime)
        }
        let empty = try Rooms.timeline("empty")
        #expect(!empty.step(within: .seconds(1)))
        #expect(empty.now == 1_000_000_000)
    }

    @Test func packetsAreInFlightBetweenTheirStartAndTheirEnd() throws {
        let timeline = try Rooms.timeline()
        timeline.advance(to: 500_000_000)
        let packets = Rooms.frames(timeline)
        let packet = try #require(packets.last { $0.octets.count > 20 })
        try timeline.restart()
        timeline.advance(to: packet.start + packet.airTime / 2)
        let flight = timeline.packetsInFlight
        #expect(flight.count == 1)
        #expect(flight.first?.frame.number == packet.number)
        #expect(flight.first?.frame.octets == packet.octets)
        #expect(flight.first?.frame.sender == packet.sender)
        #expect(flight.first?.summary.layer == .adv)
        timeline.advance(to: packet.start + packet.airTime)
        #expect(
            !timeline.packetsInFlight.contains { $0.frame.octets == packet.octets && $0.frame.start == packet.start })
        #expect(timeline.packets[packet.number]?.frame == packet)
    }

    @Test func aFullLogRefusesCommands() throws {
        var log = CommandLog()
        for index in 0..<CommandLog.limit {
            #expect(log.obstacle(to: .remove(device: "d1"), at: index) == nil)
            log.append(.remove(device: "d1"), at: 0)
        }
        #expect(log.obstacle(to: .remove(device: "d1"), at: CommandLog.limit) == .commands)
        #expect(log.obstacle(to: .remove(device: "d1"), at: 7) == nil)
        #expect(log.room(at: 7) == CommandLog.limit - 7)
        log.cut(from: 1)
        let text = String(repeating: "x", count: CommandLog.textLimit / 2)
        log.append(.rename(device: "d1", text), at: 0)
        #expect(log.obstacle(to: .rename(device: "d1", text), at: 2) == nil)
        log.append(.rename(device: "d1", text), at: 0)
        #expect(log.obstacle(to: .rename(device: "d1", "x"), at: 3) == .texts)
        #expect(log.obstacle(to: .remove(device: "d1"), at: 3) == nil)
        // A command before the second text replaces it.
        #expect(log.obstacle(to: .rename(device: "d1", text), at: 2) == nil)
        #expect([0, 1, 2, 3].map { log.textRoom(at: $0) } == [2, 2, 1, 0].map { $0 * CommandLog.textLimit / 2 })
        log.cut(from: 2)
        #expect(log.obstacle(to: .rename(device: "d1", "x"), at: 2) == nil)
    }

    @Test func theRoomSaysWhatItHasNoMoreRoomFor() throws {
        let timeline = try Rooms.timeline()
        let text = String(repeating: "x", count: CommandLog.textLimit / 2 - 1)
        timeline.advance(to: second)
        _ = try timeline.perform(.rename(device: "d1", text))
        timeline.advance(to: 2 * second)
        _ = try timeline.perform(.rename(device: "d2", text))
        #expect(timeline.textLeft == 2)
        let failure = #expect(throws: PhrasedError.self) { try timeline.perform(.rename(device: "d1", "abc")) }
        #expect(failure?.code == "log-full")
        #expect(failure?.text.description.contains("4096 KiB of texts") == true)
        // A command without a text, and one after a step back, have room.
        _ = try timeline.perform(.power(device: "d1", isOn: false))
        #expect(timeline.commandsLeft == CommandLog.limit - 3)
        try timeline.restart()
        timeline.advance(to: 3 * second / 2)
        #expect(timeline.commandsLeft == CommandLog.limit - 1)
        #expect(timeline.textLeft == CommandLog.textLimit / 2 + 1)
        _ = try timeline.perform(.rename(device: "d1", "abc"))
        #expect(timeline.commandsLeft == CommandLog.limit - 2)
    }
}
