import BLEWire

/// How links share the radio. Anchors never move, so the times between them differ, and rarely fit a whole number of PDUs. The
/// current link may continue over the anchor of another link that has used more time. The other link misses one event, and the used
/// times converge. The current link may also continue for a turn of a minimum length, to reduce the share of unused time. Only a
/// busy link, which has more data than fits an event, misses events in this way.
extension LinkTable {
    /// The number of exchanges that makes a turn long enough.
    private static let packetsInTurn = 32
    /// The longest time for which a link may miss events.
    private static let longestSilence = TimeSpan.seconds(1)
    /// The most events in a row that any link misses: those of 7.5 ms, the shortest interval, in `longestSilence`.
    private static let mostMissed = 133
    /// The most events in a row that a link misses as a peripheral. It must receive an update before its instant, which lies six
    /// events after the first one that may carry the update (Vol 6, Part B, 5.1.1): the link misses two events, receives a
    /// retransmission in the third, misses two more, and receives the update in the sixth.
    private static let mostMissedOfCentral = 2

    /// Records the start of a link's event and its limit.
    mutating func beginTurn(_ slot: Int, at now: Instant, backgroundShare: Int) {
        // A link without data has no claim to the time that others used, and a link that could not use its turns has a small one.
        let arrears = self[slot].share.isBusy ? self[slot].timing.intervalSpan * 4 : .zero
        self[slot].share.used = max(self[slot].share.used, level - arrears)
        level = self[slot].share.used
        self[slot].active?.began = now
        limitTurn(slot, at: now, backgroundShare: backgroundShare)
    }

    /// Sets the time at which the radio must be free again: the link's own next anchor, or the turn of another link.
    ///
    /// - Parameter backgroundShare: The share of the time for the scanner and the initiator, in percent.
    func limitTurn(_ slot: Int, at now: Instant, backgroundShare: Int) {
        let limit = turnEnd(slot, at: now)
        guard backgroundShare > 0 else {
            self[slot].active?.limit = limit
            return
        }
        let whole = limit - self[slot].timing.anchor
        self[slot].active?.limit = limit - TimeSpan(nanoseconds: whole.nanoseconds / 100 * Int64(backgroundShare))
    }

    /// Records the end of a link's event.
    func endTurn(_ slot: Int, _ event: LinkLayerConnection.Event, at now: Instant) {
        self[slot].share.used = self[slot].share.used + (now - event.began)
        self[slot].share.isBusy = event.ownMore || event.peerMore || self[slot].hasNews
    }

    private func turnEnd(_ slot: Int, at now: Instant) -> Instant {
        var end = self[slot].followingStart
        guard openSlots.count > 1 else { return end }
        var turn = nextStart(after: now, before: end, except: slot)
        while turn < end {
            for other in openSlots where other != slot && starts[other] == turn && !isPassable(other) { return turn }
            let longEnough = self[slot].longestExchange * Self.packetsInTurn
            let used = self[slot].share.used
            let following = nextStart(after: turn, before: end, except: slot)
            for other in openSlots where other != slot && starts[other] == turn {
                let ahead = self[other].share.used - used
                // The used times are closer to each other afterwards than after a turn of the other link.
                let isFair = (ahead - (turn - now)) * 2 > following - turn
                let isShort = turn - now < longEnough && ahead * 16 > .zero - longEnough
                guard isFair || isShort else { return turn }
                // The other link misses at most one event.
                end = min(end, turn + self[other].timing.intervalSpan)
            }
            turn = following
        }
        return end
    }

    private func nextStart(after time: Instant, before end: Instant, except slot: Int) -> Instant {
        var first = end
        for other in openSlots where other != slot && starts[other] > time && starts[other] < first {
            first = starts[other]
        }
        return first
    }

    /// Whether a busy link may miss its next event.
    private func isPassable(_ slot: Int) -> Bool { self[slot].share.isBusy && mayMissEvent(slot) }

    /// The start of the first event that a link cannot lose; `Instant.max` without links.
    func nextIndispensableStart() -> Instant {
        var first = Instant(nanoseconds: .max)
        for slot in openSlots {
            var lost = 0
            while lost < Self.mostMissed, mayMissEvent(slot, after: lost) { lost += 1 }
            first = min(first, starts[slot] + self[slot].timing.intervalSpan * lost)
        }
        return first
    }

    /// Whether a link survives the loss of its next event, with time to spare.
    ///
    /// - Parameter more: Events that it loses before.
    func mayMissEvent(_ slot: Int, after more: Int = 0) -> Bool {
        let link = self[slot]
        let missed = link.share.missed + more
        guard link.state.isEstablished, link.changes.isEmpty, link.procedures.isIdle,
            link.isCentral || missed < Self.mostMissedOfCentral
        else { return false }
        let silence = link.timing.longestSleep * (missed + 1)
        return silence <= Self.longestSilence && (silence + link.timing.intervalSpan) * 2 <= link.timing.timeoutSpan
    }
}
