import simd

/// The orientation of a sensor.
public struct Orientation {
    /// The rotation since the start.
    public private(set) var rotation = simd_quatf(ix: 0, iy: 0, iz: 0, r: 1)

    /// Makes the orientation at the start.
    public init() {}

    /// Adds the rotation of a gyroscope.
    ///
    /// - Parameters:
    ///   - rate: The speed in radians per second about each axis.
    ///   - seconds: The time.
    public mutating func add(_ rate: simd_float3, seconds: Float) {
        let speed = simd_length(rate)
        guard speed > 0 else { return }
        rotation = simd_normalize(rotation * simd_quatf(angle: speed * seconds, axis: simd_normalize(rate)))
    }

    /// A direction of the sensor, as seen at the start.
    public func direction(_ vector: simd_float3) -> simd_float3 { simd_float3x3(rotation) * vector }
}
