import Testing
import simd

/// Whether all numbers differ by less than a limit.
private func isNear<V: SIMD>(_ a: V, _ b: V, _ limit: V.Scalar = 1e-5) -> Bool where V.Scalar: BinaryFloatingPoint {
    reduce_max(simd_abs(a - b)) < limit
}

private func reduce_max<V: SIMD>(_ x: V) -> V.Scalar where V.Scalar: Comparable { x.max() }

@Suite struct VectorTests {
    @Test func productsAndLengthsOfVectors() {
        let (x, y): (simd_float3, simd_float3) = ([1, 2, 3], [4, -5, 6])
        #expect(simd_dot(x, y) == 12 && dot(x, y) == 12)
        #expect(simd_cross(x, y) == [27, 6, -13] && cross(x, y) == -cross(y, x))
        #expect(simd_length(simd_double2(3, 4)) == 5 && length(simd_double2(3, 4)) == 5)
        #expect(simd_length_squared(x) == 14 && length_squared(x) == 14)
        #expect(simd_distance(x, x + [0, 3, 4]) == 5 && distance(x, x) == 0)
        #expect(normalize(simd_float4(0, 2, 0, 0)) == [0, 1, 0, 0])
        #expect(simd_normalize(simd_float3.zero).x.isNaN)
        #expect(reduce_add(x) == 6)
    }

    @Test func numbersOfEachPlace() {
        let x: simd_float3 = [-1, 0.5, 3]
        #expect(simd_clamp(x, .zero, .one) == [0, 0.5, 1] && clamp(x, min: .zero, max: .one) == [0, 0.5, 1])
        #expect(simd_min(x, .zero) == [-1, 0, 0] && min(x, .zero) == [-1, 0, 0])
        #expect(simd_max(x, .zero) == [0, 0.5, 3] && max(x, .zero) == [0, 0.5, 3])
        #expect(simd_abs(x) == [1, 0.5, 3] && abs(x) == [1, 0.5, 3])
        #expect(simd_mix(x, .zero, [1, 0.5, 0]) == [0, 0.25, 3] && mix(x, .zero, t: 0.5) == x / 2)
        // The functions of the standard library are not hidden.
        #expect(max(1, 2) == 2 && abs(-1) == 1 && simd_int2(1, 2) &+ 1 == [2, 3])
    }
}

@Suite struct MatrixTests {
    private let a = simd_float2x2([1, 2], [3, 4])

    @Test func aMatrixConsistsOfColumns() {
        #expect(a[1] == [3, 4] && a[1, 0] == 3 && a.columns.1 == [3, 4])
        #expect(simd_float2x2(rows: [[1, 3], [2, 4]]) == a && simd_float2x2(columns: ([1, 2], [3, 4])) == a)
        #expect(a.transpose == simd_float2x2([1, 3], [2, 4]) && simd_transpose(a.transpose) == a)
        #expect(simd_double3x3(2) == simd_double3x3(diagonal: [2, 2, 2]))
        #expect(simd_float4x4()[3] == .zero && matrix_identity_float4x4 == float4x4(1))
        var b = a
        b[0, 1] = 7
        #expect(b[0] == [1, 7] && b != a)
    }

    @Test func productsApplyTheRightFactorFirst() {
        #expect(a * [1, 10] == [31, 42] && [1, 10] * a == [21, 43])
        #expect(a * simd_float2x2([0, 1], [1, 0]) == simd_float2x2([3, 4], [1, 2]))
        #expect(simd_mul(a, [1, 10]) == [31, 42] && simd_mul(a, a) == a * a)
        #expect(2 * a == a + a && a - a == simd_float2x2() && -a == a * -1)
        var b = a
        b *= a
        b += a
        b -= a
        b *= 2
        #expect(b == 2 * (a * a))
    }

    @Test func aMatrixTimesItsInverseChangesNothing() {
        // The first pivot is 0, so the columns change their places.
        let m = simd_double4x4([0, 2, 0, 1], [1, 0, 3, 0], [4, 0, 0, 5], [0, 6, 7, 0])
        let product = m * m.inverse
        for column in 0..<4 { #expect(isNear(product[column], matrix_identity_double4x4[column], 1e-12)) }
        #expect(abs(m.determinant + 2) < 1e-9)
        #expect(abs(simd_determinant(m.transpose) - m.determinant) < 1e-9)
        #expect(abs(a.determinant + 2) < 1e-6 && isNear(simd_inverse(a)[0], [-2, 1]))
        let singular = simd_double3x3([1, 2, 3], [2, 4, 6], [0, 0, 1])
        #expect(singular.determinant == 0 && singular.inverse[0].x.isNaN)
    }
}

@Suite struct QuaternionTests {
    private let quarter = simd_quatf(angle: .pi / 2, axis: [0, 0, 1])

    @Test func aQuaternionRotates() {
        #expect(isNear(quarter.act([1, 0, 0]), [0, 1, 0]))
        #expect(isNear((quarter * quarter).act([1, 0, 0]), [-1, 0, 0]))
        #expect(isNear(quarter.inverse.act([0, 1, 0]), [1, 0, 0]))
        let other = simd_quatf(angle: .pi / 2, axis: [1, 0, 0])
        #expect(isNear((other * quarter).act([1, 0, 0]), other.act(quarter.act([1, 0, 0]))))
        #expect(abs(quarter.angle - .pi / 2) < 1e-6 && isNear(quarter.axis, [0, 0, 1]))
        #expect(isNear((quarter / quarter).vector, [0, 0, 0, 1]))
        #expect(simd_act(quarter, [0, 0, 2]) == [0, 0, 2])
    }

    @Test func matricesAndQuaternionsAreTheSameRotation() {
        // Rotations for which each of the four numbers is the greatest.
        let axes: [simd_float3] = [[1, 0.1, 0.2], [0.1, 1, 0.2], [0.1, 0.2, 1]]
        let rotations =
            axes.map { simd_quatf(angle: 3, axis: normalize($0)) } + [simd_quatf(angle: 0.5, axis: [0, 1, 0])]
        for rotation in rotations {
            let matrix = simd_float3x3(rotation)
            #expect(isNear(matrix * [1, 2, 3], rotation.act([1, 2, 3])))
            let (back, large) = (simd_quatf(matrix), simd_quatf(simd_float4x4(rotation)))
            #expect(isNear(back.vector, rotation.vector) || isNear(back.vector, -rotation.vector))
            #expect(back == large)
        }
    }

    @Test func theShortestRotationOfOneVectorToAnother() {
        for (from, to): (simd_float3, simd_float3) in [
            ([1, 0, 0], [0, 1, 0]), ([0, 0, 1], [0, 0, 1]), ([1, 0, 0], [-1, 0, 0]), ([0, 1, 0], [0, -1, 0]),
        ] {
            let rotation = simd_quatf(from: from, to: to)
            #expect(isNear(rotation.act(from), to))
            #expect(abs(rotation.length - 1) < 1e-6)
        }
    }

    @Test func theWayBetweenTwoRotationsIsTheShorterOne() {
        let start = simd_quatf(ix: 0, iy: 0, iz: 0, r: 1)
        let third = simd_quatf(angle: .pi / 6, axis: [0, 0, 1])
        for end in [quarter, -quarter] {
            #expect(isNear(simd_slerp(start, end, 1 / 3).vector, third.vector))
            #expect(isNear(simd_slerp(start, end, 0).vector, start.vector))
            #expect(isNear(simd_slerp(start, end, 1).act([1, 0, 0]), [0, 1, 0]))
        }
        #expect(isNear(simd_slerp(start, start, 0.5).vector, start.vector))
    }

    @Test func quaternionsAreNumbersAsWell() {
        let q = simd_quatd(ix: 1, iy: 2, iz: 3, r: 4)
        #expect(q.real == 4 && q.imag == [1, 2, 3] && simd_quatd(vector: [1, 2, 3, 4]) == q)
        #expect(q.conjugate == simd_quatd(real: 4, imag: [-1, -2, -3]))
        #expect(q + q == 2 * q && q - q == simd_quatd() && (q * 4) / 4 == q)
        #expect(isNear((q * q.inverse).vector, [0, 0, 0, 1], 1e-12))
        #expect(abs(q.normalized.length - 1) < 1e-12 && simd_dot(q, q) == 30)
    }
}
