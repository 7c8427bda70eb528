import BLEWire

/// The connections of all gateways: how many are up, and what happens between the first loss and the moment when all are up again.
package struct ConnectionWatch: Sendable {
    /// A time without all connections, after a time with all of them.
    package struct Outage: Hashable, Sendable {
        package let began: Instant
        /// The most gateways without a connection at the same time.
        package var away = 1
        /// The first connection after the moment when most were away.
        package var firstBack: Instant?
        /// When all were up again.
        package var ended: Instant?
        /// Attempts to connect.
        package var attempts = 0
        /// The attempts of the busiest second.
        package var busiestSecond = 0
    }

    private static let stormLimit = 100

    package let total: Int
    package private(set) var online = 0
    /// When all gateways were up for the first time.
    package private(set) var complete: Instant?
    /// The latest storms. The last one can be under way.
    package private(set) var storms: [Outage] = []
    private var isOnline: [Bool]
    private var attempts = 0
    private var attemptsBefore = 0
    /// Attempts of the last second, as pairs of a moment and the number until then.
    private var recent: [(at: Instant, attempts: Int)] = []

    package init(total: Int) {
        self.total = total
        isOnline = [Bool](repeating: false, count: total)
    }

    private var isStorm: Bool { storms.last.map { $0.ended == nil } ?? false }

    package mutating func connected(_ index: Int, at now: Instant) {
        guard !isOnline[index] else { return }
        isOnline[index] = true
        online += 1
        if isStorm, storms[storms.count - 1].firstBack == nil { storms[storms.count - 1].firstBack = now }
        guard online == total else { return }
        if complete == nil { complete = now }
        if isStorm { storms[storms.count - 1].ended = now }
    }

    package mutating func lost(_ index: Int, at now: Instant) {
        guard isOnline[index] else { return }
        isOnline[index] = false
        online -= 1
        guard complete != nil else { return }
        if isStorm {
            if total - online > storms[storms.count - 1].away {
                storms[storms.count - 1].away = total - online
                storms[storms.count - 1].firstBack = nil
            }
        } else {
            if storms.count == Self.stormLimit { storms.removeFirst() }
            storms.append(Outage(began: now))
            attemptsBefore = attempts
            recent = []
        }
    }

    /// Takes note of the attempts of all gateways since the start. Called a few times in a second.
    package mutating func noteAttempts(_ count: Int, at now: Instant) {
        attempts = count
        guard var storm = storms.last, storm.ended.map({ now - $0 < .seconds(1) }) ?? true else { return }
        storm.attempts = max(storm.attempts, count - attemptsBefore)
        recent.removeAll { now - $0.at > .seconds(1) }
        recent.append((now, count))
        storm.busiestSecond = max(storm.busiestSecond, count - (recent.first?.attempts ?? count))
        storms[storms.count - 1] = storm
    }
}
