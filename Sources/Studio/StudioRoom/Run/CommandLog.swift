import Phrases

/// What changes a room: the events of its world and the commands of its user with their virtual times, in their order.
///
/// It has room for `limit` changes and `textLimit` octets of texts. A full log refuses further commands, because a run without some of its
/// commands could not be repeated.
struct CommandLog: Hashable, Sendable {
    /// More than an hour of dragging without a pause: see `RoomDriver.moveInterval`.
    static let limit = WorldFile.Limit.events
    static let textLimit = 4 << 20

    typealias Entry = RoomRecord.Entry

    /// What a log has no room for.
    enum Limit: Hashable, Sendable {
        case commands, texts
    }

    private(set) var entries: [Entry] = []
    /// The octets of the texts of the entries up to each of them.
    private var textEnds: [Int] = []
    private let limit: Int

    init(limit: Int = Self.limit) { self.limit = limit }

    /// The log of a record.
    ///
    /// - Throws: `PhrasedError` if there is no room for it, or if its times are not in order.
    init(_ entries: [Entry], limit: Int) throws {
        self.limit = limit
        for entry in entries {
            guard (self.entries.last?.time ?? 0) <= entry.time else { throw PhrasedError.disorder }
            guard entry.time <= RoomTimeline.longest else { throw PhrasedError.tooLate }
            insert(entry, at: self.entries.count)
        }
        if self.entries.count > limit { throw PhrasedError.logFull(.commands, commandLimit: limit) }
        if textEnds.last ?? 0 > Self.textLimit { throw PhrasedError.logFull(.texts, commandLimit: limit) }
    }

    /// The number of further commands for which there is room in place of the commands from an index on.
    func room(at index: Int) -> Int {
        guard index < entries.count else { return limit - entries.count }
        return limit - index - entries[index...].count(where: \.isPlanned)
    }

    /// The octets of texts for which there is room in place of the commands from an index on.
    func textRoom(at index: Int) -> Int {
        let before = min(index, entries.count)
        let planned = entries[before...].reduce(0) { $0 + ($1.isPlanned ? $1.change.textCount : 0) }
        return Self.textLimit - (before == 0 ? 0 : textEnds[before - 1]) - planned
    }

    /// The reason why there is no room for a command in place of those from an index on, after `waiting` commands without texts; nil if there is.
    func obstacle(to change: WorldFile.Event.Change, at index: Int, after waiting: Int = 0) -> Limit? {
        if waiting >= room(at: index) { return .commands }
        return change.textCount > textRoom(at: index) ? .texts : nil
    }

    mutating func insert(_ entry: Entry, at index: Int) {
        entries.insert(entry, at: index)
        textEnds.append(0)
        for index in index..<entries.count {
            textEnds[index] = (index == 0 ? 0 : textEnds[index - 1]) + entries[index].change.textCount
        }
    }

    /// Notes that the change of an entry has failed.
    mutating func setFailed(at index: Int) { entries[index].hasFailed = true }

    /// Removes the commands from an index on. The events of the world stay. Returns whether there were commands.
    @discardableResult mutating func cut(from index: Int) -> Bool {
        guard index < entries.count, !entries[index...].allSatisfy(\.isPlanned) else { return false }
        let planned = entries[index...].filter(\.isPlanned)
        entries.removeSubrange(index...)
        textEnds.removeSubrange(index...)
        for entry in planned { insert(entry, at: entries.count) }
        return true
    }
}
