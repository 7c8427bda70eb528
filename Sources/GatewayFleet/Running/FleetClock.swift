import BLEWire
import Glibc

/// The two clocks of a fleet.
struct FleetClock: Sendable {
    private let start = ContinuousClock.now

    /// Nanoseconds since the start.
    var now: Instant {
        let span = (ContinuousClock.now - start).components
        return Instant(nanoseconds: span.seconds * 1_000_000_000 + span.attoseconds / 1_000_000_000)
    }

    /// Microseconds since 1970.
    static var time: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
    }
}
