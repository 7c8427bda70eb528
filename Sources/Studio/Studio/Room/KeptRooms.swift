import DeviceFiles
import Foundation
import Phrases
import StudioRoom

/// The version of the file that keeps the room.
struct KeptVersion: Decodable {
    var version: Int
}

/// The form of the kept rooms: each is a world file, with what the file does not say.
struct KeptRooms: Codable {
    static let version = 2
    /// The limits of a kept room, whose user may have given as many commands as its log takes.
    private static let limits = YAMLDocument.Limits(size: RoomFile.lengthLimit, nodes: 4 << 20)

    struct Room: Codable {
        var scene: String
        /// Virtual nanoseconds.
        var now: Int64
        /// YAML.
        var world: String
        /// The indices of the world's events that are not commands of the user.
        var plan: [Int]

        init(_ record: RoomRecord) {
            scene = record.scene
            now = record.now
            let (file, plan) = record.written
            (world, self.plan) = (file.yaml, plan)
        }

        func record(_ programs: [WorldProgramKind]) throws(PhrasedError) -> RoomRecord {
            var record = RoomRecord(scene: scene, opening: try file(programs))
            record.now = min(max(now, 0), RoomTimeline.longest)
            let plan = Set(plan)
            for index in record.entries.indices { record.entries[index].isPlanned = plan.contains(index) }
            return record
        }

        private func file(_ programs: [WorldProgramKind]) throws(PhrasedError) -> WorldFile {
            do throws(WorldFileError) {
                return try WorldFile(text: world, file: "world", programs: programs, limits: KeptRooms.limits)
            } catch {
                throw PhrasedError(world: error, file: "world")
            }
        }
    }

    struct Content: Codable {
        var room: Room
        var former: Room?
    }

    var version: Int
    var content: Content

    static func encode(_ content: RoomFile.Content) throws -> Data {
        let rooms = Content(room: Room(content.room), former: content.former.map(Room.init))
        return try JSONEncoder().encode(KeptRooms(version: version, content: rooms))
    }

    static func decode(_ data: Data, _ programs: [WorldProgramKind]) throws -> RoomFile.Content {
        let rooms = try JSONDecoder().decode(KeptRooms.self, from: data).content
        return RoomFile.Content(
            room: try rooms.room.record(programs), former: try rooms.former.map { try $0.record(programs) })
    }
}

/// The form of version 1: a scene, and the commands of its user. It is read only.
struct CommandRooms: Decodable {
    static let version = 1

    struct Room: Decodable {
        struct Entry: Decodable {
            var time: Int64
            var command: RoomCommand
        }

        var scene: String
        var parameters: RoomValue
        var seed: UInt64
        var now: Int64
        var commands: [Entry]

        func record(_ programs: [WorldProgramKind], _ scenes: [RoomScene]) throws -> RoomRecord {
            var record = try RoomTimeline.record(
                ofScene: scene, scenes, seed: seed,
                parameters: try StudioArguments.bounded(parameters, Phrase("The parameters", "这些参数")),
                commands: try commands.map { (max(0, $0.time), try $0.command.checked()) }, programs: programs)
            record.now = min(max(now, 0), RoomTimeline.longest)
            return record
        }
    }

    struct Content: Decodable {
        var room: Room
        var former: Room?
    }

    var content: Content

    static func decode(
        _ data: Data, _ programs: [WorldProgramKind], _ scenes: [RoomScene]
    ) throws -> RoomFile.Content {
        let rooms = try JSONDecoder().decode(CommandRooms.self, from: data).content
        return RoomFile.Content(
            room: try rooms.room.record(programs, scenes),
            former: try rooms.former.map { try $0.record(programs, scenes) })
    }
}
