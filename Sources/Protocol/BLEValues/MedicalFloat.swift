/// Floating-point numbers of IEEE 11073-20601 in health profiles: a decimal exponent and a mantissa.
package enum MedicalFloat {
    /// The 16-bit type, "medfloat16" or SFLOAT: a 4-bit exponent and a 12-bit mantissa. Nil for special values (NaN, NRes,
    /// reserved, infinite).
    package static func short(_ bits: UInt16) -> Double? {
        let mantissa = Int16(bitPattern: bits << 4) >> 4
        // 0x7FE to 0x802: +infinity, NaN, NRes, reserved, -infinity.
        guard !(0x7FE...0x802).contains(bits & 0x0FFF) || bits >> 12 != 0 else { return nil }
        return scaled(Int(mantissa), Int(Int16(bitPattern: bits) >> 12))
    }

    /// The 32-bit type, "medfloat32" or FLOAT: an 8-bit exponent and a 24-bit mantissa. Nil for special values.
    package static func long(_ bits: UInt32) -> Double? {
        let mantissa = Int32(bitPattern: bits << 8) >> 8
        guard !(0x7F_FFFE...0x80_0002).contains(bits & 0xFF_FFFF) || bits >> 24 != 0 else { return nil }
        return scaled(Int(mantissa), Int(Int32(bitPattern: bits) >> 24))
    }

    /// The texts of special values by the distance of their mantissa from that of +infinity.
    private static let specialTexts = [
        0: "above the range", 1: "unknown", 2: "outside the resolution", 4: "below the range",
    ]

    /// The text of a special value of the type with 2 or 4 octets.
    static func specialText(_ bits: UInt64, octets: Int) -> String {
        specialTexts[octets == 2 ? Int(bits & 0xFFF) - 0x7FE : Int(bits & 0xFF_FFFF) - 0x7F_FFFE] ?? "unknown"
    }

    /// The bits of the special value with this text.
    static func specialBits(_ text: String, octets: Int) -> UInt64? {
        specialTexts.first { $0.value == text.lowercased() }.map { UInt64((octets == 2 ? 0x7FE : 0x7F_FFFE) + $0.key) }
    }

    /// The bits of the type with 2 or 4 octets that are nearest to `value`; nil beyond its range.
    static func bits(_ value: Double, octets: Int) -> UInt64? {
        let (limit, exponents, shift) = octets == 2 ? (2045.0, -8...7, 12) : (8_388_605.0, -128...127, 24)
        func mantissa(_ exponent: Int) -> Double {
            exponent < 0 ? value * power(-exponent) : value / power(exponent)
        }
        // The largest exponent up to 0 that is exact, else the smallest one that fits, which keeps the most digits.
        let exact = (exponents.lowerBound...0).last {
            mantissa($0) == mantissa($0).rounded() && abs(mantissa($0)) <= limit
        }
        guard let exponent = exact ?? exponents.first(where: { abs(mantissa($0).rounded()) <= limit }) else {
            return nil
        }
        let low = (1 << UInt64(shift)) - 1 as UInt64
        let high = UInt64(bitPattern: Int64(exponent)) & (octets == 2 ? 0xF : 0xFF)
        return high << UInt64(shift) | UInt64(bitPattern: Int64(mantissa(exponent).rounded())) & low
    }

    private static func scaled(_ mantissa: Int, _ exponent: Int) -> Double {
        // A division by a power of ten is exact in the last digit; the multiplication by its inverse is not.
        exponent < 0 ? Double(mantissa) / power(-exponent) : Double(mantissa) * power(exponent)
    }

    private static func power(_ exponent: Int) -> Double { (0..<exponent).reduce(1) { value, _ in value * 10 } }
}
