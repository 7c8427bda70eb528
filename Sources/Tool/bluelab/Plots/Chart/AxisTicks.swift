/// The ticks of an axis at round numbers, and their labels.
package struct AxisTicks: Hashable, Sendable {
    /// The ends of the axis.
    package let range: ClosedRange<Double>
    package let values: [Double]
    package let labels: [String]
    /// The unit of time labels: "s", "min:s" or "h:min". Empty for other values.
    package let unit: String

    private init(_ range: ClosedRange<Double>, _ values: [Double], _ unit: String = "", _ label: (Double) -> String) {
        self.range = range
        self.values = values
        self.unit = unit
        labels = values.map(label)
    }

    /// An axis of values. It begins and ends at a tick; its step is 1, 2 or 5 times a power of ten.
    ///
    /// - Parameter count: The number of steps to aim at.
    package static func values(from low: Double, to high: Double, count: Int) -> AxisTicks {
        let (low, high) = widened(low, high)
        let step = roundStep(atLeast: (high - low) / Double(max(1, count)))
        let first = (low / step).rounded(.down)
        let last = max(first + 1, (high / step).rounded(.up))
        let values = multiples(of: step, first, last)
        return AxisTicks(values[0]...values[values.count - 1], values) { label($0, step: step, among: values) }
    }

    /// An axis of times in seconds, which begins and ends exactly at `low` and `high`.
    package static func times(from low: Double, to high: Double, count: Int) -> AxisTicks {
        let high = high - low > abs(low) * 1e-12 ? high : low + max(1, abs(low) * 1e-9)
        let least = (high - low) / Double(max(1, count))
        let step = clockSteps.first { $0 >= least } ?? roundStep(atLeast: least / 86_400) * 86_400
        // Up to a minute and a half, and beyond a year, a number of seconds is easier to read than a clock.
        let usesClock = high - low > 90 && abs(high) < 3e7 && abs(low) < 3e7
        let chosen = usesClock ? step : roundStep(atLeast: least)
        let values = multiples(of: chosen, (low / chosen).rounded(.up), (high / chosen).rounded(.down))
        guard usesClock else { return AxisTicks(low...high, values, "s") { label($0, step: chosen, among: values) } }
        let hasHours = chosen >= 60 && high > 5400
        return AxisTicks(low...high, values, hasHours ? "h:min" : "min:s") { clock($0, hours: hasHours) }
    }

    private static let clockSteps: [Double] = [
        15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400, 21_600, 43_200, 86_400,
    ]

    /// A range around equal values, and around values that differ by less than their precision.
    private static func widened(_ low: Double, _ high: Double) -> (Double, Double) {
        let size = max(abs(low), abs(high))
        guard high - low <= size * 1e-12 else { return (low, high) }
        // 1e-300 keeps the steps above the smallest numbers.
        return size < 1e-290 ? (low - 1, high + 1) : (low - size / 10, high + size / 10)
    }

    /// The multiples of `step` between two factors, at most 100.
    private static func multiples(of step: Double, _ first: Double, _ last: Double) -> [Double] {
        guard last >= first else { return [] }
        return (0...Int(min(100, last - first))).map { (first + Double($0)) * step }
    }

    /// The smallest of 1, 2 and 5 times a power of ten that is not below `least`.
    static func roundStep(atLeast least: Double) -> Double {
        let power = power(ofTen: exponent(least))
        return [1, 2, 5].map { $0 * power }.first { $0 >= least * (1 - 1e-9) } ?? 10 * power
    }

    /// The decimal exponent of the first digit of a number above 0.
    private static func exponent(_ value: Double) -> Int {
        guard value > 0 else { return 0 }
        var exponent = 0
        while exponent < 308, power(ofTen: exponent + 1) <= value { exponent += 1 }
        while exponent > -307, power(ofTen: exponent) > value { exponent -= 1 }
        return exponent
    }

    private static func power(ofTen exponent: Int) -> Double {
        let power = (0..<abs(exponent)).reduce(1.0) { value, _ in value * 10 }
        return exponent < 0 ? 1 / power : power
    }

    /// A tick's label with the decimals of the step. Numbers from 1e6 on and steps below 1e-5 have an exponent.
    private static func label(_ value: Double, step: Double, among values: [Double]) -> String {
        let size = values.map(abs).max() ?? 0
        let digits = exponent(step * (1 + 1e-9))
        guard size >= 1e6 || digits < -5 else { return decimal(value, decimals: max(0, -digits)) }
        let shared = exponent(size * (1 + 1e-9))
        let scaled = shared < 0 ? value * power(ofTen: -shared) : value / power(ofTen: shared)
        let text = decimal(scaled, decimals: min(15, max(0, shared - digits)))
        return text == "0" || value == 0 ? "0" : "\(text)e\(shared)"
    }

    /// A number with exactly `decimals` digits after the point.
    static func decimal(_ value: Double, decimals: Int) -> String {
        let units = (value * power(ofTen: decimals)).rounded()
        guard abs(units) < 9e18 else { return "\(value)" }
        let magnitude = Int64(abs(units))
        let sign = units < 0 ? "-" : ""
        guard decimals > 0 else { return "\(sign)\(magnitude)" }
        let digits = String(magnitude)
        let padded = String(repeating: "0", count: max(0, decimals + 1 - digits.count)) + digits
        return sign + padded.dropLast(decimals) + "." + padded.suffix(decimals)
    }

    private static func clock(_ seconds: Double, hours: Bool) -> String {
        let (unit, sub) = hours ? (3600, 60) : (60, 1)
        let total = Int(abs(seconds).rounded())
        let rest = total % unit / sub
        return "\(seconds < 0 ? "-" : "")\(total / unit):\(rest < 10 ? "0" : "")\(rest)"
    }
}
