import BLEAdapter
import BLETransport
import BLEWire

/// When an adapter of this machine is opened, and what programs are told while it cannot be. A value: time is an argument.
struct AdapterRecovery {
    static let firstDelay = TimeSpan.milliseconds(500)
    static let longestDelay = TimeSpan.seconds(30)
    /// So long after a loss the adapter counts as on its way back: a reset takes it away, too.
    static let grace = TimeSpan.seconds(5)

    /// When to try to open; nil: not by itself.
    private(set) var nextAttempt: Instant?
    private var delay = Self.firstDelay
    private var lostAt: Instant?

    /// The adapter worked and is gone. `workedAgain`: it came to work since the last time.
    mutating func lost(at now: Instant, workedAgain: Bool) {
        if workedAgain {
            delay = Self.firstDelay
            lostAt = now
        }
        scheduleNext(now)
    }

    /// The adapter cannot be opened. What programs are to be told.
    mutating func failed(_ error: TransportError.Kind, at now: Instant) -> AdapterState {
        switch error {
        case .permissionDenied:
            // Rights given to the file are for the next start.
            nextAttempt = nil
            return .unauthorized
        case .blocked:
            scheduleNext(now)
            return .poweredOff
        default:
            scheduleNext(now)
            if let lostAt, now - lostAt < Self.grace { return .resetting }
            return .unsupported
        }
    }

    /// The radio was switched off while the adapter was in use.
    mutating func blocked(at now: Instant) {
        delay = Self.firstDelay
        lostAt = nil
        scheduleNext(now)
    }

    /// A switch was thrown, or an adapter came or went: it is worth looking at once.
    mutating func somethingChanged(at now: Instant) {
        guard nextAttempt != nil else { return }
        delay = Self.firstDelay
        nextAttempt = now
    }

    mutating func attemptStarted() { nextAttempt = nil }

    private mutating func scheduleNext(_ now: Instant) {
        nextAttempt = now + delay
        delay = min(delay + delay, Self.longestDelay)
    }
}
