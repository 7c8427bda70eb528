import MQTTClient

/// The publications of a session that the broker has not acknowledged. Replies stay for the next connection, and others end with theirs.
struct PublicationWindow: Sendable {
    /// Numbers of the session's publications have this bit, and sequence numbers of the outbox have not.
    static let numberBit: UInt64 = 1 << 63
    /// The replies that wait for the broker, and their octets.
    static let replyLimit = 256
    static let replyOctetLimit = 4 << 20
    /// The other publications that wait for the broker.
    static let publicationLimit = 256

    private var nextNumber = Self.numberBit
    /// The publications of this connection, other than replies.
    private var unacknowledged: Set<UInt64> = []
    /// In the order of their numbers.
    private(set) var replies: [(number: UInt64, message: MQTTPublication)] = []
    private var replyOctets = 0

    /// Begins a connection. `replies` are published again.
    mutating func begin() { unacknowledged = [] }

    mutating func takeNumber() -> UInt64 {
        defer { nextNumber = nextNumber &+ 1 | Self.numberBit }
        return nextNumber
    }

    /// Adds a publication other than a reply. Returns its number; nil if too many wait.
    mutating func add() -> UInt64? {
        guard unacknowledged.count < Self.publicationLimit else { return nil }
        let number = takeNumber()
        unacknowledged.insert(number)
        return number
    }

    /// Adds a reply. A connection carries a bounded number of replies without an acknowledgement: further ones are dropped, and the
    /// client can send its command again. Without a connection, the oldest replies give way.
    ///
    /// - Returns: The number of the reply, nil if it has no room, and the number of replies that were dropped.
    mutating func add(reply message: MQTTPublication, isConnected: Bool) -> (number: UInt64?, dropped: Int) {
        var dropped = 0
        while replies.count >= Self.replyLimit || replyOctets + message.payload.count > Self.replyOctetLimit {
            dropped += 1
            guard !isConnected, !replies.isEmpty else { return (nil, dropped) }
            replyOctets -= replies.removeFirst().message.payload.count
        }
        let number = takeNumber()
        replies.append((number, message))
        replyOctets += message.payload.count
        return (number, dropped)
    }

    func isReply(_ number: UInt64) -> Bool { replies.contains { $0.number == number } }

    /// Removes a publication that the broker acknowledged, or that is dropped.
    mutating func remove(_ number: UInt64) {
        unacknowledged.remove(number)
        guard let index = replies.firstIndex(where: { $0.number == number }) else { return }
        replyOctets -= replies.remove(at: index).message.payload.count
    }
}
