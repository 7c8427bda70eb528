import BLEWire

/// An advertising set (Vol 6, Part B, 4.4.2): the host's settings and the current event. The legacy commands use one set.
///
/// A legacy event sends a PDU on every channel of the channel map, and listens for an answer to each. An extended event sends ADV_EXT_IND on
/// these channels, then AUX_ADV_IND with its chain on secondary channels, and listens for an answer once. A value that takes events and returns
/// actions.
struct AdvertisingSet {
    enum State: Hashable {
        case off
        /// Between two events.
        case resting
        /// An advertising PDU is being sent on a primary channel.
        case advertising(channel: UInt8)
        /// The advertiser waits for an answer on a primary channel.
        case listening(channel: UInt8)
        /// A scan response is being sent on a primary channel.
        case responding(channel: UInt8)
        /// AUX_ADV_IND (fragment 0) or an AUX_CHAIN_IND is being sent.
        case advertisingOnSecondary(fragment: Int)
        /// The advertiser waits for an answer to AUX_ADV_IND.
        case listeningOnSecondary
        /// AUX_SCAN_RSP (fragment 0) or an AUX_CHAIN_IND is being sent.
        case respondingOnSecondary(fragment: Int)
        /// AUX_CONNECT_RSP is being sent.
        indirect case accepting(Acceptance)
    }

    enum Action: Hashable {
        case nothing
        case advertise(channel: UInt8)
        case listen(channel: UInt8)
        case advertiseOnSecondary(fragment: Int)
        case listenOnSecondary
        case respondOnSecondary(fragment: Int)
        /// AUX_CONNECT_RSP has been sent: the link begins.
        indirect case connect(Acceptance)
        /// The event has ended.
        case rest
    }

    /// An accepted AUX_CONNECT_REQ.
    struct Acceptance: Hashable {
        var initiator: PeerAddress
        var request: LL.ConnectInd
        /// The start of the link's transmit window.
        var windowStart: Instant
    }

    struct Addresses: Hashable {
        /// The advertiser's address in the current event. It does not change during an event, because answers contain it.
        var own = DeviceAddress(kind: .random, value: 0)
        /// The same address if the resolving list generated it, otherwise nil.
        var privateAddress: DeviceAddress?
        /// The target of directed advertising: the peer's address, or a private address for it.
        var target = DeviceAddress(kind: .public, value: 0)
        /// The random address that the host set for this set. The legacy commands do not use it.
        var assigned: UInt64?
        /// Whether the next event needs another private address for the peer.
        var isTargetOutdated = false
    }

    /// The PHYs with the codings that stand for the Coded PHY (Vol 4, Part E, 7.8.53).
    struct Coding: Hashable {
        var primary = LL.PHY.codedS8
        var secondary = LL.PHY.codedS8
        /// The codings for which the length of data is checked: S=8 unless the host requires S=2.
        private(set) var assumedPrimary = LL.PHY.codedS8
        private(set) var assumedSecondary = LL.PHY.codedS8

        init() {}

        /// The controller has both codings, so that a preference and a requirement select the same. Options have no meaning for other PHYs.
        init(_ command: HCI.LESetExtendedAdvertisingParametersV2) throws(HCI.ErrorCode) {
            if command.parameters.primaryPHY == .leCoded {
                primary = try Self.phy(command.primaryPHYOptions)
                if command.primaryPHYOptions == .requiresS2 { assumedPrimary = .codedS2 }
            }
            if command.parameters.secondaryPHY == .leCoded {
                secondary = try Self.phy(command.secondaryPHYOptions)
                if command.secondaryPHYOptions == .requiresS2 { assumedSecondary = .codedS2 }
            }
        }

        /// The same with the codings for which lengths are checked.
        var assumed: Coding {
            var coding = self
            (coding.primary, coding.secondary) = (assumedPrimary, assumedSecondary)
            return coding
        }

        private static func phy(_ options: HCI.AdvertisingPHYOptions) throws(HCI.ErrorCode) -> LL.PHY {
            switch options {
            case .noPreference, .prefersS8, .requiresS8: .codedS8
            case .prefersS2, .requiresS2: .codedS2
            default: throw .invalidHCICommandParameters
            }
        }
    }

    /// When the set stops by itself.
    struct Limits: Hashable {
        /// Begins with the first event; nil if there is no end.
        var duration: TimeSpan?
        /// The end of `duration` after the first event has begun.
        var end: Instant?
        /// 0 if there is no limit.
        var maximumEvents: UInt8 = 0
        /// Counted only if there is a limit.
        var completedEvents: UInt8 = 0

        var isReached: Bool { maximumEvents > 0 && completedEvents >= maximumEvents }
    }

    /// Nil for a removed set.
    var handle: UInt8?
    private(set) var state = State.off
    var parameters: HCI.LESetExtendedAdvertisingParameters
    var coding = Coding()
    var data = AdvertisingPayload.complete([])
    var response = AdvertisingPayload.complete([])
    /// Changes with the data, 0 to 0xFFF.
    var dataID: UInt16 = 0
    /// In dBm.
    var txPower: Int8 = 0
    var addresses = Addresses()
    /// The start of the current event.
    var eventStart = Instant.zero
    /// The start of the next event after one has ended.
    var due = Instant.zero
    /// The event was due while the radio was busy. It starts when the radio is free.
    var isWaiting = false
    /// Postponements in a row, because there was no time between connection events.
    var starved = 0
    var limits = Limits()
    /// The secondary channels' part of an extended event.
    var auxiliary = AuxiliaryEvent()
    /// The set's periodic advertising; nil until the host sets its parameters.
    var periodic: PeriodicTrain?

    init(handle: UInt8?) {
        self.handle = handle
        parameters = HCI.LESetExtendedAdvertisingParameters(HCI.LESetAdvertisingParameters())
    }

    var isEnabled: Bool { if case .off = state { false } else { true } }
    var isResting: Bool { if case .resting = state { true } else { false } }
    /// Whether the advertiser uses the radio.
    var isInEvent: Bool { isEnabled && !isResting }
    var isListening: Bool {
        switch state {
        case .listening, .listeningOnSecondary: true
        default: false
        }
    }

    mutating func enable(_ limits: Limits = Limits()) {
        state = .resting
        isWaiting = false
        starved = 0
        self.limits = limits
    }

    mutating func disable() {
        state = .off
        isWaiting = false
        limits = Limits()
    }

    /// Decides what the next extended event sends.
    ///
    /// - Parameters:
    ///   - map: The secondary channels.
    ///   - accuracy: Of the sleep clock.
    mutating func prepare(map: LL.ChannelMap, accuracy: HCI.ClockAccuracy) {
        periodic?.clockAccuracy = accuracy
        let (data, response) = (isScannable ? [] : data.octets, isScannable ? response.octets : [])
        auxiliary.begin(
            data: data, response: response,
            LL.AdvertisingDataInfo(dataID: dataID, setID: parameters.advertisingSID),
            isPresent: needsAuxiliary(data: data.count), announcesTrain: announcesTrain,
            controllerData: announcesTrain ? periodic?.responseTimingData ?? [] : [],
            length: eventLength(data: data.count, response: response.count),
            (advertisementLayout(data.count), Self.responseLayout(response.count)), map: map, clockAccuracy: accuracy)
    }

    /// Moves the next event to a later time.
    mutating func postpone(to time: Instant) {
        isWaiting = false
        due = time
    }

    /// Starts an event.
    mutating func begin(at now: Instant) -> Action {
        guard isResting else { return .nothing }
        isWaiting = false
        eventStart = now
        return advertise(after: 36)
    }

    /// The transmission has ended.
    mutating func sent() -> Action {
        switch state {
        case .advertising(let channel):
            guard isLegacy, expectsAnswers else { return advertise(after: channel) }
            state = .listening(channel: channel)
            return .listen(channel: channel)
        case .responding(let channel): return advertise(after: channel)
        case .advertisingOnSecondary(let fragment):
            if !auxiliary.advertisementLayout.isLast(fragment) {
                state = .advertisingOnSecondary(fragment: fragment + 1)
                return .advertiseOnSecondary(fragment: fragment + 1)
            }
            guard expectsAnswers else { return rest() }
            state = .listeningOnSecondary
            return .listenOnSecondary
        case .respondingOnSecondary(let fragment):
            guard !auxiliary.responseLayout.isLast(fragment) else { return rest() }
            state = .respondingOnSecondary(fragment: fragment + 1)
            return .respondOnSecondary(fragment: fragment + 1)
        case .accepting(let acceptance): return .connect(acceptance)
        case .off, .resting, .listening, .listeningOnSecondary: return .nothing
        }
    }

    /// No valid answer arrived.
    mutating func timedOut() -> Action {
        switch state {
        case .listening(let channel): advertise(after: channel)
        case .listeningOnSecondary: rest()
        default: .nothing
        }
    }

    /// Takes a scan request. Returns whether the advertiser sends a response at `start`.
    mutating func respond(at start: Instant) -> Bool {
        guard isScannable else { return false }
        switch state {
        case .listening(let channel): state = .responding(channel: channel)
        case .listeningOnSecondary where auxiliary.shortenResponse(from: start, on: secondaryPHY):
            state = .respondingOnSecondary(fragment: 0)
        default: return false
        }
        return true
    }

    /// Takes AUX_CONNECT_REQ. The advertiser sends AUX_CONNECT_RSP.
    mutating func accept(_ acceptance: Acceptance) { state = .accepting(acceptance) }

    /// Interrupts the event.
    mutating func interrupt() { if isInEvent { state = .resting } }

    private mutating func advertise(after channel: UInt8) -> Action {
        let next = (channel + 1..<40).first { parameters.primaryChannelMap.rawValue >> ($0 - 37) & 1 != 0 }
        if let next {
            state = .advertising(channel: next)
            return .advertise(channel: next)
        }
        guard !isLegacy, auxiliary.isPresent else { return rest() }
        state = .advertisingOnSecondary(fragment: 0)
        return .advertiseOnSecondary(fragment: 0)
    }

    private mutating func rest() -> Action {
        state = .resting
        if limits.maximumEvents > 0, !limits.isReached { limits.completedEvents += 1 }
        return .rest
    }

    /// The time between the starts of two events, with a random delay of up to 10 ms (Vol 6, Part B, 4.4.2.2).
    func delay(random: inout SeededRandom) -> TimeSpan {
        // At most 3.75 ms for high duty cycle directed advertising (Vol 6, Part B, 4.4.2.4.3).
        if isHighDuty { return .microseconds(3750) }
        return interval + Self.randomDelay(&random)
    }

    /// The time between the starts of two events without the random delay. Long data may need more than the minimum of the host.
    var interval: TimeSpan {
        let minimum = TimeSpan.microseconds(625 * Int(parameters.intervalMinimum))
        return isLegacy ? minimum : max(minimum, auxiliary.eventLength)
    }

    static func randomDelay(_ random: inout SeededRandom) -> TimeSpan { .microseconds(Int(random.next() % 10_001)) }

    /// Continues an event that began at `start`, while ADV_EXT_IND or a legacy PDU, or AUX_ADV_IND, is being sent on `channel`.
    mutating func resume(from start: Instant, on channel: UInt8) {
        eventStart = start
        state = channel < 37 ? .advertisingOnSecondary(fragment: 0) : .advertising(channel: channel)
    }
}
