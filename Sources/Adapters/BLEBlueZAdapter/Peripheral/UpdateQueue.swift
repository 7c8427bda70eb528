import BLEAdapter
import BLEWire

/// The values of one session that wait for bluetoothd. Any thread may add some.
final class UpdateQueue: Sendable {
    struct Update {
        let characteristic: CharacteristicReference
        let value: [UInt8]
        /// Nil for all subscribers.
        let centrals: [PeerIdentifier]?
    }

    enum Answer {
        /// No such client is subscribed.
        case unwanted
        case queued(mustFlush: Bool)
        /// The queue is full.
        case refused
    }

    private struct Content {
        var updates: [Update] = []
        var subscribers: [CharacteristicReference: Set<PeerIdentifier>] = [:]
        /// A flush is on its way to the scheduler.
        var isFlushing = false
        /// An update was refused, and the session does not know that there is room.
        var wasFull = false
    }

    /// The values that wait at most.
    static let limit = 32

    private let content = Lock(Content())

    func add(_ value: Span<UInt8>, _ characteristic: CharacteristicReference, _ centrals: [PeerIdentifier]?) -> Answer {
        let octets = [UInt8](value.extracting(first: ATT.maximumValueLength))
        return content.withLock { content in
            guard let subscribers = content.subscribers[characteristic],
                centrals.map({ !subscribers.isDisjoint(with: $0) }) ?? true
            else { return .unwanted }
            guard content.updates.count < Self.limit else {
                content.wasFull = true
                return .refused
            }
            content.updates.append(Update(characteristic: characteristic, value: octets, centrals: centrals))
            defer { content.isFlushing = true }
            return .queued(mustFlush: !content.isFlushing)
        }
    }

    // MARK: On the scheduler

    var first: Update? { content.withLock { $0.updates.first } }

    func removeFirst() { content.withLock { content in if !content.updates.isEmpty { content.updates.removeFirst() } } }

    /// Returns true if the session has to be told that there is room.
    func flushed() -> Bool {
        content.withLock { content in
            content.isFlushing = !content.updates.isEmpty
            guard content.wasFull, content.updates.count <= Self.limit / 2 else { return false }
            content.wasFull = false
            return true
        }
    }

    func setSubscribers(_ subscribers: Set<PeerIdentifier>, to characteristic: CharacteristicReference) {
        content.withLock { $0.subscribers[characteristic] = subscribers.isEmpty ? nil : subscribers }
    }

    /// Drops the values and the subscribers. Returns true if the session has to be told that there is room.
    func reset() -> Bool {
        content.withLock { content in
            defer { content = Content() }
            return content.wasFull
        }
    }
}
