import Foundation

/// A quaternion of floating-point numbers.
public typealias simd_quatf = simd_quat<Float>
/// A quaternion of double precision.
public typealias simd_quatd = simd_quat<Double>

/// A quaternion. One of length 1 is a rotation in space.
public struct simd_quat<Scalar: SIMDScalar & BinaryFloatingPoint>: Equatable, @unchecked Sendable {
    /// The numbers: the three imaginary ones, then the real one.
    public var vector: SIMD4<Scalar>

    /// The quaternion of zeros.
    public init() { vector = .zero }
    /// A quaternion by its numbers: the three imaginary ones, then the real one.
    public init(vector: SIMD4<Scalar>) { self.vector = vector }
    /// A quaternion by its numbers.
    public init(ix: Scalar, iy: Scalar, iz: Scalar, r: Scalar) { vector = SIMD4(ix, iy, iz, r) }
    /// A quaternion by its real and its imaginary part.
    public init(real: Scalar, imag: SIMD3<Scalar>) { vector = SIMD4(imag, real) }
    /// The rotation about an axis, which has the length 1, by an angle in radians.
    public init(angle: Scalar, axis: SIMD3<Scalar>) {
        let half = Double(angle) / 2
        self.init(real: Scalar(cos(half)), imag: axis * Scalar(sin(half)))
    }
    /// The shortest rotation of one vector to another. Both have the length 1.
    public init(from: SIMD3<Scalar>, to: SIMD3<Scalar>) {
        let sum = from + to
        guard simd_length_squared(sum) > Scalar.ulpOfOne else {
            // Half a turn about any axis at a right angle.
            let other: SIMD3<Scalar> = abs(from.x) < 0.5 ? SIMD3(1, 0, 0) : SIMD3(0, 1, 0)
            self.init(real: 0, imag: simd_normalize(simd_cross(from, other)))
            return
        }
        let middle = simd_normalize(sum)
        self.init(real: simd_dot(from, middle), imag: simd_cross(from, middle))
    }
    /// The rotation of a matrix. The matrix must be a rotation.
    public init(_ rotation: simd_matrix3x3<Scalar>) {
        let (x, y, z) = (rotation[0], rotation[1], rotation[2])
        // The greatest of the four squares, four times.
        let squares = SIMD4(
            1 + x.x - y.y - z.z, 1 - x.x + y.y - z.z, 1 - x.x - y.y + z.z, 1 + x.x + y.y + z.z)
        let greatest = squares.max()
        let numbers: SIMD4<Scalar> =
            if greatest == squares.w {
                SIMD4(y.z - z.y, z.x - x.z, x.y - y.x, greatest)
            } else if greatest == squares.x {
                SIMD4(greatest, x.y + y.x, z.x + x.z, y.z - z.y)
            } else if greatest == squares.y {
                SIMD4(x.y + y.x, greatest, y.z + z.y, z.x - x.z)
            } else {
                SIMD4(z.x + x.z, y.z + z.y, greatest, x.y - y.x)
            }
        vector = numbers / (2 * greatest.squareRoot())
    }
    /// The rotation of a matrix. The matrix must be a rotation.
    public init(_ rotation: simd_matrix4x4<Scalar>) {
        func part(_ column: SIMD4<Scalar>) -> SIMD3<Scalar> { SIMD3(column.x, column.y, column.z) }
        self.init(simd_matrix3x3(part(rotation[0]), part(rotation[1]), part(rotation[2])))
    }

    /// The real part.
    public var real: Scalar {
        get { vector.w }
        set { vector.w = newValue }
    }
    /// The imaginary part.
    public var imag: SIMD3<Scalar> {
        get { SIMD3(vector.x, vector.y, vector.z) }
        set { vector = SIMD4(newValue, vector.w) }
    }
    /// The angle of the rotation in radians, from 0 to 2π.
    public var angle: Scalar { Scalar(2 * atan2(Double(simd_length(imag)), Double(real))) }
    /// The axis of the rotation; not a number for a rotation by 0.
    public var axis: SIMD3<Scalar> { simd_normalize(imag) }
    /// The length.
    public var length: Scalar { simd_length(vector) }
    /// The quaternion of length 1 in the same direction.
    public var normalized: Self { Self(vector: simd_normalize(vector)) }
    /// The quaternion with the opposite imaginary part.
    public var conjugate: Self { Self(real: real, imag: -imag) }
    /// The quaternion whose product with this one is 1.
    public var inverse: Self { Self(vector: conjugate.vector / simd_length_squared(vector)) }
    /// The rotated vector.
    public func act(_ vector: SIMD3<Scalar>) -> SIMD3<Scalar> {
        let twice = 2 * simd_cross(imag, vector)
        return vector + real * twice + simd_cross(imag, twice)
    }

    /// The sum.
    public static func + (a: Self, b: Self) -> Self { Self(vector: a.vector + b.vector) }
    /// The difference.
    public static func - (a: Self, b: Self) -> Self { Self(vector: a.vector - b.vector) }
    /// The quaternion with the opposite numbers, which is the same rotation.
    public static prefix func - (a: Self) -> Self { Self(vector: -a.vector) }
    /// The product: the rotation `b`, then `a`.
    public static func * (a: Self, b: Self) -> Self {
        Self(
            real: a.real * b.real - simd_dot(a.imag, b.imag),
            imag: a.real * b.imag + b.real * a.imag + simd_cross(a.imag, b.imag))
    }
    /// The product with a number.
    public static func * (a: Self, b: Scalar) -> Self { Self(vector: a.vector * b) }
    /// The product with a number.
    public static func * (a: Scalar, b: Self) -> Self { b * a }
    /// The quotient: `a * b.inverse`.
    public static func / (a: Self, b: Self) -> Self { a * b.inverse }
    /// The quotient with a number.
    public static func / (a: Self, b: Scalar) -> Self { Self(vector: a.vector / b) }
    /// Multiplies with a quaternion, from the right.
    public static func *= (a: inout Self, b: Self) { a = a * b }
}

/// The product: the rotation `y`, then `x`.
public func simd_mul<Scalar>(_ x: simd_quat<Scalar>, _ y: simd_quat<Scalar>) -> simd_quat<Scalar> { x * y }
/// The rotated vector.
public func simd_act<Scalar>(_ q: simd_quat<Scalar>, _ v: SIMD3<Scalar>) -> SIMD3<Scalar> { q.act(v) }
/// The quaternion of length 1 in the same direction.
public func simd_normalize<Scalar>(_ q: simd_quat<Scalar>) -> simd_quat<Scalar> { q.normalized }
/// The quaternion with the opposite imaginary part.
public func simd_conjugate<Scalar>(_ q: simd_quat<Scalar>) -> simd_quat<Scalar> { q.conjugate }
/// The quaternion whose product with this one is 1.
public func simd_inverse<Scalar>(_ q: simd_quat<Scalar>) -> simd_quat<Scalar> { q.inverse }
/// The length.
public func simd_length<Scalar>(_ q: simd_quat<Scalar>) -> Scalar { q.length }
/// The scalar product of the numbers.
public func simd_dot<Scalar>(_ x: simd_quat<Scalar>, _ y: simd_quat<Scalar>) -> Scalar { simd_dot(x.vector, y.vector) }

/// The rotation between two others, `q0` for 0 and `q1` for 1, on the shorter way and with constant speed.
public func simd_slerp<Scalar>(
    _ q0: simd_quat<Scalar>, _ q1: simd_quat<Scalar>, _ t: Scalar
) -> simd_quat<Scalar> {
    let cosine = simd_dot(q0, q1)
    let end = cosine < 0 ? -q1 : q1
    let angle = acos(Double(min(abs(cosine), 1)))
    // Without an angle, the way is a line.
    guard angle > 1e-4 else { return (q0 + (end - q0) * t).normalized }
    let (first, second) = (sin((1 - Double(t)) * angle) / sin(angle), sin(Double(t) * angle) / sin(angle))
    return q0 * Scalar(first) + end * Scalar(second)
}
