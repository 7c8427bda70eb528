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

    /// The offset from `earliest`, in units of 1.25 ms and at most the interval, that leaves most room to the nearest
    /// anchor of another link, whenever the two meet.
    static func offset(from earliest: Instant, interval: UInt16, others: [Other]) -> UInt16 {
        guard !others.isEmpty else { return 0 }
        var best: (offset: UInt16, room: Int64) = (0, -1)
        for offset in 0..<interval {
            let anchor = earliest + LL.slot * Int(offset)
            var room = Int64.max
            for other in others {
                // Two periods meet at every multiple of their greatest common divisor.
                let period = LL.slot.nanoseconds * Int64(greatestCommonDivisor(Int(interval), Int(other.interval)))
                var difference = (anchor - other.anchor).nanoseconds % period
                if difference < 0 { difference += period }
                room = min(room, difference, period - difference)
            }
            if room > best.room { best = (offset, room) }
        }
        return best.offset
    }

    /// How far each of several links of one interval has to move its anchor, so that all have the same distance, in the
    /// order that they have now; 0 for those that are close enough to where they should be. The first stays.
    static func moves(of anchors: [Instant], interval: TimeSpan) -> [TimeSpan] {
        guard let first = anchors.first, interval > .zero else { return [] }
        let period = interval.nanoseconds
        let phases = anchors.map { anchor in
            let phase = (anchor - first).nanoseconds % period
            return phase < 0 ? phase + period : phase
        }
        var moves = anchors.map { _ in TimeSpan.zero }
        let order = anchors.indices.sorted { (phases[$0], $0) < (phases[$1], $1) }
        for (place, link) in order.enumerated() {
            var move = (period * Int64(place) / Int64(anchors.count) - phases[link]) % period
            if move < 0 { move += period }
            let error = min(move, period - move)
            if error > period / Int64(200 * anchors.count) { moves[link] = TimeSpan(nanoseconds: move) }
        }
        return moves
    }

    private static func greatestCommonDivisor(_ first: Int, _ second: Int) -> Int {
        var (first, second) = (first, second)
        while second != 0 { (first, second) = (second, first % second) }
        return max(1, first)
    }
}
