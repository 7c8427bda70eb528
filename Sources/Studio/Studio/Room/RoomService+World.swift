import Foundation
import Phrases
import StudioRoom
import StudioServer

extension RoomService {
    /// The most octets of a world that a page opens. `bluelab studio --world` opens larger ones.
    package static let worldLimit = 512 << 10

    /// `room.open {"text"}` -> `{"notes"}`, `room.text {}` -> `{"text"}`, `room.undo {}` and `room.redo {}` -> `{"command"}`, and the file `world`.
    ///
    /// A text comes from a file or a link, so it may be hostile: it names no files of this machine, and a room that cannot begin leaves the present
    /// one as it is.
    func addWorldCommands(to hub: StudioHub) {
        let programs = programs
        hub.on("room.open") { [self] (arguments: WorldArguments) in
            let count = arguments.text.utf8.count
            guard count <= Self.worldLimit else { throw PhrasedError.worldTooLong(count) }
            return WorldReply(notes: try await open(try RoomRecord(text: arguments.text, programs: programs)))
        }
        hub.on("room.text") { [self] (_: Nothing) in
            let file = try await engine.perform { $0.timeline.record.file }
            return WorldText(text: file.yaml)
        }
        hub.on("room.undo") { [engine] (_: Nothing) in
            StepName(command: try await engine.perform(waits: true) { try $0.undo($1) })
        }
        hub.on("room.redo") { [engine] (_: Nothing) in
            StepName(command: try await engine.perform(waits: true) { try $0.redo($1) })
        }
        hub.addFile("world") { [engine] in
            let record = try await engine.perform { $0.timeline.record }
            return StudioFile(
                name: record.fileName, type: "application/yaml", content: Data(record.file.yaml.utf8))
        }
    }

    /// Begins a world. Returns what the room cannot run of it.
    package func open(_ record: RoomRecord) async throws -> [Phrase] {
        _ = try await go { try $0.begin(record, word: "open", $1) }
        return record.notes
    }
}

extension PhrasedError {
    fileprivate static func worldTooLong(_ count: Int) -> PhrasedError {
        let kibibytes = RoomService.worldLimit >> 10
        return PhrasedError(
            "world-too-long",
            Phrase(
                "The world has \(count) octets; a page opens at most \(kibibytes) KiB.",
                "这个世界有 \(count) 字节；页面最多打开 \(kibibytes) KiB。"),
            next: Phrase("Open it with bluelab studio --world.", "请用 bluelab studio --world 打开它。"))
    }
}
