import BLEWire

/// When a connected session publishes its statistics, and announces itself to Home Assistant.
struct PublicationSchedule: Sendable {
    static let statisticsInterval = TimeSpan.seconds(60)
    /// The shortest time between two announcements that Home Assistant causes.
    static let announcementInterval = TimeSpan.seconds(60)

    private var nextStatistics: Instant?
    /// The time before which no message of Home Assistant causes an announcement.
    private var nextAnnouncement: Instant?
    private var isAnnouncementDue = false

    /// Begins a connection, which has an announcement of its own.
    mutating func begin(at now: Instant) {
        nextStatistics = now
        isAnnouncementDue = false
    }

    /// Home Assistant started.
    mutating func requestAnnouncement() { isAnnouncementDue = true }

    /// Whether the statistics are due. If so, the next ones are due after the interval.
    mutating func takeStatistics(at now: Instant) -> Bool {
        guard let next = nextStatistics, next <= now else { return false }
        nextStatistics = now + Self.statisticsInterval
        return true
    }

    /// Whether a requested announcement is due. If so, the next one is due after the interval at the earliest.
    mutating func takeAnnouncement(at now: Instant) -> Bool {
        guard isAnnouncementDue, nextAnnouncement.map({ $0 <= now }) ?? true else { return false }
        isAnnouncementDue = false
        nextAnnouncement = now + Self.announcementInterval
        return true
    }

    var deadline: Instant? { [nextStatistics, isAnnouncementDue ? nextAnnouncement : nil].compactMap(\.self).min() }
}
