/// Logarithm and exponential from basic arithmetic, which IEEE 754 defines to the bit. The functions of the C library differ
/// between machines, and a seed must give equal runs everywhere. Accurate to ten digits.
///
/// The series are written out, because each reception needs several of them.
enum Mathematics {
    private static let ln2 = 0.693_147_180_559_945_3

    /// The natural logarithm of a positive, finite number.
    static func log(_ value: Double) -> Double {
        guard value.isNormal, value > 0 else { return value > 0 ? -708 : -.infinity }
        let bits = value.bitPattern
        var exponent = Double(Int64(bits >> 52) - 1023)
        var significand = Double(bitPattern: bits & 0x000F_FFFF_FFFF_FFFF | 0x3FF0_0000_0000_0000)
        if significand > 1.414_213_562_373_095 {
            significand /= 2
            exponent += 1
        }
        let z = (significand - 1) / (significand + 1)
        let square = z * z
        var sum = 1.0 / 13
        sum = sum * square + 1.0 / 11
        sum = sum * square + 1.0 / 9
        sum = sum * square + 1.0 / 7
        sum = sum * square + 1.0 / 5
        sum = sum * square + 1.0 / 3
        sum = sum * square + 1
        return exponent * ln2 + 2 * z * sum
    }

    static func log10(_ value: Double) -> Double { log(value) / 2.302_585_092_994_046 }

    static func exp(_ value: Double) -> Double {
        guard value > -700 else { return 0 }
        guard value < 700 else { return .infinity }
        // The sum with this number is rounded to a whole one.
        let exponent = (value / ln2 + 0x1.8p52) - 0x1.8p52
        let rest = value - exponent * ln2
        // The coefficients are 1 / n!.
        var sum = 1.0 / 479_001_600
        sum = sum * rest + 1.0 / 39_916_800
        sum = sum * rest + 1.0 / 3_628_800
        sum = sum * rest + 1.0 / 362_880
        sum = sum * rest + 1.0 / 40_320
        sum = sum * rest + 1.0 / 5_040
        sum = sum * rest + 1.0 / 720
        sum = sum * rest + 1.0 / 120
        sum = sum * rest + 1.0 / 24
        sum = sum * rest + 1.0 / 6
        sum = sum * rest + 0.5
        sum = sum * rest + 1
        sum = sum * rest + 1
        // The exponent is between -1010 and 1010 here.
        return Double(bitPattern: UInt64(1023 + Int64(exponent)) << 52) * sum
    }

    /// The ratio of a value in decibels.
    static func ratio(decibels: Double) -> Double { exp(decibels * 0.230_258_509_299_404_6) }
}
