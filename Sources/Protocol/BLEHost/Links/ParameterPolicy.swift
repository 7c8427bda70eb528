import BLEWire

/// The connection parameters that a central grants its peripheral. A central may refuse any (Vol 3, Part A, 4.21).
package enum ParameterPolicy: Hashable, Sendable {
    /// All valid parameters with which the central can reach the peripheral at least once in 4 s.
    case reachable
    /// The same, with intervals of at least this number of units of 1.25 ms: the central raises shorter ones.
    case raised(minimum: UInt16)
    /// The rules that Apple publishes for accessories.
    case apple

    /// In units of 1.25 ms.
    private static let longestSilence = 3_200

    /// The parameters that the central sets; nil if it refuses the request.
    func granted(_ requested: RequestedConnectionParameters) -> RequestedConnectionParameters? {
        guard requested.isValid else { return nil }
        var granted = requested
        if case .raised(let minimum) = self {
            granted.intervalMinimum = max(granted.intervalMinimum, minimum)
            granted.intervalMaximum = max(granted.intervalMaximum, granted.intervalMinimum)
        }
        let silence = Int(granted.intervalMaximum) * (1 + Int(granted.latency))
        guard granted.isValid, silence <= Self.longestSilence else { return nil }
        return self == .apple && !granted.fitsApple ? nil : granted
    }
}

extension RequestedConnectionParameters {
    /// Whether the parameters comply with Apple's Technical Q&A QA1931: https://developer.apple.com/library/archive/qa/qa1931/
    fileprivate var fitsApple: Bool {
        let unit = 12  // 15 ms in units of 1.25 ms
        let (minimum, maximum) = (Int(intervalMinimum), Int(intervalMaximum))
        let silence = maximum * (1 + Int(latency))
        return minimum >= unit && minimum % unit == 0
            && (minimum + unit <= maximum || minimum == maximum && maximum == unit)
            && latency <= 30 && silence <= 1_600 && (200...600).contains(timeout) && silence * 3 < Int(timeout) * 8
    }
}
