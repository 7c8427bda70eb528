import BLEController

/// A point in space, in metres.
public struct Position: Hashable, Sendable {
    /// Metres along the first axis.
    public var x: Double
    /// Metres along the second axis.
    public var y: Double
    /// Metres of height.
    public var z: Double

    /// A point from its coordinates in metres.
    public init(x: Double = 0, y: Double = 0, z: Double = 0) {
        self.x = x
        self.y = y
        self.z = z
    }

    /// Where all axes meet.
    public static let origin = Position()

    /// The distance to `other` in metres.
    public func distance(to other: Position) -> Double {
        let (dx, dy, dz) = (x - other.x, y - other.y, z - other.z)
        return (dx * dx + dy * dy + dz * dz).squareRoot()
    }

    var radioPosition: BLEController.Position { BLEController.Position(x: x, y: y, z: z) }
}
