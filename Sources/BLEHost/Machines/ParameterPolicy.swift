import BLEWire

/// Which connection parameters a central grants its peripheral: all that are valid and let the central reach the peripheral at
/// least once in 4 s.
enum ParameterPolicy {
    /// 1.25 ms units.
    private static let longestSilence = 3_200

    static func accepts(_ requested: RequestedConnectionParameters) -> Bool {
        requested.isValid && Int(requested.intervalMaximum) * (1 + Int(requested.latency)) <= longestSilence
    }
}
