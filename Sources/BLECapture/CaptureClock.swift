import BLEWire
import Glibc

/// Gives the instants of an executor their place on the calendar.
package enum CaptureClock: Hashable, Sendable {
    /// Virtual time: its origin is the beginning of 1970, so that the same run gives the same octets.
    case virtual
    /// Time that passes as on the wall; an instant is so many nanoseconds after 1970 as this says, more than its own.
    case wall(offset: Int64)

    /// The wall's clock, for an executor whose time is `now` at this moment.
    package static func wall(at now: Instant) -> CaptureClock {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return .wall(offset: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec) - now.nanoseconds)
    }

    /// Nanoseconds since the beginning of 1970.
    package func nanoseconds(_ instant: Instant) -> Int64 {
        switch self {
        case .virtual: instant.nanoseconds
        case .wall(let offset): instant.nanoseconds &+ offset
        }
    }
}
