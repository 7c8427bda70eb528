import BLEPacketDecoding
import Testing

@testable import StudioRoom

/// Rooms of the tests, and what identifies a run.
enum Rooms {
    static let programs = WorldProgramKind.standard

    static func timeline(_ scene: String = "pair", seed: UInt64 = 1, parameters: RoomValue = .null) throws
        -> RoomTimeline
    {
        try RoomTimeline(
            programs: programs, scenes: RoomScene.standard, scene: scene, seed: seed, parameters: parameters)
    }

    static func frames(_ timeline: RoomTimeline) -> [AirFrame] {
        var frames: [AirFrame] = []
        timeline.packets.forEach(in: timeline.packets.range) { packet in
            frames.append(packet.frame)
            return true
        }
        return frames
    }

    static func milliseconds(_ value: Int) -> Int64 { Int64(value) * 1_000_000 }
}

extension CommandLog {
    mutating func append(_ change: WorldFile.Event.Change, at time: Int64) {
        insert(RoomRecord.Entry(time: time, change: change), at: entries.count)
    }
}

struct RoomTests {
    @Test func theFirstRoomRunsTheTwentyThreeSteps() throws {
        let timeline = try Rooms.timeline()
        #expect(timeline.now == 0)
        #expect(timeline.packetCount == 0)
        timeline.advance(to: Rooms.milliseconds(4000))
        _ = try timeline.perform(.act(device: "d1", action: "finish", with: .null))
        timeline.advance(to: Rooms.milliseconds(6000))
        let events = timeline.happened(from: 0).events
        #expect(Set(events.compactMap(\.step)) == Set(1...23))
        #expect(events.contains { $0.swift == "central.connect(peripheral, options: nil)" && $0.device == "d1" })
        #expect(events.map(\.time) == events.map(\.time).sorted())
        #expect(events.enumerated().allSatisfy { $0.offset == $0.element.n })
    }
}
