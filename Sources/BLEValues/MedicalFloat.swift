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

    private static func scaled(_ mantissa: Int, _ exponent: Int) -> Double {
        // A division by a power of ten is exact in the last digit; the multiplication by its inverse is not.
        exponent < 0 ? Double(mantissa) / power(-exponent) : Double(mantissa) * power(exponent)
    }

    private static func power(_ exponent: Int) -> Double { (0..<exponent).reduce(1) { value, _ in value * 10 } }
}
