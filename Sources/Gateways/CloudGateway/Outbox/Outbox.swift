import BLEWire
import DurableQueue
import MQTTClient

/// Messages on their way to the broker: each is in the store until the broker acknowledges it. A window bounds the messages that are under
/// way. Messages that were stored a moment ago are published from memory, and others are read from the store.
package struct Outbox<Store: MessageStore> {
    package struct Counts: Hashable, Sendable {
        package var stored = 0
        package var acknowledged = 0
        /// Messages that the broker refused for a reason that a repetition does not change.
        package var refused = 0
        /// Answers of the broker that it does not take a message now.
        package var postponed = 0
        /// Messages that the store did not take.
        package var unstored = 0
    }

    package private(set) var store: Store
    package private(set) var counts = Counts()
    /// The last failure of the store; nil after one that ended.
    package private(set) var failure: DurableQueueError?
    /// Whether the disk took the last message.
    package private(set) var isStoring = true
    /// The last reason why the broker refused a message.
    package private(set) var refusal: String?
    /// What the driver publishes, with the sequence number as the number.
    package var publications: [(message: MQTTPublication, number: UInt64)] = []

    private let queueName: [UInt8]
    private var isConnected = false
    /// Messages after the last published one; empty while `readsStore`.
    private var recent: [(sequence: UInt64, content: [UInt8])] = []
    private var recentStart = 0
    private var recentOctets = 0
    private var readsStore = true
    private var underWay: [UInt64: (octets: Int, since: Instant)] = [:]
    private var octetsUnderWay = 0
    private var done: [UInt64] = []
    private var lastProgress = Instant.zero
    /// The average time between two publications; nil without a limit.
    private let spacing: TimeSpan?
    /// The moment at which `burst` worth of messages may be published at once again.
    private var full = Instant.zero
    /// When the limit lets the next message go; nil if it delays none.
    package private(set) var nextPublication: Instant?

    /// AWS IoT Core takes no more messages from a client than this before it has acknowledged one.
    private static var window: Int { 100 }
    private static var windowOctets: Int { 1 << 20 }
    private static var recentLimit: Int { 1 << 20 }
    private static var burst: TimeSpan { .milliseconds(100) }
    /// Without an acknowledgement for this long, the connection is taken for dead.
    package static var acknowledgementTimeout: TimeSpan { .seconds(30) }

    /// - Parameters:
    ///   - queueName: The name of the store, which is part of each message.
    ///   - rate: The most messages that are published in a second, also after a time without the broker; nil without a limit.
    package init(_ store: Store, queueName: String, rate: Int? = nil) {
        self.store = store
        spacing = rate.map { TimeSpan(nanoseconds: 1_000_000_000 / Int64(max(1, $0))) }
        self.queueName = Array("{\"queue\":\"\(queueName)\",\"seq\":".utf8)
    }

    /// Messages that the broker has not acknowledged.
    package var count: Int { store.count - done.count }
    package var underWayCount: Int { underWay.count }

    /// Stores a message and publishes it if the window has room.
    ///
    /// - Parameter payload: A JSON object with at least one member. The outbox adds the members `queue` and `seq`.
    package mutating func append(topic: String, _ payload: [UInt8], at now: Instant) {
        let name = topic.utf8
        var content: [UInt8] = []
        content.reserveCapacity(2 + name.count + payload.count)
        content.append(UInt8(truncatingIfNeeded: name.count))
        content.append(UInt8(truncatingIfNeeded: name.count >> 8))
        content.append(contentsOf: name)
        content.append(contentsOf: payload)
        do {
            let sequence = try store.append(content)
            if !isStoring { (isStoring, failure) = (true, nil) }
            counts.stored += 1
            if !readsStore {
                recent.append((sequence, content))
                recentOctets += content.count
                if recentOctets > Self.recentLimit {
                    store.seek(to: recent[recentStart].sequence)
                    clearRecent()
                    readsStore = true
                }
            }
        } catch {
            counts.unstored += 1
            if case DurableQueueError.system = error { isStoring = false }
            failure = error
        }
        fill(at: now)
    }

    // MARK: Events of the broker

    package mutating func connected(at now: Instant) {
        isConnected = true
        fill(at: now)
    }

    /// Messages that are not acknowledged are published again after the next connection.
    package mutating func disconnected() {
        commit()
        isConnected = false
        underWay.removeAll()
        octetsUnderWay = 0
        publications.removeAll()
        nextPublication = nil
        clearRecent()
        readsStore = true
        store.rewind()
    }

    /// Handles an acknowledgement, and returns the time since the publication. A number that is not under way has no effect.
    @discardableResult package mutating func published(_ number: UInt64, refusal: String?, at now: Instant) -> TimeSpan?
    {
        guard let message = underWay.removeValue(forKey: number) else { return nil }
        octetsUnderWay -= message.octets
        lastProgress = now
        done.append(number)
        if let refusal {
            counts.refused += 1
            self.refusal = refusal
        } else {
            counts.acknowledged += 1
        }
        fill(at: now)
        return now - message.since
    }

    /// Keeps a message that the broker does not take now. The message stays under way, so it comes again with the next connection, which
    /// begins at `deadline` at the latest if the broker acknowledges nothing else.
    package mutating func postponed(_ number: UInt64, reason: String) {
        guard underWay[number] != nil else { return }
        counts.postponed += 1
        refusal = reason
    }

    /// Removes acknowledged messages from the store. Called once for many acknowledgements, because each change of the store costs
    /// system calls: the oldest message last, so that the store advances once.
    package mutating func commit() {
        guard !done.isEmpty else { return }
        done.sort(by: >)
        for sequence in done {
            do { try store.acknowledge(sequence) } catch { failure = error }
        }
        done.removeAll(keepingCapacity: true)
    }

    /// When the connection is taken for dead if no acknowledgement arrives.
    package var deadline: Instant? { underWay.isEmpty ? nil : lastProgress + Self.acknowledgementTimeout }

    /// Publishes what `nextPublication` delayed.
    package mutating func handleTimeout(at now: Instant) {
        if let nextPublication, nextPublication <= now { fill(at: now) }
    }

    // MARK: Publishing

    private mutating func fill(at now: Instant) {
        nextPublication = nil
        while isConnected, underWay.count < Self.window, octetsUnderWay < Self.windowOctets {
            if let spacing {
                // At least one message may always go.
                let room = max(Self.burst - spacing, .zero)
                guard full - now <= room else {
                    nextPublication = full - room
                    return
                }
            }
            guard let (sequence, content) = next() else { return }
            guard let message = message(sequence, content) else {
                // The store returned what this version does not write.
                done.append(sequence)
                continue
            }
            if underWay.isEmpty { lastProgress = now }
            underWay[sequence] = (message.payload.count, now)
            octetsUnderWay += message.payload.count
            publications.append((message, sequence))
            if let spacing { full = max(full, now) + spacing }
        }
    }

    private mutating func next() -> (UInt64, [UInt8])? {
        if readsStore {
            do {
                if let message = try store.next() { return (message.sequence, message.content) }
            } catch {
                failure = error
                return nil
            }
            readsStore = false
        }
        guard recentStart < recent.count else { return nil }
        let message = recent[recentStart]
        recentStart += 1
        recentOctets -= message.content.count
        if recentStart == recent.count {
            clearRecent()
        } else if recentStart > 1024, recentStart > recent.count / 2 {
            recent.removeFirst(recentStart)
            recentStart = 0
        }
        return message
    }

    private mutating func clearRecent() {
        recent.removeAll(keepingCapacity: recent.count < 4096)
        (recentStart, recentOctets) = (0, 0)
    }

    private func message(_ sequence: UInt64, _ content: [UInt8]) -> MQTTPublication? {
        guard content.count > 2 else { return nil }
        let start = 2 + Int(content[0]) + Int(content[1]) << 8
        guard start + 2 < content.count, content[start] == UInt8(ascii: "{"),
            let topic = String(validating: content[2..<start], as: UTF8.self), !topic.isEmpty
        else { return nil }
        var payload: [UInt8] = []
        payload.reserveCapacity(queueName.count + 21 + content.count - start)
        payload.append(contentsOf: queueName)
        payload.append(contentsOf: String(sequence).utf8)
        payload.append(UInt8(ascii: ","))
        payload.append(contentsOf: content[(start + 1)...])
        return MQTTPublication(topic: topic, payload: payload)
    }
}
