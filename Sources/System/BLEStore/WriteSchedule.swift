import BLEWire

/// Determines when a store writes a file: many changes in one write, and later and later attempts after failures. It
/// knows whether timers run, but does not start them.
struct WriteSchedule: Sendable {
    /// The first and the longest delay of a repeated write.
    static let shortestRetry = TimeSpan.milliseconds(250)
    static let longestRetry = TimeSpan.seconds(60)

    /// The number of failed writes since the last success. The log has the first failure and the next success.
    private(set) var failures = 0
    private var isTimerSet = false
    private var isImmediateTimerSet = false

    /// Returns whether the caller has to start a timer for the next write.
    mutating func setTimer() -> Bool {
        guard !isTimerSet, !isImmediateTimerSet else { return false }
        isTimerSet = true
        return true
    }

    /// Returns whether the caller has to start a timer without a delay. A later timer does not replace it.
    mutating func setImmediateTimer() -> Bool {
        defer { isImmediateTimerSet = true }
        return !isImmediateTimerSet
    }

    /// A timer ended, and the caller writes all changes.
    mutating func timerFired(immediately: Bool) {
        if immediately { isImmediateTimerSet = false } else { isTimerSet = false }
    }

    /// Counts a failed write. Returns the delay of the next attempt.
    mutating func fail() -> TimeSpan {
        failures += 1
        return min(TimeSpan(nanoseconds: Self.shortestRetry.nanoseconds << min(failures - 1, 8)), Self.longestRetry)
    }

    /// Counts a success. Returns whether writes failed before it.
    mutating func succeed() -> Bool {
        defer { failures = 0 }
        return failures > 0
    }
}
