import BLEWire

/// How the sleep clock of a controller runs, and what the controller announces of it (Vol 6, Part B, 4.2.2).
package struct ClockSetting: Hashable, Sendable {
    /// The error of the clock in parts per million, -500 to 500. A positive one makes the clock fast.
    package let error: Int
    /// The accuracy that peers learn. They listen as long as it demands (4.2.4). A controller that announces less than its error loses links and trains.
    package let accuracy: HCI.ClockAccuracy

    package static let exact = ClockSetting(checkedError: 0, .ppm20)

    /// The greatest error of a clock: the upper limit of the field SCA (2.3.3.1).
    package static let greatestError = 500

    private init(checkedError error: Int, _ accuracy: HCI.ClockAccuracy) {
        (self.error, self.accuracy) = (error, accuracy)
    }

    /// Nil for an error beyond `greatestError`, and for a reserved accuracy.
    ///
    /// - Parameter accuracy: Nil announces the best accuracy that is true.
    package init?(error: Int, announcing accuracy: HCI.ClockAccuracy? = nil) {
        guard (-Self.greatestError...Self.greatestError).contains(error), accuracy?.rawValue ?? 0 <= 7 else {
            return nil
        }
        self.init(checkedError: error, accuracy ?? HCI.ClockAccuracy(covering: abs(error)))
    }

    /// Takes the nearest values.
    ///
    /// - Parameter accuracy: In parts per million; nil announces the best accuracy that is true.
    package init(clampedError error: Int, announcing accuracy: Int?) {
        let error = min(max(error, -Self.greatestError), Self.greatestError)
        self.init(checkedError: error, HCI.ClockAccuracy(covering: accuracy ?? abs(error)))
    }
}
