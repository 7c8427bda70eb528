import BLEWire

/// The advertiser: one event after another, each a packet on every channel of its map, with an ear for the answer to each.
/// A value that takes what happened and returns what to do.
struct AdvertisingRole {
    enum State: Hashable {
        case off
        /// Between two events.
        case resting
        /// An advertising packet is on the air.
        case advertising(channel: UInt8)
        /// An answer to it is awaited.
        case listening(channel: UInt8)
        /// A scan response is on the air.
        case responding(channel: UInt8)
    }

    enum Action: Hashable {
        case nothing
        case advertise(channel: UInt8)
        case listen(channel: UInt8)
        /// The event is over.
        case rest
    }

    private(set) var state = State.off
    var parameters = HCI.LESetAdvertisingParameters()
    var data = HCI.AdvertisingData()
    var response = HCI.AdvertisingData()
    /// When the present event began.
    var eventStart = Instant.zero
    /// The radio was busy when the event was due; it begins as soon as the radio is free.
    var isWaiting = false
    /// Events in a row that found no time between connection events.
    var starved = 0

    var isEnabled: Bool { state != .off }
    /// It holds the radio.
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
    /// Somebody may answer.
    var expectsAnswers: Bool { isConnectable || isScannable }

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

    /// The event begins.
    mutating func begin(at now: Instant) -> Action {
        guard state == .resting else { return .nothing }
        isWaiting = false
        eventStart = now
        return advertise(after: 36)
    }

    /// What was on the air is out.
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

    /// Nobody answered, or not to us.
    mutating func timedOut() -> Action {
        guard case .listening(let channel) = state else { return .nothing }
        return advertise(after: channel)
    }

    /// A scan request came; true if a response is to be sent.
    mutating func respond() -> Bool {
        guard case .listening(let channel) = state, isScannable else { return false }
        state = .responding(channel: channel)
        return true
    }

    /// Breaks the event off.
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

    /// The time from the start of one event to that of the next (Vol 6, Part B, 4.4.2.2).
    func delay(random: inout SeededRandom) -> TimeSpan {
        if isHighDuty { return .microseconds(3750) }
        return .microseconds(625 * Int(parameters.intervalMinimum) + Int(random.next() % 10_001))
    }
}
