// The vectors of Apple's module are those of the standard library under other names.

/// Two numbers.
public typealias simd_float2 = SIMD2<Float>
/// Three numbers.
public typealias simd_float3 = SIMD3<Float>
/// Four numbers.
public typealias simd_float4 = SIMD4<Float>
/// Two numbers.
public typealias simd_double2 = SIMD2<Double>
/// Three numbers.
public typealias simd_double3 = SIMD3<Double>
/// Four numbers.
public typealias simd_double4 = SIMD4<Double>
/// Two numbers.
public typealias simd_int2 = SIMD2<Int32>
/// Three numbers.
public typealias simd_int3 = SIMD3<Int32>
/// Four numbers.
public typealias simd_int4 = SIMD4<Int32>
/// Two numbers.
public typealias simd_uint2 = SIMD2<UInt32>
/// Three numbers.
public typealias simd_uint3 = SIMD3<UInt32>
/// Four numbers.
public typealias simd_uint4 = SIMD4<UInt32>
/// Two numbers.
public typealias float2 = SIMD2<Float>
/// Three numbers.
public typealias float3 = SIMD3<Float>
/// Four numbers.
public typealias float4 = SIMD4<Float>
/// Two numbers.
public typealias double2 = SIMD2<Double>
/// Three numbers.
public typealias double3 = SIMD3<Double>
/// Four numbers.
public typealias double4 = SIMD4<Double>

/// The scalar product.
public func simd_dot<V: SIMD>(_ x: V, _ y: V) -> V.Scalar where V.Scalar: FloatingPoint { (x * y).sum() }
/// The square of the length.
public func simd_length_squared<V: SIMD>(_ x: V) -> V.Scalar where V.Scalar: FloatingPoint { simd_dot(x, x) }
/// The length.
public func simd_length<V: SIMD>(_ x: V) -> V.Scalar where V.Scalar: FloatingPoint { simd_dot(x, x).squareRoot() }
/// The square of the distance between two points.
public func simd_distance_squared<V: SIMD>(_ x: V, _ y: V) -> V.Scalar where V.Scalar: FloatingPoint {
    simd_length_squared(x - y)
}
/// The distance between two points.
public func simd_distance<V: SIMD>(_ x: V, _ y: V) -> V.Scalar where V.Scalar: FloatingPoint { simd_length(x - y) }
/// The vector of length 1 in the same direction; not a number for the zero vector.
public func simd_normalize<V: SIMD>(_ x: V) -> V where V.Scalar: FloatingPoint { x / simd_length(x) }
/// The vector product.
public func simd_cross<Scalar: FloatingPoint>(_ x: SIMD3<Scalar>, _ y: SIMD3<Scalar>) -> SIMD3<Scalar> {
    SIMD3(x.y * y.z - x.z * y.y, x.z * y.x - x.x * y.z, x.x * y.y - x.y * y.x)
}
/// The point between two others: `x` for 0, `y` for 1.
public func simd_mix<V: SIMD>(_ x: V, _ y: V, _ t: V) -> V where V.Scalar: FloatingPoint { x + t * (y - x) }
/// Each number, limited to a range.
public func simd_clamp<V: SIMD>(_ x: V, _ min: V, _ max: V) -> V where V.Scalar: Comparable {
    x.clamped(lowerBound: min, upperBound: max)
}
/// The smaller number of each place.
public func simd_min<V: SIMD>(_ x: V, _ y: V) -> V where V.Scalar: Comparable { pointwiseMin(x, y) }
/// The greater number of each place.
public func simd_max<V: SIMD>(_ x: V, _ y: V) -> V where V.Scalar: Comparable { pointwiseMax(x, y) }
/// The absolute value of each number.
public func simd_abs<V: SIMD>(_ x: V) -> V where V.Scalar: FloatingPoint { x.replacing(with: -x, where: x .< 0) }

/// The scalar product.
public func dot<V: SIMD>(_ x: V, _ y: V) -> V.Scalar where V.Scalar: FloatingPoint { simd_dot(x, y) }
/// The square of the length.
public func length_squared<V: SIMD>(_ x: V) -> V.Scalar where V.Scalar: FloatingPoint { simd_length_squared(x) }
/// The length.
public func length<V: SIMD>(_ x: V) -> V.Scalar where V.Scalar: FloatingPoint { simd_length(x) }
/// The distance between two points.
public func distance<V: SIMD>(_ x: V, _ y: V) -> V.Scalar where V.Scalar: FloatingPoint { simd_distance(x, y) }
/// The vector of length 1 in the same direction; not a number for the zero vector.
public func normalize<V: SIMD>(_ x: V) -> V where V.Scalar: FloatingPoint { simd_normalize(x) }
/// The vector product.
public func cross<Scalar: FloatingPoint>(_ x: SIMD3<Scalar>, _ y: SIMD3<Scalar>) -> SIMD3<Scalar> { simd_cross(x, y) }
/// The point between two others: `x` for 0, `y` for 1.
public func mix<V: SIMD>(_ x: V, _ y: V, t: V.Scalar) -> V where V.Scalar: FloatingPoint {
    simd_mix(x, y, V(repeating: t))
}
/// Each number, limited to a range.
public func clamp<V: SIMD>(_ x: V, min: V, max: V) -> V where V.Scalar: Comparable { simd_clamp(x, min, max) }
/// The smaller number of each place.
public func min<V: SIMD>(_ x: V, _ y: V) -> V where V.Scalar: Comparable { pointwiseMin(x, y) }
/// The greater number of each place.
public func max<V: SIMD>(_ x: V, _ y: V) -> V where V.Scalar: Comparable { pointwiseMax(x, y) }
/// The absolute value of each number.
public func abs<V: SIMD>(_ x: V) -> V where V.Scalar: FloatingPoint { simd_abs(x) }
/// The sum of the numbers.
public func reduce_add<V: SIMD>(_ x: V) -> V.Scalar where V.Scalar: FloatingPoint { x.sum() }
