import Foundation
import Phrases
import Phrases
import StudioRoom
import StudioServer
import TestConditions
import Testing

@testable import Studio

/// The room as a page uses it: commands, topics and streams.
struct RoomTests {
    private let studio = Studio()

    private struct Packet: Decodable, Sendable {
        var n: Int
        var start: Int64
        var duration: Int64
        var sender: String?
        var layer: String
        var name: String
        var text: Phrase
        var octets: String?
        var link: String?
    }

    private func time() async throws -> TimeState { try await studio.room.engine.perform { $0.time } }

    private func room() async throws -> RoomState { try await studio.room.engine.perform { $0.timeline.state } }

    /// Waits until a topic has a value that `condition` accepts.
    private func topic<Value: Decodable & Sendable>(_ name: String, _ condition: (Value) -> Bool) async throws -> Value
    {
        var found: Value?
        let isFound = await eventually {
            found = await studio.hub.value(of: name, as: Value.self)
            return found.map(condition) == true
        }
        try #require(isFound, "the topic \(name) is \(String(describing: found))")
        return try #require(found)
    }

    private func packets(from position: Int, limit: Int = 1000) async throws -> (items: [Packet], batch: StreamBatch) {
        let batch = await studio.room.packets(from: position, limit: limit)
        let items = try batch.items.map { try JSONDecoder().decode(Packet.self, from: Data($0.text.utf8)) }
        return (items, batch)
    }

    private func run(_ command: String, _ arguments: [String: RoomValue] = [:]) async throws {
        try await studio.hub.run(command, arguments)
    }

    @Test func stepsRunPacketByPacket() async throws {
        #expect(try await time().now == 0)
        for _ in 0..<3 { try await run("time.step") }
        let (items, batch) = try await packets(from: 0)
        #expect(items.map(\.n) == [0, 1, 2])
        #expect(batch.next == 3)
        #expect(items.allSatisfy { $0.sender == "d2" || $0.sender == "d1" })
        #expect(items.allSatisfy { $0.layer == "adv" && $0.octets?.count ?? 0 >= 16 && !$0.name.isEmpty })
        let last = try #require(items.last)
        #expect(try await time().now == last.start + last.duration)
        #expect(try await !time().isRunning)
    }

    @Test(.timeLimit(.minutes(10))) func topicsFollowTheRoom() async throws {
        try await run("time.speed", ["speed": 0])
        try await run("time.run")
        let running: TimeState = try await topic("time") { $0.isRunning && $0.now > 3_000_000_000 }
        #expect(running.speed == 0)
        try await run("time.pause")
        let paused: TimeState = try await topic("time") { !$0.isRunning }
        #expect(paused.now >= running.now)
        let room: RoomState = try await topic("room") {
            $0.devices.count == 2 && !$0.links.isEmpty || $0.devices[0].state == .idle
        }
        #expect(room.scene == "pair")
        let counts: PacketCounts = try await topic("counts") { $0.packets > 100 }
        #expect(counts.byLayer["adv"] ?? 0 > 0)
        struct Flight: Decodable, Sendable { var packets: [Packet] }
        let flight: Flight = try await topic("flight") { _ in true }
        #expect(flight.packets.allSatisfy { $0.start <= paused.now && $0.start + $0.duration > paused.now })
        // A fast machine can be past the first events of the log, which is bounded.
        try await run("time.seek", ["to": 3_000_000_000])
        let happened = await studio.room.happened(from: 0, limit: 1000)
        #expect(happened.items.count > 20)
        let first = try JSONDecoder().decode(RoomEvent.self, from: Data(happened.items[0].text.utf8))
        #expect(first.step == 1 && first.kind == .call && first.device == "d1")
    }

    @Test func aSeekGoesForwardAndBack() async throws {
        try await run("time.seek", ["to": 2_000_000_000])
        #expect(try await time().now == 2_000_000_000)
        let all = try await packets(from: 0)
        #expect(all.batch.missed + all.items.count == all.batch.next)
        try await run("time.seek", ["to": 1_000_000_000])
        let state = try await time()
        #expect(state.now == 1_000_000_000)
        #expect(state.end == 2_000_000_000)
        #expect(!state.isSeeking)
        let (items, batch) = try await packets(from: all.batch.next)
        #expect(items.isEmpty)
        #expect(batch.next < all.batch.next)
    }

    @Test(.timeLimit(.minutes(10))) func aBusyRoomSendsTheLatestPacketsAndCountsTheRest() async throws {
        try await run("room.scene", ["scene": "crowd"])
        try await run("time.seek", ["to": 2_000_000_000])
        let (items, batch) = try await packets(from: 10)
        #expect(items.count == RoomService.itemLimit)
        #expect(batch.missed == batch.next - items.count - 10)
        #expect(items.last?.n == batch.next - 1)
        let counts: PacketCounts = try await topic("counts") { $0.packets == batch.next }
        #expect(counts.byDevice.count == 202)
    }

    @Test func commandsChangeTheRoom() async throws {
        try await run("room.add", ["program": "phone", "name": "<script>\u{0001}\u{202E}", "x": 1.5, "y": -2])
        try await run("room.wall", ["x1": 0, "y1": 0, "x2": 1, "y2": 1, "attenuation": 6])
        try await run("room.environment", ["packetLoss": 0.25])
        try await run("room.move", ["device": "d1", "x": 4, "y": 5])
        try await run("room.loss", ["device": "d1", "loss": 0.5])
        try await run("room.power", ["device": "d2", "isOn": false])
        try await run("room.platform", ["device": "d1", "platform": "pixel"])
        try await run("room.platform", ["device": "d2", "platform": "iphone"])
        try await run("room.platform", ["device": "d2", "platform": .null])
        let room = try await room()
        #expect(room.devices.map(\.platform) == ["pixel", nil, nil])
        #expect(room.devices.map(\.id) == ["d1", "d2", "d3"])
        #expect(room.devices[2].name == "<script>\u{0001}\u{202E}")
        #expect(room.devices[0].x == 4 && room.devices[0].y == 5 && room.devices[0].loss == 0.5)
        #expect(!room.devices[1].isOn)
        #expect(room.walls.map(\.id) == ["w1"])
        #expect(room.environment.packetLoss == 0.25)
        #expect(room.environment.pathLossExponent == 2.5)
        #expect(room.scenes.contains("crowd"))
        try await run("room.attenuation", ["wall": "w1", "attenuation": 7.5])
        #expect(try await self.room().walls.map(\.attenuation) == [7.5])
        try await run("room.remove", ["device": "d3"])
        try await run("room.unwall", ["wall": "w1"])
        #expect(try await self.room().devices.count == 2)
        #expect(try await self.room().walls.isEmpty)
    }

    /// Values that the file of a room cannot have.
    @Test func valuesBeyondTheFormatOfWorldsAreRefused() async throws {
        var nested = RoomValue.null
        for _ in 0..<25 { nested = .array([nested]) }
        let key = String(repeating: "k", count: 101)
        let values: [RoomValue] = [
            .object(["a": .string("\0")]), .object(["\0": 1]), .object([key: 1]), .object(["a": nested]),
        ]
        for value in values {
            await #expect(throws: PhrasedError.self) {
                try await run("room.act", ["device": "d1", "action": "start", "with": value])
            }
        }
        await #expect(throws: PhrasedError.self) { try await run("room.rename", ["device": "d1", "name": "a\0b"]) }
        #expect(try await room().undo == nil)
    }

    @Test(
        arguments: [
            ("room.move", ["device": "d1", "x": 1e300, "y": 0]), ("room.move", ["device": "d7", "x": 0, "y": 0]),
            ("room.move", ["device": "d1", "x": "a", "y": 0]), ("room.move", ["device": "d1"]),
            ("room.loss", ["device": "d1", "loss": 1.1]), ("room.loss", ["device": "d1", "loss": -0.1]),
            ("room.rename", ["device": "d1", "name": ""]),
            ("room.rename", ["device": "d1", "name": .string(String(repeating: "é", count: 125))]),
            ("room.wall", ["x1": 0, "y1": 0, "x2": 1, "y2": 1, "attenuation": 1000]),
            ("room.attenuation", ["wall": "w1", "attenuation": 1]), ("room.back", [:]),
            ("room.environment", ["fading": -1]), ("room.environment", ["sensitivity": 0]),
            ("room.scene", ["scene": "nowhere"]), ("room.add", ["program": "nothing", "x": 0, "y": 0]),
            ("room.add", ["program": "beacon", "x": 0, "y": 0, "parameters": ["uuid": "xyz"]]),
            ("room.act", ["device": "d1", "action": "fly"]), ("time.speed", ["speed": 1e6]),
            ("time.speed", ["speed": -1]),
            ("time.seek", ["to": -1]), ("time.seek", ["to": 1e30]),
        ] as [(String, [String: RoomValue])])
    func badArgumentsAreRefused(command: String, arguments: [String: RoomValue]) async throws {
        let before = try await room()
        await #expect(throws: PhrasedError.self) { try await run(command, arguments) }
        #expect(try await room() == before)
        #expect(try await time().now == 0)
    }

    @Test func theLessonHasAWorldOfItsOwn() async throws {
        try await run("room.move", ["device": "d1", "x": 4, "y": 5])
        try await run("time.seek", ["to": 1_000_000_000])
        let before = try await room()
        try await run("lesson.open", ["lesson": "q7"])
        try await run("lesson.time.seek", ["to": 2_000_000_000])
        try await run("lesson.room.wall", ["x1": 0, "y1": 0, "x2": 1, "y2": 1, "attenuation": 6])
        #expect(try await room() == before)
        #expect(try await time().now == 1_000_000_000)
        let lesson = try await studio.lessonRoom.engine.perform { ($0.timeline.state, $0.timeline.now) }
        #expect(lesson.0.scene == "q7" && lesson.0.walls.count == 1 && lesson.1 == 2_000_000_000)
    }

    @Test func hostileNamesStayInTheirStrings() async throws {
        let name = "\"},{\u{7}\\<script>\u{2028}"
        try await run("room.scene", ["scene": "empty"])
        try await run("room.add", ["program": "advertiser", "name": .string(name), "x": 0, "y": 0])
        try await run("room.add", ["program": "walkthrough", "name": .string(name), "x": 1, "y": 0])
        try await run("time.seek", ["to": 1_000_000_000])
        let (items, _) = try await packets(from: 0)
        #expect(items.count > 10)
        #expect(try await room().devices.first?.name == name)
    }
}
