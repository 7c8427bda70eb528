/// A point in time, in nanoseconds since an origin that the driver of the code chooses. No target below the runtime
/// reads a clock: the time is always an argument.
@usableFromInline
package struct Instant: Hashable, Comparable, Sendable {
    @usableFromInline package var nanoseconds: Int64

    @inlinable
    package init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    package static let zero = Instant(nanoseconds: 0)

    @inlinable
    package static func < (left: Instant, right: Instant) -> Bool { left.nanoseconds < right.nanoseconds }
    @inlinable
    package static func + (left: Instant, right: TimeSpan) -> Instant {
        Instant(nanoseconds: left.nanoseconds &+ right.nanoseconds)
    }
    @inlinable
    package static func - (left: Instant, right: TimeSpan) -> Instant {
        Instant(nanoseconds: left.nanoseconds &- right.nanoseconds)
    }
    @inlinable
    package static func - (left: Instant, right: Instant) -> TimeSpan {
        TimeSpan(nanoseconds: left.nanoseconds &- right.nanoseconds)
    }
    @inlinable
    package static func += (left: inout Instant, right: TimeSpan) { left = left + right }
}

/// A length of time in nanoseconds.
@usableFromInline
package struct TimeSpan: Hashable, Comparable, Sendable {
    @usableFromInline package var nanoseconds: Int64

    @inlinable
    package init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    package static let zero = TimeSpan(nanoseconds: 0)

    @inlinable
    package static func nanoseconds(_ value: Int) -> TimeSpan { TimeSpan(nanoseconds: Int64(value)) }
    @inlinable
    package static func microseconds(_ value: Int) -> TimeSpan { TimeSpan(nanoseconds: Int64(value) &* 1_000) }
    @inlinable
    package static func milliseconds(_ value: Int) -> TimeSpan { TimeSpan(nanoseconds: Int64(value) &* 1_000_000) }
    @inlinable
    package static func seconds(_ value: Int) -> TimeSpan { TimeSpan(nanoseconds: Int64(value) &* 1_000_000_000) }

    @inlinable
    package static func < (left: TimeSpan, right: TimeSpan) -> Bool { left.nanoseconds < right.nanoseconds }
    @inlinable
    package static func + (left: TimeSpan, right: TimeSpan) -> TimeSpan {
        TimeSpan(nanoseconds: left.nanoseconds &+ right.nanoseconds)
    }
    @inlinable
    package static func - (left: TimeSpan, right: TimeSpan) -> TimeSpan {
        TimeSpan(nanoseconds: left.nanoseconds &- right.nanoseconds)
    }
    @inlinable
    package static func * (left: TimeSpan, right: Int) -> TimeSpan {
        TimeSpan(nanoseconds: left.nanoseconds &* Int64(right))
    }
}
