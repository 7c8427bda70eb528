/// Numbers conversations from 0.
struct ConversationCounter: Hashable, Sendable {
    private(set) var next = 0

    mutating func begin() -> Int {
        defer { next += 1 }
        return next
    }
}
