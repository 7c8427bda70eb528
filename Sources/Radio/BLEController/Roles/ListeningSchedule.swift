import BLEWire

/// The schedule of the scanner and the initiator: a window at the start of each interval, on the three advertising channels in turn
/// (Vol 6, Part B, 4.4.3).
struct ListeningSchedule: Hashable {
    let interval: TimeSpan
    let window: TimeSpan
    private(set) var channel: UInt8
    private(set) var isOpen = false

    /// - Parameters:
    ///   - interval: In units of 0.625 ms, like `window`.
    ///   - firstChannel: The channel of the first interval, 37 to 39.
    init(interval: UInt16, window: UInt16, firstChannel: UInt8 = 37) {
        channel = firstChannel == 37 ? 39 : firstChannel - 1
        self.interval = .microseconds(625 * Int(interval))
        self.window = .microseconds(625 * Int(min(window, interval)))
    }

    /// Whether the window is as long as the interval, and so never closes.
    var isContinuous: Bool { window == interval }

    /// The ratio of window and interval in percent.
    var share: Int { Int(100 * window.nanoseconds / max(1, interval.nanoseconds)) }

    /// Whether the four ranges of an interval and a window hold (Vol 4, Part E, 7.8.10).
    static func isValid(_ interval: UInt16, _ window: UInt16) -> Bool {
        (4...0x4000).contains(interval) && (4...0x4000).contains(window) && window <= interval
    }

    mutating func beginInterval() {
        channel = channel == 39 ? 37 : channel + 1
        isOpen = true
    }

    mutating func endWindow() { isOpen = false }
}
