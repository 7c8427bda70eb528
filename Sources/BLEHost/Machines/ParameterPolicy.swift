import BLEWire

/// Which connection parameters a central grants its peripheral: all that are valid, as long as the peripheral can be spoken
/// to at least every four seconds.
enum ParameterPolicy {
    /// 1.25 ms units.
    private static let longestSilence = 3_200

    static func accepts(_ wish: ConnectionParameterWish) -> Bool {
        wish.isValid && Int(wish.intervalMaximum) * (1 + Int(wish.latency)) <= longestSilence
    }
}
