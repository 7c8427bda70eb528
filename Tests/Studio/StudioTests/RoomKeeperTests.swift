import Foundation
import Phrases
import StudioRoom
import Testing

@testable import Studio
@testable import StudioServer

/// What the studio says about the kept room.
final class RoomKeeperTests {
    private struct Keeping: Decodable, Equatable, Sendable {
        var failure: Phrase?
        var unreadable: Phrase?
    }

    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
        "room-keeper-\(UUID().uuidString)")
    private let hub = StudioHub()

    deinit { try? FileManager.default.removeItem(at: folder) }

    private func keeping() async throws -> Keeping { try #require(await hub.value(of: "keeping", as: Keeping.self)) }

    /// A write that fails and one that succeeds after it say nothing about the file that was not read, which stays true.
    @Test func aFailedWriteAndAnUnreadFileAreTwoThings() async throws {
        let file = RoomFile(path: folder.appendingPathComponent("studio-room").path)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data("{".utf8).write(to: URL(fileURLWithPath: file.path))
        let keeper = RoomKeeper(file, hub)
        let room = try RoomService(
            hub, programs: WorldProgramKind.standard + ProfilePrograms.all, scenes: RoomScene.standard
        ) { _ in }
        await keeper.restore(room, scenes: RoomScene.standard, asFormer: false)
        let unread = try #require(try await keeping().unreadable)
        #expect(try await keeping().failure == nil)
        let draft = folder.appendingPathComponent("studio-room.new")
        for device in ["d1", "d2"] {
            // A folder at the place of the draft refuses each write, also for the superuser.
            try FileManager.default.createDirectory(at: draft, withIntermediateDirectories: false)
            let before = try #require(hub.version(of: "keeping"))
            try await room.engine.perform { driver in _ = try driver.timeline.perform(.rename(device: device, "Gate")) }
            await keeper.write()
            let failed = try await keeping()
            #expect(failed.failure != nil && failed.unreadable == unread)
            let after = try #require(hub.version(of: "keeping"))
            #expect(after != before)
            // The same failure is no news.
            await keeper.write()
            #expect(hub.version(of: "keeping") == after)
            try FileManager.default.removeItem(at: draft)
            await keeper.write()
            #expect(try await keeping() == Keeping(failure: nil, unreadable: unread))
        }
        await keeper.end()
    }
}
