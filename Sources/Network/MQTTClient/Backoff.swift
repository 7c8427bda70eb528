import BLEWire

/// The pauses between attempts to connect: each is twice the previous one up to a limit, and a random part of it keeps many clients
/// from connecting at the same moment after the broker's restart.
package struct Backoff: Sendable {
    package let range: ClosedRange<TimeSpan>
    private var limit: TimeSpan

    package init(_ range: ClosedRange<TimeSpan> = .seconds(1) ... .seconds(60)) {
        self.range = range
        limit = range.lowerBound
    }

    /// The next pause: between one half of the current limit and all of it.
    package mutating func next(using random: inout some RandomNumberGenerator) -> TimeSpan {
        let current = limit
        limit = TimeSpan(
            nanoseconds: min(
                range.upperBound.nanoseconds, current.nanoseconds.multipliedReportingOverflow(by: 2).partialValue))
        if limit < range.lowerBound { limit = range.upperBound }
        return TimeSpan(nanoseconds: .random(in: (current.nanoseconds / 2)...current.nanoseconds, using: &random))
    }

    /// Begins with the shortest pause again.
    package mutating func reset() { limit = range.lowerBound }
}
