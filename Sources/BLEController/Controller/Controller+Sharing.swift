import BLEWire

/// How links share the radio. Anchors lie where they lie, so the times between them are of different length, and a whole
/// number of packets rarely fits. A link whose turn it is may go on over the anchor of another that has had more time: that
/// one loses an event, and the sums stay equal. It may also do so for a turn long enough that the unused rest counts little.
/// Only who has more to say than an event takes is passed over like that; who says little is asked in each of its events.
extension Controller {
    /// So many packets and answers make a turn long enough.
    private static let packetsInTurn = 32
    /// Nobody is passed over for longer than this.
    private static let longestSilence = TimeSpan.seconds(1)
    /// Nor so often in a row as a peripheral, which has to hear of a change before its instant, six events after the first that
    /// may tell of it (Vol 6, Part B, 5.1.1): two are lost, in the third the central repeats what it had not been
    /// acknowledged, two are lost, and in the sixth it tells.
    private static let mostMissedOfCentral = 2

    /// Takes down that a link's event begins, and how long it may go on.
    mutating func beginTurn(_ slot: Int, at now: Instant) {
        // Who wanted nothing has no claim to the time that others used, and who could not use its turns has no large one.
        let arrears = links[slot].isBusy ? links[slot].intervalSpan * 4 : .zero
        links[slot].used = max(links[slot].used, level - arrears)
        level = links[slot].used
        links[slot].active?.began = now
        limitTurn(slot, at: now)
    }

    /// Decides when the radio must be free again: at the link's own next anchor, or when something else has its turn.
    mutating func limitTurn(_ slot: Int, at now: Instant) {
        let limit = turnEnd(slot, at: now)
        let share = backgroundShare
        guard share > 0 else {
            links[slot].active?.limit = limit
            return
        }
        let whole = limit - links[slot].anchor
        links[slot].active?.limit = limit - TimeSpan(nanoseconds: whole.nanoseconds / 100 * Int64(share))
    }

    /// Takes down that it is over.
    mutating func endTurn(_ slot: Int, _ event: LinkLayerConnection.Event, at now: Instant) {
        links[slot].used = links[slot].used + (now - event.began)
        links[slot].isBusy = event.ownMore || event.peerMore || links[slot].hasNews
    }

    private func turnEnd(_ slot: Int, at now: Instant) -> Instant {
        // The next anchor is one interval after this one, whatever has been skipped.
        var end = links[slot].anchor + links[slot].intervalSpan
        guard openLinks.count > 1 else { return end }
        var turn = nextStart(after: now, before: end, except: slot)
        while turn < end {
            for other in openLinks where other != slot && starts[other] == turn && !isPassable(other) { return turn }
            let longEnough = links[slot].longestExchange * Self.packetsInTurn
            let used = links[slot].used
            let following = nextStart(after: turn, before: end, except: slot)
            for other in openLinks where other != slot && starts[other] == turn {
                let ahead = links[other].used - used
                // Afterwards the two are closer to each other than if the other had its turn.
                let isFair = (ahead - (turn - now)) * 2 > following - turn
                let isShort = turn - now < longEnough && ahead * 16 > .zero - longEnough
                guard isFair || isShort else { return turn }
                // One event at most.
                end = min(end, turn + links[other].intervalSpan)
            }
            turn = following
        }
        return end
    }

    private func nextStart(after time: Instant, before end: Instant, except slot: Int) -> Instant {
        var first = end
        for other in openLinks where other != slot && starts[other] > time && starts[other] < first {
            first = starts[other]
        }
        return first
    }

    /// Whether a link may lose its next event, and does not need it for its own sake.
    private func isPassable(_ slot: Int) -> Bool {
        let link = links[slot]
        guard link.isBusy, link.isEstablished, link.changes.isEmpty, link.procedures.isIdle,
            link.isCentral || link.missed < Self.mostMissedOfCentral
        else { return false }
        let silence = link.intervalSpan * (link.missed + 1) * (Int(link.latency) + 1)
        return silence <= Self.longestSilence && (silence + link.intervalSpan) * 2 <= link.timeoutSpan
    }

    /// What scanner and initiator get of the time that a busy link would take, in percent: as much as their windows are of
    /// their intervals, at most 30.
    private var backgroundShare: Int {
        var share = 0
        if scanning.isEnabled { share = max(share, scanning.schedule.share) }
        if initiating.isEnabled { share = max(share, initiating.schedule.share) }
        return min(30, share)
    }
}
