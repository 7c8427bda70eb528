import DurableQueue

@testable import CloudGateway

/// A queue in memory, which fails when the test says so.
struct MemoryStore: MessageStore {
    private(set) var messages: [UInt64: [UInt8]] = [:]
    private(set) var nextToWrite: UInt64 = 0
    private var nextToRead: UInt64 = 0
    private var oldest: UInt64 = 0
    var isFull = false
    /// How often the outbox looked for a message.
    private(set) var reads = 0
    var failsToRead = false
    /// The errors of the next calls of `append`.
    var failures: [DurableQueueError] = []

    var count: Int { messages.count }

    mutating func append(_ content: [UInt8]) throws(DurableQueueError) -> UInt64 {
        if !failures.isEmpty { throw failures.removeFirst() }
        if isFull { throw .system(operation: "A write to", path: "memory", 28) }
        messages[nextToWrite] = content
        nextToWrite += 1
        return nextToWrite - 1
    }

    mutating func next() throws(DurableQueueError) -> DurableQueue.Message? {
        reads += 1
        if failsToRead { throw .system(operation: "A read from", path: "memory", 5) }
        while nextToRead < nextToWrite {
            defer { nextToRead += 1 }
            if let content = messages[nextToRead] { return .init(sequence: nextToRead, content: content) }
        }
        return nil
    }

    mutating func acknowledge(_ sequence: UInt64) throws(DurableQueueError) {
        messages[sequence] = nil
        while oldest < nextToWrite, messages[oldest] == nil { oldest += 1 }
    }

    mutating func rewind() { nextToRead = oldest }
    mutating func seek(to sequence: UInt64) { nextToRead = max(oldest, sequence) }
}
