/// The states of a room before each change of its user, for undo, and after each one that was undone.
struct RoomSteps {
    static let limit = 100
    /// The most entries of all states together.
    static let entryLimit = 200_000
    /// The most rooms. The states of one room share its world.
    static let roomLimit = 8

    struct Step {
        var record: RoomRecord
        /// The number of the room. States of one room differ in their commands only.
        var room: Int
        /// The command that follows the state, or that was undone.
        var word: String
        var drag: Int?
    }

    private let limit: Int
    /// In the order of the changes.
    private(set) var undo: [Step] = []
    private(set) var redo: [Step] = []

    init(limit: Int) { self.limit = limit }

    /// Whether changes of this room can be undone.
    var isKept: Bool { limit > 0 }

    /// Whether the latest change is a move of a drag.
    func continues(_ drag: Int?) -> Bool { drag != nil && undo.last?.drag == drag && redo.isEmpty }

    /// Notes the state before a change.
    mutating func add(_ record: RoomRecord, _ room: Int, _ word: String, drag: Int? = nil) {
        redo = []
        undo.append(Step(record: record, room: room, word: word, drag: drag))
        bound()
    }

    /// The state before the latest change. `present` can then be brought back.
    mutating func back(from present: RoomRecord, _ room: Int) -> Step? {
        guard let step = undo.popLast() else { return nil }
        redo.append(Step(record: present, room: room, word: step.word))
        return step
    }

    /// The state after the change that was undone last.
    mutating func forth(from present: RoomRecord, _ room: Int) -> Step? {
        guard let step = redo.popLast() else { return nil }
        undo.append(Step(record: present, room: room, word: step.word))
        bound()
        return step
    }

    /// Forgets the oldest changes.
    private mutating func bound() {
        var count = undo.reduce(0) { $0 + $1.record.entries.count }
        var excess = max(0, undo.count - limit)
        for step in undo.prefix(excess) { count -= step.record.entries.count }
        while count > Self.entryLimit, excess < undo.count {
            count -= undo[excess].record.entries.count
            excess += 1
        }
        while Set(undo[excess...].map(\.room)).count > Self.roomLimit { excess += 1 }
        undo.removeFirst(excess)
    }
}
