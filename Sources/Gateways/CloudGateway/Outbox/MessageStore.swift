import DurableQueue

/// The queue of an outbox.
package protocol MessageStore {
    /// The number of messages that are not acknowledged.
    var count: Int { get }
    @discardableResult mutating func append(_ content: [UInt8]) throws(DurableQueueError) -> UInt64
    mutating func next() throws(DurableQueueError) -> DurableQueue.Message?
    mutating func acknowledge(_ sequence: UInt64) throws(DurableQueueError)
    /// Continues `next` at the oldest message that is not acknowledged.
    mutating func rewind()
    /// Continues `next` at this message.
    mutating func seek(to sequence: UInt64)
}

extension DurableQueue: MessageStore {}
