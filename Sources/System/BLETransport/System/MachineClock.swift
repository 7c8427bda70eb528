import BLEWire
import Glibc

/// The clocks of the machine: the time since its creation, which no change of the date moves, and the date.
package struct MachineClock: Sendable {
    private let start = ContinuousClock.now

    package init() {}

    /// Nanoseconds since the creation of the clock.
    package var now: Instant {
        let span = (ContinuousClock.now - start).components
        return Instant(nanoseconds: span.seconds * 1_000_000_000 + span.attoseconds / 1_000_000_000)
    }

    /// Nanoseconds since the beginning of 1970.
    package static var date: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
