/// A square matrix that consists of its columns. The types of this module have all of Apple's operators through this protocol.
public protocol simd_square_matrix: Equatable, Sendable {
    /// A column; also the type of a row, and of the vectors that the matrix transforms.
    associatedtype Column: SIMD where Column.Scalar: BinaryFloatingPoint
    /// The matrix of zeros.
    init()
    /// A column, counted from 0.
    subscript(column: Int) -> Column { get set }
}

extension simd_square_matrix {
    private static var size: Int { Column.scalarCount }

    /// A matrix with one number in its diagonal, and zeros elsewhere.
    public init(_ scalar: Column.Scalar) { self.init(diagonal: Column(repeating: scalar)) }

    /// A matrix with these numbers in its diagonal, and zeros elsewhere.
    public init(diagonal: Column) {
        self.init()
        for index in 0..<Self.size { self[index][index] = diagonal[index] }
    }

    /// A matrix by its columns; the number of columns must be that of the type.
    public init(_ columns: [Column]) {
        precondition(columns.count == Self.size, "a matrix of this type has \(Self.size) columns")
        self.init()
        for (index, column) in columns.enumerated() { self[index] = column }
    }

    /// A matrix by its rows; the number of rows must be that of the type.
    public init(rows: [Column]) { self = Self(rows).transpose }

    /// A number by its column and its row, both counted from 0.
    public subscript(column: Int, row: Int) -> Column.Scalar {
        get { self[column][row] }
        set { self[column][row] = newValue }
    }

    /// The matrix with its columns as rows.
    public var transpose: Self {
        var result = Self()
        for column in 0..<Self.size {
            for row in 0..<Self.size { result[row][column] = self[column][row] }
        }
        return result
    }

    /// The determinant.
    public var determinant: Column.Scalar { eliminated.determinant }

    /// The inverse. Its numbers are not a number if the determinant is 0.
    public var inverse: Self { eliminated.inverse }

    /// Gauss and Jordan's elimination, on the columns, with the greatest pivot of a row.
    private var eliminated: (inverse: Self, determinant: Column.Scalar) {
        var (rest, inverse, determinant) = (self, Self(1), Column.Scalar(1))
        for row in 0..<Self.size {
            let pivot = (row..<Self.size).max { abs(rest[$0][row]) < abs(rest[$1][row]) } ?? row
            if pivot != row {
                (rest[row], rest[pivot]) = (rest[pivot], rest[row])
                (inverse[row], inverse[pivot]) = (inverse[pivot], inverse[row])
                determinant = -determinant
            }
            let value = rest[row][row]
            determinant *= value
            guard value != 0 else { return (mapColumns { _ in Column(repeating: .nan) }, 0) }
            rest[row] /= value
            inverse[row] /= value
            for column in 0..<Self.size where column != row {
                let factor = rest[column][row]
                rest[column] -= rest[row] * factor
                inverse[column] -= inverse[row] * factor
            }
        }
        return (inverse, determinant)
    }

    private func mapColumns(_ change: (Column) -> Column) -> Self {
        var result = self
        for index in 0..<Self.size { result[index] = change(self[index]) }
        return result
    }

    /// Whether all numbers are equal.
    public static func == (a: Self, b: Self) -> Bool { (0..<size).allSatisfy { a[$0] == b[$0] } }
    /// The sum.
    public static func + (a: Self, b: Self) -> Self { Self((0..<size).map { a[$0] + b[$0] }) }
    /// The difference.
    public static func - (a: Self, b: Self) -> Self { Self((0..<size).map { a[$0] - b[$0] }) }
    /// The matrix with the opposite numbers.
    public static prefix func - (a: Self) -> Self { a.mapColumns { -$0 } }
    /// The product with a number.
    public static func * (a: Self, b: Column.Scalar) -> Self { a.mapColumns { $0 * b } }
    /// The product with a number.
    public static func * (a: Column.Scalar, b: Self) -> Self { b * a }
    /// The transformed vector.
    public static func * (a: Self, b: Column) -> Column {
        (0..<size).reduce(into: Column(repeating: 0)) { $0 += a[$1] * b[$1] }
    }
    /// The vector, as a row, transformed from the left.
    public static func * (a: Column, b: Self) -> Column { b.transpose * a }
    /// The product: the transformation `b`, then `a`.
    public static func * (a: Self, b: Self) -> Self { b.mapColumns { a * $0 } }
    /// Adds a matrix.
    public static func += (a: inout Self, b: Self) { a = a + b }
    /// Subtracts a matrix.
    public static func -= (a: inout Self, b: Self) { a = a - b }
    /// Multiplies with a number.
    public static func *= (a: inout Self, b: Column.Scalar) { a = a * b }
    /// Multiplies with a matrix, from the right.
    public static func *= (a: inout Self, b: Self) { a = a * b }
}

/// The product: the transformation `y`, then `x`.
public func simd_mul<M: simd_square_matrix>(_ x: M, _ y: M) -> M { x * y }
/// The transformed vector.
public func simd_mul<M: simd_square_matrix>(_ x: M, _ y: M.Column) -> M.Column { x * y }
/// The vector, as a row, transformed from the left.
public func simd_mul<M: simd_square_matrix>(_ x: M.Column, _ y: M) -> M.Column { x * y }
/// The matrix with its columns as rows.
public func simd_transpose<M: simd_square_matrix>(_ x: M) -> M { x.transpose }
/// The inverse; see `inverse`.
public func simd_inverse<M: simd_square_matrix>(_ x: M) -> M { x.inverse }
/// The determinant.
public func simd_determinant<M: simd_square_matrix>(_ x: M) -> M.Column.Scalar { x.determinant }
