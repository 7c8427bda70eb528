import DeviceFiles
import Foundation
import Phrases
import StudioRoom
import StudioServer
import TestConditions
import Testing

@testable import Studio

/// The file that keeps the room.
final class RoomFileTests {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("room-file-\(UUID().uuidString)")
    private var file: RoomFile { RoomFile(path: folder.appendingPathComponent("state/studio-room").path) }

    deinit { try? FileManager.default.removeItem(at: folder) }

    private static let programs = WorldProgramKind.standard + ProfilePrograms.all

    private func read(_ file: RoomFile) throws -> RoomFile.Content? { try file.read(Self.programs, RoomScene.standard) }

    /// Changes of each kind.
    private static func content() throws -> RoomFile.Content {
        let timeline = try RoomTimeline(
            programs: programs, scenes: RoomScene.standard, scene: "pair", seed: .max)
        timeline.advance(to: 1_234_567_891)
        let profile = ShippedProfiles.text(named: "battery")
        for command: RoomCommand in [
            .add(program: "beacon", name: "Door", x: 3, y: 1, parameters: ["major": 7]),
            .add(program: "profile", name: "Box", x: 0.1, y: 1, profile: profile), .remove(device: "d3"),
            .move(device: "d1", x: -2.5, y: 0), .power(device: "d2", isOn: false), .loss(device: "d2", 0.25),
            .rename(device: "d2", "手环"), .wall(x1: 0, y1: 0, x2: 1, y2: 1, attenuation: 60),
            .attenuation(wall: "w1", 30), .unwall(wall: "w1"), .environment(RoomEnvironment(fading: 2)),
            .act(device: "d1", action: "start", with: .null),
        ] { _ = try timeline.perform(command) }
        timeline.advance(to: 2_000_000_001)
        let former = try timeline.record(ofScene: "crowd", seed: 2, parameters: ["count": 3])
        return RoomFile.Content(room: timeline.record, former: former)
    }

    @Test func whatIsWrittenIsRead() throws {
        let content = try Self.content()
        #expect(try read(file) == nil)
        try file.write(content)
        #expect(try read(file) == content)
        let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
        #expect((attributes[.posixPermissions] as? Int) == 0o600)
    }

    @Test func aFileThatIsNoRoomIsRefusedWithAReason() throws {
        try file.write(try Self.content())
        let text = try String(contentsOfFile: file.path, encoding: .utf8)
        for (old, new) in [
            ("\"version\":2", "\"version\":3"), ("25 %", "125 %"), ("-2.5", "1e99"), ("60 dB", "600 dB"), ("手环", ""),
            ("{", ""), ("[0.1, 1]", "[0.1]"), ("seed: 2", "seed: -2"), ("program: beacon", "program: bacon"),
        ] {
            let changed = text.replacingOccurrences(of: old, with: new)
            try #require(changed != text, "\(old)")
            try Data(changed.utf8).write(to: URL(fileURLWithPath: file.path))
            let failure = #expect(throws: PhrasedError.self) { try read(file) }
            #expect(failure?.text.description.contains("cannot be read") == true)
        }
        // One that is too long is not read whole.
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: file.path))
        try handle.truncate(atOffset: UInt64(RoomFile.lengthLimit + 1))
        #expect(throws: PhrasedError.self) { try read(file) }
        file.setAside()
        #expect(try read(file) == nil)
    }

    /// The file of version 1 has a scene, and commands that name devices as the page does.
    @Test func theRoomOfAnEarlierVersionIsRead() throws {
        let text = """
            {"version":1,"content":{"room":{"scene":"pair","parameters":null,"seed":7,"now":2000000000,"commands":[
            {"time":1000000000,"command":{"wall":{"x1":0,"y1":-1,"x2":0,"y2":1,"attenuation":9}}},
            {"time":1000000000,"command":{"attenuation":{"wall":"w1","_1":12}}},
            {"time":1000000000,"command":{"add":{"program":"beacon","name":"Door","x":3,"y":2,"parameters":null}}},
            {"time":1500000000,"command":{"rename":{"device":"d3","_1":"Gate"}}},
            {"time":1600000000,"command":{"act":{"device":"d1","action":"finish","with":null}}}]}}}
            """
        try FileManager.default.createDirectory(
            atPath: folder.appendingPathComponent("state").path, withIntermediateDirectories: true)
        try Data(text.utf8).write(to: URL(fileURLWithPath: file.path))
        let content = try #require(try read(file))
        // The same commands in a room of today.
        let timeline = try RoomTimeline(programs: Self.programs, scenes: RoomScene.standard, scene: "pair", seed: 7)
        timeline.advance(to: 1_000_000_000)
        _ = try timeline.perform(.wall(x1: 0, y1: -1, x2: 0, y2: 1, attenuation: 9))
        _ = try timeline.perform(.attenuation(wall: "w1", 12))
        _ = try timeline.perform(.add(program: "beacon", name: "Door", x: 3, y: 2))
        timeline.advance(to: 1_500_000_000)
        _ = try timeline.perform(.rename(device: "d3", "Gate"))
        timeline.advance(to: 1_600_000_000)
        _ = try timeline.perform(.act(device: "d1", action: "finish", with: .null))
        timeline.advance(to: 2_000_000_000)
        #expect(content.room == timeline.record)
        for (old, new) in [
            ("\"pair\"", "\"nowhere\""), ("\"x\":3", "\"x\":1e300"), ("1500000000", "900000000"), ("Gate", ""),
        ] {
            let changed = text.replacingOccurrences(of: old, with: new)
            try #require(changed != text, "\(old)")
            try Data(changed.utf8).write(to: URL(fileURLWithPath: file.path))
            #expect(throws: PhrasedError.self) { try read(file) }
        }
    }

    @Test func aFailedWriteLeavesTheFormerFile() throws {
        let content = try Self.content()
        try file.write(content)
        let draft = "\(file.path).new"
        try FileManager.default.createDirectory(atPath: draft, withIntermediateDirectories: false)
        var other = content
        other.former = nil
        let failure = #expect(throws: PhrasedError.self) { try file.write(other) }
        #expect(failure?.text.description.contains("not kept at the moment") == true)
        #expect(try read(file) == content)
        // A full device refuses the octets after the file was made.
        try FileManager.default.removeItem(atPath: draft)
        let full = RoomFile(path: "/dev/full/studio-room")
        #expect(throws: PhrasedError.self) { try full.write(content) }
        try file.write(other)
        #expect(try read(file) == other)
    }

    @Test func oneStudioOfAUserHasTheLock() throws {
        let first = try #require(file.lock())
        #expect(file.lock() == nil)
        try first.close()
        #expect(file.lock() != nil)
    }

    @Test(.timeLimit(.minutes(10))) func aStudioBeginsTheRoomOfTheOneBefore() async throws {
        let first = Studio(file: file)
        await first.restore()
        try await first.hub.run("time.seek", ["to": RoomValue.integer(1_500_000_000)])
        try await first.hub.run("room.move", ["device": "d2", "x": 3, "y": 1] as [String: RoomValue])
        let before = try await first.room.engine.perform { ($0.timeline.state, $0.timeline.packetCount) }
        await first.end()
        let second = Studio(file: file)
        await second.restore()
        let isThere = try await eventually {
            try await second.room.engine.perform { !$0.isSeeking && $0.timeline.now == 1_500_000_000 }
        }
        #expect(isThere)
        let after = try await second.room.engine.perform { ($0.timeline.state, $0.timeline.packetCount) }
        #expect(after.0.devices == before.0.devices && after.1 == before.1)
        await second.end()
    }
}
