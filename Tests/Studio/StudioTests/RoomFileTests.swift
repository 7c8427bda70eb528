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

    /// Commands of each kind.
    private let content = RoomFile.Content(
        room: RoomRecord(
            scene: "pair", seed: .max, now: 5,
            commands: [
                .add(program: "beacon", name: "Door", x: 3, y: 1, parameters: ["major": 7]), .remove(device: "d9"),
                .move(device: "d1", x: -2.5, y: 0), .power(device: "d2", isOn: false), .loss(device: "d2", 0.25),
                .rename(device: "d2", "手环"), .wall(x1: 0, y1: 0, x2: 1, y2: 1, attenuation: 60), .unwall(wall: "w1"),
                .attenuation(wall: "w1", 30), .environment(RoomEnvironment(fading: 2)),
                .act(device: "d1", action: "start", with: .null),
            ].map { RoomRecord.Entry(time: 4, command: $0) }),
        former: RoomRecord(scene: "crowd", parameters: ["count": 3], seed: 2))

    @Test func whatIsWrittenIsRead() throws {
        #expect(try file.read() == nil)
        try file.write(content)
        #expect(try file.read() == content)
        let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
        #expect((attributes[.posixPermissions] as? Int) == 0o600)
    }

    @Test func aFileThatIsNoRoomIsRefusedWithAReason() throws {
        try file.write(content)
        let text = try String(contentsOfFile: file.path, encoding: .utf8)
        for (old, new) in [
            ("\"version\":1", "\"version\":2"), ("0.25", "1.25"), ("-2.5", "1e99"), ("60", "600"), ("手环", ""),
            ("{", ""), ("\"x\":3", "\"x\":[]"), ("\"seed\":2", "\"seed\":-2"),
        ] {
            let changed = text.replacingOccurrences(of: old, with: new)
            try #require(changed != text)
            try Data(changed.utf8).write(to: URL(fileURLWithPath: file.path))
            let failure = #expect(throws: PhrasedError.self) { try file.read() }
            #expect(failure?.text.description.contains("cannot be read") == true)
        }
        // One that is too long is not read whole.
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: file.path))
        try handle.truncate(atOffset: UInt64(RoomFile.lengthLimit + 1))
        #expect(throws: PhrasedError.self) { try file.read() }
        file.setAside()
        #expect(try file.read() == nil)
    }

    @Test func aFailedWriteLeavesTheFormerFile() throws {
        try file.write(content)
        let draft = "\(file.path).new"
        try FileManager.default.createDirectory(atPath: draft, withIntermediateDirectories: false)
        var other = content
        other.former = nil
        let failure = #expect(throws: PhrasedError.self) { try file.write(other) }
        #expect(failure?.text.description.contains("not kept at the moment") == true)
        #expect(try file.read() == content)
        // A full device refuses the octets after the file was made.
        try FileManager.default.removeItem(atPath: draft)
        let full = RoomFile(path: "/dev/full/studio-room")
        #expect(throws: PhrasedError.self) { try full.write(content) }
        try file.write(other)
        #expect(try file.read() == other)
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
