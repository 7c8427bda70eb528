import BLEWire

/// The connection parameters that a central grants its peripheral: all valid parameters with which the central can
/// reach the peripheral at least once in 4 s. A central may refuse other parameters (Vol 3, Part A, 4.21).
enum ParameterPolicy {
    /// In units of 1.25 ms.
    private static let longestSilence = 3_200

    static func accepts(_ requested: RequestedConnectionParameters) -> Bool {
        requested.isValid && Int(requested.intervalMaximum) * (1 + Int(requested.latency)) <= longestSilence
    }
}
