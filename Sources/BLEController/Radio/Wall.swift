/// A wall, upright and of any height: what passes through it loses power.
package struct Wall: Hashable, Sendable {
    /// Its ends on the floor, in metres; the height does not count.
    package var start: Position
    package var end: Position
    /// What a passage costs, in dB: about 3 for plasterboard, 10 for brick, 20 for concrete.
    package var attenuation: Double

    package init(from start: Position, to end: Position, attenuation: Double) {
        self.start = start
        self.end = end
        self.attenuation = attenuation
    }

    /// Whether the straight way between two positions passes through it: the same answer both ways. Where two walls meet, the way
    /// through the joint passes one of them.
    func stands(between one: Position, and other: Position) -> Bool {
        // In one order, so that a way that touches an end is judged alike in both directions.
        let isOrdered = (one.x, one.y) <= (other.x, other.y)
        let (first, second) = isOrdered ? (one, other) : (other, one)
        return (Self.side(first, start, end) >= 0) != (Self.side(second, start, end) >= 0)
            && (Self.side(start, first, second) >= 0) != (Self.side(end, first, second) >= 0)
    }

    /// Positive if `point` lies to the left of the line from `start` to `end`, negative to the right.
    private static func side(_ point: Position, _ start: Position, _ end: Position) -> Double {
        (end.x - start.x) * (point.y - start.y) - (end.y - start.y) * (point.x - start.x)
    }
}
