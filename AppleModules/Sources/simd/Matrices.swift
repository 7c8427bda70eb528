// Square matrices. Apple's module also has rectangular ones, which this one lacks.

/// A matrix of two columns and two rows.
public struct simd_matrix2x2<Scalar: SIMDScalar & BinaryFloatingPoint>: simd_square_matrix, @unchecked Sendable {
    /// The columns.
    public var columns: (SIMD2<Scalar>, SIMD2<Scalar>)

    /// The matrix of zeros.
    public init() { columns = (.zero, .zero) }
    /// A matrix by its columns.
    public init(columns: (SIMD2<Scalar>, SIMD2<Scalar>)) { self.columns = columns }
    /// A matrix by its columns.
    public init(_ c0: SIMD2<Scalar>, _ c1: SIMD2<Scalar>) { columns = (c0, c1) }

    /// A column, counted from 0.
    public subscript(column: Int) -> SIMD2<Scalar> {
        get {
            switch column {
            case 0: columns.0
            case 1: columns.1
            default: preconditionFailure("a matrix of this type has 2 columns")
            }
        }
        set {
            switch column {
            case 0: columns.0 = newValue
            case 1: columns.1 = newValue
            default: preconditionFailure("a matrix of this type has 2 columns")
            }
        }
    }
}

/// A matrix of three columns and three rows.
public struct simd_matrix3x3<Scalar: SIMDScalar & BinaryFloatingPoint>: simd_square_matrix, @unchecked Sendable {
    /// The columns.
    public var columns: (SIMD3<Scalar>, SIMD3<Scalar>, SIMD3<Scalar>)

    /// The matrix of zeros.
    public init() { columns = (.zero, .zero, .zero) }
    /// A matrix by its columns.
    public init(columns: (SIMD3<Scalar>, SIMD3<Scalar>, SIMD3<Scalar>)) { self.columns = columns }
    /// A matrix by its columns.
    public init(_ c0: SIMD3<Scalar>, _ c1: SIMD3<Scalar>, _ c2: SIMD3<Scalar>) { columns = (c0, c1, c2) }

    /// A column, counted from 0.
    public subscript(column: Int) -> SIMD3<Scalar> {
        get {
            switch column {
            case 0: columns.0
            case 1: columns.1
            case 2: columns.2
            default: preconditionFailure("a matrix of this type has 3 columns")
            }
        }
        set {
            switch column {
            case 0: columns.0 = newValue
            case 1: columns.1 = newValue
            case 2: columns.2 = newValue
            default: preconditionFailure("a matrix of this type has 3 columns")
            }
        }
    }
}

/// A matrix of four columns and four rows.
public struct simd_matrix4x4<Scalar: SIMDScalar & BinaryFloatingPoint>: simd_square_matrix, @unchecked Sendable {
    /// The columns.
    public var columns: (SIMD4<Scalar>, SIMD4<Scalar>, SIMD4<Scalar>, SIMD4<Scalar>)

    /// The matrix of zeros.
    public init() { columns = (.zero, .zero, .zero, .zero) }
    /// A matrix by its columns.
    public init(columns: (SIMD4<Scalar>, SIMD4<Scalar>, SIMD4<Scalar>, SIMD4<Scalar>)) { self.columns = columns }
    /// A matrix by its columns.
    public init(_ c0: SIMD4<Scalar>, _ c1: SIMD4<Scalar>, _ c2: SIMD4<Scalar>, _ c3: SIMD4<Scalar>) {
        columns = (c0, c1, c2, c3)
    }

    /// A column, counted from 0.
    public subscript(column: Int) -> SIMD4<Scalar> {
        get {
            switch column {
            case 0: columns.0
            case 1: columns.1
            case 2: columns.2
            case 3: columns.3
            default: preconditionFailure("a matrix of this type has 4 columns")
            }
        }
        set {
            switch column {
            case 0: columns.0 = newValue
            case 1: columns.1 = newValue
            case 2: columns.2 = newValue
            case 3: columns.3 = newValue
            default: preconditionFailure("a matrix of this type has 4 columns")
            }
        }
    }
}

/// A matrix of two columns and two rows.
public typealias simd_float2x2 = simd_matrix2x2<Float>
/// A matrix of two columns and two rows.
public typealias float2x2 = simd_matrix2x2<Float>
/// The matrix that changes no vector.
public let matrix_identity_float2x2 = simd_float2x2(1)
/// A matrix of two columns and two rows.
public typealias simd_double2x2 = simd_matrix2x2<Double>
/// A matrix of two columns and two rows.
public typealias double2x2 = simd_matrix2x2<Double>
/// The matrix that changes no vector.
public let matrix_identity_double2x2 = simd_double2x2(1)
/// A matrix of three columns and three rows.
public typealias simd_float3x3 = simd_matrix3x3<Float>
/// A matrix of three columns and three rows.
public typealias float3x3 = simd_matrix3x3<Float>
/// The matrix that changes no vector.
public let matrix_identity_float3x3 = simd_float3x3(1)
/// A matrix of three columns and three rows.
public typealias simd_double3x3 = simd_matrix3x3<Double>
/// A matrix of three columns and three rows.
public typealias double3x3 = simd_matrix3x3<Double>
/// The matrix that changes no vector.
public let matrix_identity_double3x3 = simd_double3x3(1)
/// A matrix of four columns and four rows.
public typealias simd_float4x4 = simd_matrix4x4<Float>
/// A matrix of four columns and four rows.
public typealias float4x4 = simd_matrix4x4<Float>
/// The matrix that changes no vector.
public let matrix_identity_float4x4 = simd_float4x4(1)
/// A matrix of four columns and four rows.
public typealias simd_double4x4 = simd_matrix4x4<Double>
/// A matrix of four columns and four rows.
public typealias double4x4 = simd_matrix4x4<Double>
/// The matrix that changes no vector.
public let matrix_identity_double4x4 = simd_double4x4(1)

extension simd_matrix4x4 {
    /// The rotation of a quaternion.
    public init(_ quaternion: simd_quat<Scalar>) {
        let rotation = simd_matrix3x3(quaternion)
        self.init(
            SIMD4(rotation[0], 0), SIMD4(rotation[1], 0), SIMD4(rotation[2], 0), SIMD4(SIMD3(repeating: 0), 1))
    }
}

extension simd_matrix3x3 {
    /// The rotation of a quaternion of length 1.
    public init(_ quaternion: simd_quat<Scalar>) {
        self.init(quaternion.act(SIMD3(1, 0, 0)), quaternion.act(SIMD3(0, 1, 0)), quaternion.act(SIMD3(0, 0, 1)))
    }
}
