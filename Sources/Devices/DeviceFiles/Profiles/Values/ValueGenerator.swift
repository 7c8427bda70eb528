import BLEValues
import Foundation

/// Computes the octets of a value source. The same source and the same times give the same octets.
package struct ValueGenerator: Sendable {
    package let source: ValueSource
    private let format: ValueFormat
    private var walk: RandomWalk?

    package init(_ source: ValueSource, format: ValueFormat) {
        self.source = source
        self.format = format
        if case .number(let number) = source,
            case .randomWalk(let start, let step, let interval, let seed) = number.shape
        {
            walk = RandomWalk(value: start, bounds: number.bounds, step: step, interval: interval, state: seed)
        }
    }

    /// Whether the value depends on the time.
    package var isVariable: Bool {
        if case .constant = source { return false }
        return true
    }

    /// The value at a time. Times must not decrease.
    package mutating func octets(at time: ProfileTime) -> [UInt8] {
        switch source {
        case .constant(let octets): return octets
        case .replay(let replay):
            let index = Self.steps(time.elapsed, replay.interval)
            return replay.rows[replay.repeats ? index % replay.rows.count : min(index, replay.rows.count - 1)]
        case .clock(let clock): return Self.octets(of: clock, time.localSeconds)
        case .number(let number):
            let value = self.number(number, time.elapsed) * number.factor
            return number.prefix + (format.octets(ofNumber: value) ?? []) + number.suffix
        }
    }

    private mutating func number(_ number: NumberSource, _ elapsed: Duration) -> Double {
        let (low, high) = (number.bounds.lowerBound, number.bounds.upperBound)
        switch number.shape {
        case .counter(let step, let interval):
            let count = Int(((high - low) / abs(step) + 1e-9).rounded(.down)) + 1
            let index = Double(Self.steps(elapsed, interval) % max(1, count))
            return step > 0 ? low + index * step : high + index * step
        case .sine(let period):
            let turns = (elapsed / period).truncatingRemainder(dividingBy: 1)
            return (low + high) / 2 + (high - low) / 2 * sin(2 * .pi * turns)
        case .randomWalk:
            return walk?.value(at: elapsed) ?? low
        }
    }

    /// The number of whole intervals.
    fileprivate static func steps(_ elapsed: Duration, _ interval: Duration) -> Int {
        let ratio = elapsed / interval
        // Half a nanosecond more: the quotient of equal durations must not be below 1.
        return ratio.isFinite && ratio > 0 ? Int(min(ratio + 1e-9, 1e15)) : 0
    }

    private static func octets(of clock: ValueSource.Clock, _ seconds: Double) -> [UInt8] {
        let whole = Int(seconds.rounded(.down))
        switch clock {
        case .unix: return (0..<4).map { UInt8(truncatingIfNeeded: whole >> (8 * $0)) }
        case .dateTime: return CivilTime(seconds: whole).dateTime
        case .currentTime:
            // Day Date Time, fractions of 1/256 s and the adjust reason 0 (Current Time Service, 3.1.1).
            let time = CivilTime(seconds: whole)
            return time.dateTime + [time.weekday, UInt8(min(255, (seconds - Double(whole)) * 256)), 0]
        }
    }
}

extension ValueFormat {
    /// Encodes a number. Integers are rounded. Nil if the number does not fit, or for a format without numbers.
    func octets(ofNumber value: Double) -> [UInt8]? {
        guard value.isFinite else { return nil }
        switch kind {
        case .unsigned, .signed:
            guard abs(value) < 9e18 else { return nil }
            return try? octets("\(Int64(value.rounded()))")
        case .floatingPoint: return try? octets("\(value)")
        case .hexadecimal, .utf8, .base64: return nil
        }
    }

    /// Decodes a number; nil if the octets do not have the format.
    func numericValue(of octets: [UInt8]) -> Double? {
        switch kind {
        case .unsigned, .signed, .floatingPoint: text(octets).flatMap(Double.init)
        case .hexadecimal, .utf8, .base64: nil
        }
    }

    var hasNumbers: Bool { count != nil }
}

/// A random walk between two bounds.
private struct RandomWalk: Sendable {
    var value: Double
    let bounds: ClosedRange<Double>
    let step: Double
    let interval: Duration
    /// The state of SplitMix64.
    var state: UInt64
    var steps = 0

    init(value: Double, bounds: ClosedRange<Double>, step: Double, interval: Duration, state: UInt64) {
        self.value = value
        self.bounds = bounds
        self.step = step
        self.interval = interval
        self.state = state
    }

    mutating func value(at elapsed: Duration) -> Double {
        let wanted = ValueGenerator.steps(elapsed, interval)
        while steps < wanted {
            steps += 1
            let draw = Double(next() >> 11) / Double(UInt64(1) << 53) * 2 - 1
            value = min(max(value + draw * step, bounds.lowerBound), bounds.upperBound)
        }
        return value
    }

    private mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

/// A date of the Gregorian calendar with its time.
private struct CivilTime {
    let year: Int
    let month: Int
    let day: Int
    let secondOfDay: Int
    /// 1 is Monday, 7 is Sunday.
    let weekday: UInt8

    init(seconds: Int) {
        let days = Int((Double(seconds) / 86_400).rounded(.down))
        secondOfDay = seconds - days * 86_400
        weekday = UInt8(((days + 3) % 7 + 7) % 7 + 1)
        // Years that start in March put the leap day at their end.
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    var dateTime: [UInt8] {
        [
            UInt8(truncatingIfNeeded: year), UInt8(truncatingIfNeeded: year >> 8), UInt8(month), UInt8(day),
            UInt8(secondOfDay / 3600), UInt8(secondOfDay / 60 % 60), UInt8(secondOfDay % 60),
        ]
    }
}
