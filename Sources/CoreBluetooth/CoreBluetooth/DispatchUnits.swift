import Dispatch

// Names that Dispatch has on Apple's systems only.

/// Nanoseconds in a second.
public let NSEC_PER_SEC: UInt64 = 1_000_000_000
/// Nanoseconds in a millisecond.
public let NSEC_PER_MSEC: UInt64 = 1_000_000
/// Nanoseconds in a microsecond.
public let NSEC_PER_USEC: UInt64 = 1_000
/// Microseconds in a second.
public let USEC_PER_SEC: UInt64 = 1_000_000
/// Milliseconds in a second.
public let MSEC_PER_SEC: UInt64 = 1_000

extension DispatchTime {
    /// The time from this one to another, negative if the other one is earlier. Beyond 292 years it is the nearest value.
    public func distance(to other: DispatchTime) -> DispatchTimeInterval {
        .nanoseconds(Int(span(from: uptimeNanoseconds, to: other.uptimeNanoseconds)))
    }

    /// The time after an interval.
    public func advanced(by interval: DispatchTimeInterval) -> DispatchTime { self + interval }
}

/// The difference of two unsigned numbers, or the nearest value.
private func span(from first: UInt64, to second: UInt64) -> Int64 {
    second >= first ? Int64(clamping: second - first) : -Int64(clamping: first - second)
}
