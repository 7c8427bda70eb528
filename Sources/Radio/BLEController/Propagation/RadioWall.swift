/// A vertical wall of unlimited height that attenuates signals.
package struct RadioWall: Hashable, Sendable {
    /// The ends on the floor in metres. The height is ignored.
    package var start: RadioPosition
    package var end: RadioPosition
    /// The attenuation in dB: about 3 for plasterboard, 10 for brick, 20 for concrete.
    package var attenuation: Double

    package init(from start: RadioPosition, to end: RadioPosition, attenuation: Double) {
        self.start = start
        self.end = end
        self.attenuation = attenuation
    }

    /// Whether the line between two positions crosses the wall. The result is symmetric. A line through the joint of two walls
    /// crosses one of them.
    package func stands(between one: RadioPosition, and other: RadioPosition) -> Bool {
        // The positions are ordered, so that a line through an end gives the same result in both directions.
        let isOrdered = (one.x, one.y) <= (other.x, other.y)
        let (first, second) = isOrdered ? (one, other) : (other, one)
        return (Self.side(first, start, end) >= 0) != (Self.side(second, start, end) >= 0)
            && (Self.side(start, first, second) >= 0) != (Self.side(end, first, second) >= 0)
    }

    /// Positive if `point` is left of the line from `start` to `end`, negative if it is right of it.
    private static func side(_ point: RadioPosition, _ start: RadioPosition, _ end: RadioPosition) -> Double {
        (end.x - start.x) * (point.y - start.y) - (end.y - start.y) * (point.x - start.x)
    }
}
