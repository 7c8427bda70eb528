import BLEWire

/// The advertiser. Each event sends a PDU on every channel of the channel map, and listens for an answer to each (Vol 6, Part B,
/// 4.4.2). A value that takes events and returns actions.
struct AdvertisingRole {
    enum State: Hashable {
        case off
        /// Between two events.
        case resting
        /// An advertising PDU is being sent.
        case advertising(channel: UInt8)
        /// The advertiser waits for an answer.
        case listening(channel: UInt8)
        /// A scan response is being sent.
        case responding(channel: UInt8)
    }

    enum Action: Hashable {
        case nothing
        case advertise(channel: UInt8)
        case listen(channel: UInt8)
        /// The event has ended.
        case rest
    }

    private(set) var state = State.off
    var parameters = HCI.LESetAdvertisingParameters()
    var data = HCI.AdvertisingData()
    var response = HCI.AdvertisingData()
    /// The advertiser's address in the current event. It does not change during an event, because answers contain it.
    var address = DeviceAddress(kind: .random, value: 0)
    /// The same address if the resolving list generated it, otherwise nil.
    var privateAddress: DeviceAddress?
    /// The target of directed advertising: the peer's address, or a private address for it.
    var target = DeviceAddress(kind: .public, value: 0)
    /// The start of the current event.
    var eventStart = Instant.zero
    /// The start of the next event after one has ended.
    var due = Instant.zero
    /// The event was due while the radio was busy. It starts when the radio is free.
    var isWaiting = false
    /// Events in a row without time between connection events.
    var starved = 0

    var isEnabled: Bool { state != .off }
    /// Whether the advertiser uses the radio.
    var isInEvent: Bool { state != .off && state != .resting }

    var isDirected: Bool {
        parameters.advertisingType == .connectableDirectedHighDutyCycle
            || parameters.advertisingType == .connectableDirectedLowDutyCycle
    }
    var isHighDuty: Bool { parameters.advertisingType == .connectableDirectedHighDutyCycle }
    var isConnectable: Bool { isDirected || parameters.advertisingType == .connectableUndirected }
    var isScannable: Bool {
        parameters.advertisingType == .connectableUndirected || parameters.advertisingType == .scannableUndirected
    }
    /// Whether scanners or initiators may answer.
    var expectsAnswers: Bool { isConnectable || isScannable }

    /// The PDU of each type of advertising event (Vol 6, Part B, 2.3.1).
    var pduType: LL.AdvertisingPDUType {
        switch parameters.advertisingType {
        case .connectableUndirected: .advInd
        case .scannableUndirected: .advScanInd
        case .nonconnectableUndirected: .advNonconnInd
        default: .advDirectInd
        }
    }

    mutating func enable() {
        state = .resting
        isWaiting = false
        starved = 0
    }

    mutating func disable() {
        state = .off
        isWaiting = false
    }

    /// Starts an event.
    mutating func begin(at now: Instant) -> Action {
        guard state == .resting else { return .nothing }
        isWaiting = false
        eventStart = now
        return advertise(after: 36)
    }

    /// The transmission has ended.
    mutating func sent() -> Action {
        switch state {
        case .advertising(let channel):
            guard expectsAnswers else { return advertise(after: channel) }
            state = .listening(channel: channel)
            return .listen(channel: channel)
        case .responding(let channel): return advertise(after: channel)
        case .off, .resting, .listening: return .nothing
        }
    }

    /// No valid answer arrived.
    mutating func timedOut() -> Action {
        guard case .listening(let channel) = state else { return .nothing }
        return advertise(after: channel)
    }

    /// Takes a scan request. Returns whether the advertiser sends a response.
    mutating func respond() -> Bool {
        guard case .listening(let channel) = state, isScannable else { return false }
        state = .responding(channel: channel)
        return true
    }

    /// Interrupts the event.
    mutating func interrupt() { if isInEvent { state = .resting } }

    private mutating func advertise(after channel: UInt8) -> Action {
        let next = (channel + 1..<40).first { parameters.channelMap.rawValue >> ($0 - 37) & 1 != 0 }
        guard let next else {
            state = .resting
            return .rest
        }
        state = .advertising(channel: next)
        return .advertise(channel: next)
    }

    /// The time between the starts of two events, with a random delay of up to 10 ms (Vol 6, Part B, 4.4.2.2).
    func delay(random: inout SeededRandom) -> TimeSpan {
        // At most 3.75 ms for high duty cycle directed advertising (Vol 6, Part B, 4.4.2.4.3).
        if isHighDuty { return .microseconds(3750) }
        return interval + Self.randomDelay(&random)
    }

    /// The time between the starts of two events without the random delay.
    var interval: TimeSpan { .microseconds(625 * Int(parameters.intervalMinimum)) }

    static func randomDelay(_ random: inout SeededRandom) -> TimeSpan { .microseconds(Int(random.next() % 10_001)) }

    /// Continues an event that began at `start`, while the PDU on `channel` is being sent.
    mutating func resume(from start: Instant, on channel: UInt8) {
        eventStart = start
        state = .advertising(channel: channel)
    }
}
