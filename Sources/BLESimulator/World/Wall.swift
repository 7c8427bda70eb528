import BLEController

/// A wall in a ``World``, upright and of any height. What passes through it loses power; two walls in the way cost what both do.
public struct Wall: Hashable, Sendable {
    /// One end on the floor; its height does not count.
    public var start: Position
    /// The other end.
    public var end: Position
    /// What a passage costs, in dB: about 3 for plasterboard, 10 for brick, 20 for concrete.
    public var attenuation: Double

    /// A wall between two points.
    public init(from start: Position, to end: Position, attenuation: Double) {
        self.start = start
        self.end = end
        self.attenuation = attenuation
    }

    var radioWall: BLEController.Wall {
        BLEController.Wall(from: start.radioPosition, to: end.radioPosition, attenuation: max(0, attenuation))
    }
}
