/// The commands of the user with their virtual times, in their order.
///
/// It has room for `limit` commands and `textLimit` octets of texts. A full log refuses further commands, because a run without some of its
/// commands could not be repeated.
struct CommandLog: Hashable, Sendable {
    static let limit = 20_000
    static let textLimit = 4 << 20

    struct Entry: Hashable, Sendable {
        /// Nanoseconds since the room began.
        var time: Int64
        var command: RoomCommand
    }

    private(set) var entries: [Entry] = []
    private var textCount = 0

    /// Whether there is room for a command.
    func hasRoom(for command: RoomCommand) -> Bool {
        entries.count < Self.limit && textCount + command.textCount <= Self.textLimit
    }

    mutating func append(_ command: RoomCommand, at time: Int64) {
        entries.append(Entry(time: time, command: command))
        textCount += command.textCount
    }

    /// Removes the entries from an index on.
    mutating func cut(from index: Int) {
        guard index < entries.count else { return }
        textCount -= entries[index...].reduce(0) { $0 + $1.command.textCount }
        entries.removeSubrange(index...)
    }
}
