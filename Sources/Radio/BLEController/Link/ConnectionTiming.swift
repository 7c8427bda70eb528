import BLEWire

/// The connection parameters, and the place of the next connection event (Vol 6, Part B, 4.5.1).
struct ConnectionTiming: Hashable {
    /// In units of 1.25 ms, connection events, and 10 ms.
    var interval: UInt16
    var latency: UInt16
    var timeout: UInt16
    /// The sum of both sleep clock accuracies, in parts per million.
    let clockError: Int
    /// The counter of the current or the next event.
    var event: UInt16 = 0
    /// The start of that event, or of its transmit window.
    var anchor: Instant
    /// The length of the transmit window after `anchor`. Zero once the central has been received.
    var window: TimeSpan
    /// Whether the peripheral's latency moved the next event, which `LinkLayerConnection.wake` may revert.
    var isAsleep = false

    init(_ request: LL.ConnectInd, anchor: Instant, window: TimeSpan) {
        interval = request.interval
        latency = request.latency
        timeout = request.timeout
        // The upper limits of the central's sleep clock accuracy, by the field SCA (Vol 6, Part B, 2.3.3.1).
        let accuracies = [500, 250, 150, 100, 75, 50, 30, 20]
        clockError = accuracies[Int(request.sleepClockAccuracy & 7)] + 20
        self.anchor = anchor
        self.window = window
    }

    @inline(__always)
    var intervalSpan: TimeSpan { LL.slot * Int(interval) }
    @inline(__always)
    var timeoutSpan: TimeSpan { .milliseconds(10 * Int(timeout)) }
}
