import BLEController

/// A point in space, in metres.
public struct Position: Hashable, Sendable {
    /// The x coordinate in metres.
    public var x: Double
    /// The y coordinate in metres.
    public var y: Double
    /// The height in metres.
    public var z: Double

    /// Creates a point from its coordinates in metres.
    public init(x: Double = 0, y: Double = 0, z: Double = 0) {
        self.x = x
        self.y = y
        self.z = z
    }

    /// The origin of the coordinates.
    public static let origin = Position()

    /// The distance to `other` in metres.
    public func distance(to other: Position) -> Double {
        let (dx, dy, dz) = (x - other.x, y - other.y, z - other.z)
        return (dx * dx + dy * dy + dz * dz).squareRoot()
    }

    var radioPosition: RadioPosition { RadioPosition(x: x, y: y, z: z) }
}
