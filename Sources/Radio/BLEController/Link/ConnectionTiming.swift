import BLEWire

/// The connection parameters, and the place of the next connection event (Vol 6, Part B, 4.5.1).
struct ConnectionTiming: Hashable {
    /// In units of 1.25 ms, connection events, and 10 ms.
    var interval: UInt16
    var latency: UInt16
    var timeout: UInt16
    /// The sleep clock accuracies of both sides, and their sum in parts per million.
    private(set) var peerAccuracy: HCI.ClockAccuracy
    private var ownAccuracy: HCI.ClockAccuracy
    private(set) var clockError: Int
    /// The counter of the current or the next event.
    var event: UInt16 = 0
    /// The start of that event, or of its transmit window.
    var anchor: Instant
    /// The length of the transmit window after `anchor`. Zero once the central has been received.
    var window: TimeSpan
    /// The last anchor point that a PDU of the central set; before the first one, the end of its connection request.
    var heard: Instant
    /// Whether a clock of the medium is not exact.
    var expectsDrift = false
    /// Whether the peripheral's latency moved the next event, which `LinkLayerConnection.wake` may revert.
    var isAsleep = false
    private(set) var subrating = Subrating()
    /// The central's change that the peripheral has not acknowledged. Until then the peripheral uses the events of either.
    private var proposal: Subrating?
    /// The events left that are used because of data before them.
    private var continuations: UInt16 = 0

    init(_ request: LL.ConnectInd, anchor: Instant, window: TimeSpan, ownAccuracy: HCI.ClockAccuracy) {
        interval = request.interval
        latency = request.latency
        timeout = request.timeout
        peerAccuracy = HCI.ClockAccuracy(rawValue: request.sleepClockAccuracy & 7)
        self.ownAccuracy = ownAccuracy
        clockError = peerAccuracy.partsPerMillion + ownAccuracy.partsPerMillion
        self.anchor = anchor
        self.window = window
        heard = anchor
    }

    /// The peer's clock has this accuracy.
    mutating func learn(accuracy: UInt8) {
        peerAccuracy = HCI.ClockAccuracy(rawValue: accuracy & 7)
        clockError = peerAccuracy.partsPerMillion + ownAccuracy.partsPerMillion
    }

    /// The own clock has this accuracy.
    mutating func use(_ accuracy: HCI.ClockAccuracy) {
        ownAccuracy = accuracy
        clockError = peerAccuracy.partsPerMillion + ownAccuracy.partsPerMillion
    }

    /// The window widening of a peripheral (Vol 6, Part B, 4.2.4): how far the central's packet may be from the start of an event, or from its transmit
    /// window. Each side may deviate by its accuracy since the anchor point on which they agreed, and each event may be 16 us early or late:
    /// (centralSCA + peripheralSCA) / 10^6 * (anchor - heard) + 16 us. It stays below half of an interval, where the next event would be as near (4.5.7).
    /// A link that reaches this limit should be considered lost; this one goes on, as Nordic's do, until the supervision timeout ends it.
    ///
    /// While all clocks of the medium are exact, longer windows would only take time from other activities. They have the length after one interval then,
    /// within the inter frame space.
    @inline(__always)
    func widening(at anchor: Instant) -> TimeSpan {
        guard expectsDrift else {
            return TimeSpan(
                nanoseconds: min(100_000, 16_000 + intervalSpan.nanoseconds * Int64(clockError) / 1_000_000))
        }
        let drift = max(0, (anchor - heard).nanoseconds) * Int64(clockError) / 1_000_000
        return min(
            TimeSpan(nanoseconds: 16_000 + drift),
            TimeSpan(nanoseconds: intervalSpan.nanoseconds / 2) - LL.interFrameSpace)
    }

    @inline(__always)
    var intervalSpan: TimeSpan { LL.slot * Int(interval) }
    @inline(__always)
    var timeoutSpan: TimeSpan { .milliseconds(10 * Int(timeout)) }

    // MARK: The used events

    /// The time between two used events.
    var usedSpan: TimeSpan { intervalSpan * Int(subrating.factor) }

    /// The longest time between two events that a peripheral listens to.
    var longestSleep: TimeSpan { usedSpan * (Int(latency) + 1) }

    /// Whether a counter belongs to an event that the link uses.
    @inline(__always)
    func uses(_ event: UInt16) -> Bool {
        subrating.factor == 1 && proposal == nil
            || subrating.uses(event) || proposal?.uses(event) == true || event &- self.event <= continuations
    }

    /// Moves to the next used event, and past `latency` more. `usesAll`: no event is left out, because a change waits for its instant.
    mutating func advance(skipping latency: UInt16, hadData: Bool, usesAll: Bool) {
        if subrating.factor == 1, proposal == nil { return step(Int(latency) + 1) }
        if hadData { continuations = subrating.continuationNumber }
        var steps = 1
        if !usesAll {
            while !uses(event &+ UInt16(truncatingIfNeeded: steps)) { steps += 1 }
            // Latency counts the subrated events.
            if continuations == 0 { steps += Int(latency) * Int(subrating.factor) }
        }
        step(steps)
    }

    private mutating func step(_ steps: Int) {
        event &+= UInt16(truncatingIfNeeded: steps)
        anchor += intervalSpan * steps
        guard subrating.factor > 1 || proposal != nil else { return }
        subrating.moved(to: event)
        proposal?.moved(to: event)
        continuations -= min(continuations, UInt16(truncatingIfNeeded: steps))
    }

    /// Moves to the first used event since the last one whose anchor is possible. Returns whether there is one.
    mutating func moveBack(while isPossible: (Instant) -> Bool) -> Bool {
        var (steps, used) = (0, 0)
        while isPossible(anchor - intervalSpan * (steps + 1)) {
            steps += 1
            if uses(event &- UInt16(truncatingIfNeeded: steps)) { used = steps }
        }
        event &-= UInt16(truncatingIfNeeded: used)
        anchor = anchor - intervalSpan * used
        return used > 0
    }

    mutating func propose(_ change: LL.SubrateInd) { proposal = Subrating(change) }

    /// Uses the events of a change from now on.
    mutating func change(_ change: LL.SubrateInd) {
        subrating = Subrating(change)
        proposal = nil
        continuations = 0
        latency = change.latency
        timeout = change.timeout
    }

    /// Uses all events again, as after new connection parameters (Vol 6, Part B, 5.1.1).
    mutating func endSubrating() {
        subrating = Subrating()
        proposal = nil
        continuations = 0
    }
}
