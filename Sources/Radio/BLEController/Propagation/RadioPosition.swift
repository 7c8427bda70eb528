/// The position of a device in metres.
package struct RadioPosition: Hashable, Sendable {
    package var x: Double
    package var y: Double
    package var z: Double

    package init(x: Double = 0, y: Double = 0, z: Double = 0) {
        self.x = x
        self.y = y
        self.z = z
    }

    package static let origin = RadioPosition()

    /// The squared distance to `other` in square metres.
    package func squaredDistance(to other: RadioPosition) -> Double {
        let (dx, dy, dz) = (x - other.x, y - other.y, z - other.z)
        return dx * dx + dy * dy + dz * dz
    }
}
