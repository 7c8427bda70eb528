import BLEWire

/// The schedule of the scanner and the initiator on one PHY: a window at the start of each interval, on the three advertising
/// channels in turn (Vol 6, Part B, 4.4.3).
struct ListeningSchedule: Hashable {
    let interval: TimeSpan
    let window: TimeSpan
    private(set) var channel: UInt8
    private(set) var isOpen = false

    /// - Parameters:
    ///   - interval: In units of 0.625 ms, like `window`.
    ///   - firstChannel: The channel of the first interval, 37 to 39.
    init(interval: UInt16, window: UInt16, firstChannel: UInt8 = 37) {
        channel = firstChannel == 37 ? 39 : firstChannel - 1
        self.interval = .microseconds(625 * Int(interval))
        self.window = .microseconds(625 * Int(min(window, interval)))
    }

    /// Whether the window is as long as the interval, and so never closes.
    var isContinuous: Bool { window == interval }

    /// The ratio of window and interval in percent.
    var share: Int { Int(100 * window.nanoseconds / max(1, interval.nanoseconds)) }

    /// Whether the ranges of an interval and a window hold. The extended commands have no upper limit (Vol 4, Part E, 7.8.10 and
    /// 7.8.64).
    static func isValid(_ interval: UInt16, _ window: UInt16, isExtended: Bool = false) -> Bool {
        window >= 4 && window <= interval && (isExtended || interval <= 0x4000)
    }

    mutating func beginInterval() {
        channel = channel == 39 ? 37 : channel + 1
        isOpen = true
    }

    mutating func endWindow() { isOpen = false }
}

/// A PHY of the primary advertising channels (Vol 6, Part B, 2.3.1).
enum PrimaryPHY: Hashable, CaseIterable {
    case oneM
    case coded

    /// The PHY on which a packet was received.
    init(_ phy: LL.PHY) { self = phy.isCoded ? .coded : .oneM }

    /// The PHY to listen on.
    var phy: LL.PHY { self == .oneM ? .oneM : .codedS8 }
    var other: PrimaryPHY { self == .oneM ? .coded : .oneM }
}

/// A role that listens in the background.
enum ListeningRole: Hashable {
    case scanner
    case initiator
}

/// The schedules of a role on the primary PHYs; nil for a PHY that the role does not use.
struct ListeningSchedules: Hashable {
    private var oneM: ListeningSchedule?
    private var coded: ListeningSchedule?

    subscript(phy: PrimaryPHY) -> ListeningSchedule? {
        get { phy == .oneM ? oneM : coded }
        set { if phy == .oneM { oneM = newValue } else { coded = newValue } }
    }

    func isOpen(on phy: PrimaryPHY) -> Bool { self[phy]?.isOpen ?? false }

    /// The time from the start of the role to its first interval on a PHY; nil if it does not listen there. Windows that fit one interval together
    /// do not overlap.
    func delay(on phy: PrimaryPHY) -> TimeSpan? {
        guard self[phy] != nil else { return nil }
        guard phy == .coded, let oneM, let coded, oneM.interval == coded.interval,
            oneM.window + coded.window <= oneM.interval
        else { return .zero }
        return oneM.window
    }

    /// Begins an interval on a PHY. Returns the times from now to the next interval and to the end of the window, which is nil if the window has
    /// none; nil if the role does not listen there.
    mutating func beginInterval(on phy: PrimaryPHY) -> (next: TimeSpan, windowEnd: TimeSpan?)? {
        guard var schedule = self[phy] else { return nil }
        schedule.beginInterval()
        self[phy] = schedule
        return (schedule.interval, schedule.isContinuous ? nil : schedule.window)
    }

    mutating func endWindows() {
        oneM?.endWindow()
        coded?.endWindow()
    }

    /// The share of the time for which the role listens, in percent.
    var share: Int { min(100, (oneM?.share ?? 0) + (coded?.share ?? 0)) }
}

/// Divides the time for which windows on both primary PHYs are open. The turns have random lengths: with equal ones, a link with a
/// suitable interval could take all turns of one PHY.
struct ListeningTurns: Hashable {
    private(set) var phy = PrimaryPHY.oneM
    private(set) var end = Instant.zero

    /// Begins the turn of the other PHY, of 5 to 15 ms, if the current one has ended.
    mutating func choose(at now: Instant, random: inout SeededRandom) -> PrimaryPHY {
        guard now >= end else { return phy }
        phy = phy.other
        end = now + .microseconds(5_000 + Int(random.next() % 10_001))
        return phy
    }
}
