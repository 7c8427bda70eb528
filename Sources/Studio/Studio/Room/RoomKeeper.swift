import BLEAdapter
import Dispatch
import Foundation
import Phrases
import StudioRoom
import StudioServer

/// Keeps the room in a file while it changes, and begins it again.
///
/// The topic `keeping` is `{"failure","unreadable"}`, each only if there is something to say. A failed write is tried again with the next change. A file
/// that could not be read is said to each page until the end of the run: the first write follows a second after the start, which may be before a page
/// is open.
final class RoomKeeper: Sendable {
    private struct Keeping: Encodable {
        /// Why the latest write failed, or why there is none.
        var failure: Phrase?
        /// Why this run did not begin with the kept room.
        var unreadable: Phrase?
    }

    private struct State {
        var engine: RoomEngine?
        /// The lock of the file; nil while another studio has it.
        var lock: FileHandle?
        /// What the file has.
        var written: (count: Int, now: Int64)?
        var isWaiting = false
        var keeping = Keeping()
    }

    /// The time from a change to its write.
    private static let delay = DispatchTimeInterval.seconds(1)

    private let file: RoomFile?
    private let state = Lock(State())
    private let queue = DispatchQueue(label: "studio.keeper", qos: .utility)
    private let touch: @Sendable () -> Void

    init(_ file: RoomFile?, _ hub: StudioHub) {
        self.file = file
        touch = { [weak hub] in hub?.touch("keeping") }
        hub.addTopic("keeping") { [weak self] in
            let keeping = self?.state.withLock { $0.keeping }
            return (try? JSONText(encoding: keeping ?? Keeping())) ?? JSONText("null")
        }
    }

    /// Begins the kept room, and keeps the room from now on.
    func restore(_ room: RoomService, scenes: [RoomScene], asFormer isFormer: Bool) async {
        let engine = room.engine
        guard let file else { return }
        guard let lock = file.lock() else { return report(.keptElsewhere) }
        var unreadable: Phrase?
        do {
            if let content = try file.read(room.programs, scenes) {
                try await Self.begin(content, engine, asFormer: isFormer)
            }
        } catch {
            file.setAside()
            unreadable = file.unreadable(error).text
        }
        state.withLock { ($0.engine, $0.lock, $0.keeping.unreadable) = (engine, lock, unreadable) }
        if unreadable != nil { touch() }
    }

    private static func begin(_ content: RoomFile.Content, _ engine: RoomEngine, asFormer isFormer: Bool) async throws {
        try await engine.perform { driver in
            guard !isFormer else { return driver.timeline.setFormer(content.room) }
            // The way to its present may take a while: the page shows it, and can end it.
            try driver.begin(content.room) { _ in }
            driver.timeline.setFormer(content.former)
        }
    }

    /// The room has changed. Called often.
    func note(_ changes: RoomChanges) {
        guard file != nil, changes.time || changes.room else { return }
        let begins = state.withLock { state in
            guard state.engine != nil, !state.isWaiting else { return false }
            state.isWaiting = true
            return true
        }
        guard begins else { return }
        queue.asyncAfter(deadline: .now() + Self.delay) { [weak self] in
            guard let self else { return }
            state.withLock { $0.isWaiting = false }
            Task { await self.write() }
        }
    }

    /// Writes the room if it differs from the file.
    func write() async {
        guard let file, let engine = state.withLock({ $0.engine }) else { return }
        let found = try? await engine.perform { driver -> (RoomFile.Content, Int)? in
            // On its way the present is not where the user wants it.
            guard !driver.isSeeking else { return nil }
            let timeline = driver.timeline
            return (RoomFile.Content(room: timeline.record, former: timeline.former), timeline.recordCount)
        }
        guard let (content, count) = found ?? nil else { return }
        queue.sync {
            guard state.withLock({ $0.written.map { $0 != (count, content.room.now) } ?? true }) else { return }
            do throws(PhrasedError) {
                try file.write(content)
                state.withLock { $0.written = (count, content.room.now) }
                report(nil)
            } catch {
                report(error)
            }
        }
    }

    func end() async {
        await write()
        state.withLock { ($0.engine, $0.lock) = (nil, nil) }
    }

    private func report(_ failure: PhrasedError?) {
        let isNew = state.withLock { state in
            let before = state.keeping.failure
            state.keeping.failure = failure?.text
            return state.keeping.failure != before
        }
        if isNew { touch() }
    }
}
