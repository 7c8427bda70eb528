/// Logarithm and exponential from basic arithmetic, which IEEE 754 defines to the bit. The functions of the C library differ
/// between machines, and a seed must give equal runs everywhere. Accurate to ten digits.
enum Mathematics {
    private static let ln2 = 0.693_147_180_559_945_3

    /// The natural logarithm of a positive, finite number.
    static func log(_ value: Double) -> Double {
        guard value.isNormal, value > 0 else { return value > 0 ? -708 : -.infinity }
        var exponent = Double(value.exponent)
        var significand = value.significand
        if significand > 1.414_213_562_373_095 {
            significand /= 2
            exponent += 1
        }
        let z = (significand - 1) / (significand + 1)
        let square = z * z
        var sum = 0.0
        for divisor in stride(from: 13.0, through: 1, by: -2) { sum = sum * square + 1 / divisor }
        return exponent * ln2 + 2 * z * sum
    }

    static func log10(_ value: Double) -> Double { log(value) / 2.302_585_092_994_046 }

    static func exp(_ value: Double) -> Double {
        guard value > -700 else { return 0 }
        guard value < 700 else { return .infinity }
        let exponent = (value / ln2).rounded()
        let rest = value - exponent * ln2
        var sum = 1.0
        for divisor in stride(from: 12.0, through: 1, by: -1) { sum = 1 + sum * rest / divisor }
        return Double(sign: .plus, exponent: Int(exponent), significand: 1) * sum
    }

    /// The ratio of a value in decibels.
    static func ratio(decibels: Double) -> Double { exp(decibels * 0.230_258_509_299_404_6) }
}
