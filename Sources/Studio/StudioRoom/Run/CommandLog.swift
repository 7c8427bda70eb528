import Phrases

/// The commands of the user with their virtual times, in their order.
///
/// It has room for `limit` commands and `textLimit` octets of texts. A full log refuses further commands, because a run without some of its
/// commands could not be repeated.
struct CommandLog: Hashable, Sendable {
    /// More than an hour of dragging without a pause: see `RoomDriver.moveInterval`.
    static let limit = 50_000
    static let textLimit = 4 << 20

    struct Entry: Hashable, Sendable {
        /// Nanoseconds since the room began.
        var time: Int64
        var command: RoomCommand
        /// The octets of the texts of this entry and those before it.
        fileprivate var textEnd: Int
    }

    /// What a log has no room for.
    enum Limit: Hashable, Sendable {
        case commands, texts
    }

    private(set) var entries: [Entry] = []
    private let limit: Int

    init(limit: Int = Self.limit) { self.limit = limit }

    /// The log of a record.
    ///
    /// - Throws: `PhrasedError` if there is no room for it, or if its times are not in order.
    init(_ entries: [RoomRecord.Entry], limit: Int) throws {
        self.limit = limit
        for entry in entries {
            if let obstacle = obstacle(to: entry.command, at: self.entries.count) {
                throw PhrasedError.logFull(obstacle, commandLimit: limit)
            }
            guard (self.entries.last?.time ?? 0) <= entry.time, entry.time <= RoomTimeline.longest else {
                throw PhrasedError.disorder
            }
            append(entry.command, at: entry.time)
        }
    }

    /// The number of further commands for which there is room in place of the entries from an index on.
    func room(at index: Int) -> Int { limit - min(index, entries.count) }

    /// The octets of texts for which there is room in place of the entries from an index on.
    func textRoom(at index: Int) -> Int { Self.textLimit - textCount(before: index) }

    private func textCount(before index: Int) -> Int {
        let kept = min(index, entries.count)
        return kept == 0 ? 0 : entries[kept - 1].textEnd
    }

    /// The reason why there is no room for a command in place of the entries from an index on, after `waiting` commands without texts; nil if there is.
    func obstacle(to command: RoomCommand, at index: Int, after waiting: Int = 0) -> Limit? {
        if waiting >= room(at: index) { return .commands }
        return command.textCount > textRoom(at: index) ? .texts : nil
    }

    mutating func append(_ command: RoomCommand, at time: Int64) {
        let textEnd = textCount(before: entries.count) + command.textCount
        entries.append(Entry(time: time, command: command, textEnd: textEnd))
    }

    /// Removes the entries from an index on.
    mutating func cut(from index: Int) {
        guard index < entries.count else { return }
        entries.removeSubrange(index...)
    }
}
