import BLEWire

/// Places the anchors of a central's new link away from the anchors of its other links.
enum AnchorPlan {
    struct Other {
        var anchor: Instant
        var interval: UInt16
    }

    /// The interval within `range`: that of another link, so that their anchors keep their distance, else the shortest.
    static func interval(in range: ClosedRange<UInt16>, others: [Other]) -> UInt16 {
        others.first { range.contains($0.interval) }?.interval ?? range.lowerBound
    }

    /// The time from `earliest` on, within one interval, with the greatest distance to the nearest anchor of any other link. It
    /// lies a whole number of 1.25 ms units from the others, so that links with equal intervals get equal times.
    static func anchor(notBefore earliest: Instant, interval: UInt16, others: [Other]) -> Instant {
        guard let first = others.first else { return earliest }
        let unit = LL.slot.nanoseconds
        var phase = (first.anchor - earliest).nanoseconds % unit
        if phase < 0 { phase += unit }
        let start = earliest + TimeSpan(nanoseconds: phase)
        var best: (anchor: Instant, room: Int64) = (start, -1)
        for offset in 0..<interval {
            let anchor = start + LL.slot * Int(offset)
            var room = Int64.max
            for other in others {
                // The anchors of two periods coincide at multiples of their greatest common divisor.
                let period = unit * Int64(greatestCommonDivisor(Int(interval), Int(other.interval)))
                var difference = (anchor - other.anchor).nanoseconds % period
                if difference < 0 { difference += period }
                room = min(room, difference, period - difference)
            }
            if room > best.room { best = (anchor, room) }
        }
        return best.anchor
    }

    private static func greatestCommonDivisor(_ first: Int, _ second: Int) -> Int {
        var (first, second) = (first, second)
        while second != 0 { (first, second) = (second, first % second) }
        return max(1, first)
    }
}
