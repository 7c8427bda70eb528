import BLEWire

/// The waiting interval after failed pairings with one device (Vol 3, Part H, 2.3.6). It doubles with each failure and
/// halves with each quiet period.
package struct FailedAttempts: Hashable, Sendable {
    package static let firstInterval = TimeSpan.seconds(1)
    package static let maximumInterval = TimeSpan.seconds(300)
    package static let quietPeriod = TimeSpan.seconds(600)
    private static let maximumCount = 9

    private var count = 0
    private var last = Instant.zero

    package init() {}

    package mutating func failed(at now: Instant) {
        count = min(remaining(at: now) + 1, Self.maximumCount)
        last = now
    }

    /// The earliest time of the next attempt; nil if an attempt is allowed now.
    package func blockedUntil(at now: Instant) -> Instant? {
        let count = remaining(at: now)
        guard count > 0 else { return nil }
        let end = last + min(Self.firstInterval * (1 << (count - 1)), Self.maximumInterval)
        return now < end ? end : nil
    }

    /// Whether the interval has decayed completely.
    package func isForgotten(at now: Instant) -> Bool { remaining(at: now) == 0 }

    private func remaining(at now: Instant) -> Int {
        let quiet = (now - last).nanoseconds / Self.quietPeriod.nanoseconds
        return max(0, count - Int(clamping: max(0, quiet)))
    }
}

/// The failed attempts of devices that are not connected. A device that changes its address evades the table, as it
/// does any table by address. The table's size is bounded.
package struct FailedAttemptsTable: Sendable {
    package static let capacity = 64
    private var entries: [(peer: DeviceAddress, attempts: FailedAttempts)] = []

    package init() {}

    package var count: Int { entries.count }

    package subscript(peer: DeviceAddress) -> FailedAttempts {
        entries.first { $0.peer == peer }?.attempts ?? FailedAttempts()
    }

    /// Stores the failed attempts of a link that ended. A full table drops its oldest entry.
    package mutating func store(_ attempts: FailedAttempts, of peer: DeviceAddress, at now: Instant) {
        entries.removeAll { $0.peer == peer || $0.attempts.isForgotten(at: now) }
        guard !attempts.isForgotten(at: now) else { return }
        if entries.count == Self.capacity { entries.removeFirst() }
        entries.append((peer, attempts))
    }
}
