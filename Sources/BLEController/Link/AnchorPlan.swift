import BLEWire

/// Where a central puts the anchors of a new link so that they keep away from those of its others.
enum AnchorPlan {
    struct Other {
        var anchor: Instant
        var interval: UInt16
    }

    /// The interval to take from `range`: one that another link has, so that anchors stay where they are to each other;
    /// else the shortest.
    static func interval(in range: ClosedRange<UInt16>, others: [Other]) -> UInt16 {
        others.first { range.contains($0.interval) }?.interval ?? range.lowerBound
    }

    /// The time not before `earliest`, and less than an interval after it, that leaves most room to the nearest anchor of
    /// another link, whenever the two meet. It lies a whole number of units of 1.25 ms from the others, so that equal links
    /// have equal times.
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
                // Two periods meet at every multiple of their greatest common divisor.
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
