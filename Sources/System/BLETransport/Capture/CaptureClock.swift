import BLEWire

/// Converts the instants of an executor to dates.
package enum CaptureClock: Hashable, Sendable {
    /// Virtual time, which begins with 1970, so that the same run gives the same octets.
    case virtual
    /// Real time. The offset is added to an instant's nanoseconds and gives those since the beginning of 1970.
    case wall(offset: Int64)

    /// Real time, for an executor whose time is `now` at this moment.
    package static func wall(at now: Instant) -> CaptureClock {
        .wall(offset: MachineClock.date - now.nanoseconds)
    }

    /// Nanoseconds since the beginning of 1970.
    package func nanoseconds(_ instant: Instant) -> Int64 {
        switch self {
        case .virtual: instant.nanoseconds
        case .wall(let offset): instant.nanoseconds &+ offset
        }
    }
}
