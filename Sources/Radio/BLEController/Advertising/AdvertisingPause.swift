import BLEWire

/// The time that advertising owes the scanner and the initiator. Sets that together need more time than there is would use all of it, so they pause
/// when they owe enough.
struct AdvertisingPause {
    /// Until then the sets leave the radio to the scanner, the initiator and links; nil without a pause.
    private(set) var end: Instant?
    /// What the sets owe at the end of the last event.
    private var debt = TimeSpan.zero
    private var lastEnd = Instant.zero
    /// The time of all extended events and trains since a reset.
    private(set) var used = TimeSpan.zero

    /// A shorter pause has no room for an advertisement with AUX_ADV_IND.
    private static let shortest = TimeSpan.milliseconds(5)

    /// Notes the end of an event.
    ///
    /// - Parameters:
    ///   - start: The start of the event.
    ///   - backgroundShare: The ratio of the time for the scanner and the initiator to that for events, in percent.
    mutating func noteEnd(from start: Instant, isLegacy: Bool = false, at now: Instant, backgroundShare: Int) {
        if !isLegacy { used = used + (now - start) }
        let share = TimeSpan(nanoseconds: (now - start).nanoseconds / 100 * Int64(backgroundShare))
        // The time between two events pays.
        debt = max(.zero, debt - (start - lastEnd)) + share
        lastEnd = now
        end = debt < Self.shortest ? nil : now + debt
    }

    /// Ends a pause that is over.
    mutating func expire(at now: Instant) { if let end, end <= now { self.end = nil } }
}
