import BLEController

/// A vertical wall of unlimited height in a ``World`` that attenuates signals. The attenuations of several walls add up.
public struct Wall: Hashable, Sendable {
    /// One end on the floor. Its height is ignored.
    public var start: Position
    /// The other end.
    public var end: Position
    /// The attenuation in dB: about 3 for plasterboard, 10 for brick, 20 for concrete.
    public var attenuation: Double

    /// Creates a wall between two points.
    public init(from start: Position, to end: Position, attenuation: Double) {
        self.start = start
        self.end = end
        self.attenuation = attenuation
    }

    /// Whether it attenuates the signals between two positions.
    package func stands(between one: Position, and other: Position) -> Bool {
        radioWall.stands(between: one.radioPosition, and: other.radioPosition)
    }

    var radioWall: RadioWall {
        RadioWall(from: start.radioPosition, to: end.radioPosition, attenuation: max(0, attenuation))
    }
}
