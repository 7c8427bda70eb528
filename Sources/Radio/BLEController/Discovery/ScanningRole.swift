import BLEWire

/// The scanner (Vol 6, Part B, 4.4.3): its filter, its scan requests, and the advertisers that it has reported.
struct ScanningRole {
    enum State: Hashable {
        case off
        case listening
        /// Between two periods of a scan.
        case resting
        /// A scan request is being sent.
        case requesting(Exchange)
        /// The scanner waits for the scan response.
        case awaitingResponse(Exchange)
    }

    /// A legacy scan request and its response.
    struct Exchange: Hashable {
        var advertiser: DeviceAddress
        /// The type of the advertisement that the request answers.
        var type: HCI.AdvertisingEventType
        var channel: UInt8
    }

    var settings = ScanSettings()
    private(set) var state = State.off
    private(set) var duration = ScanDuration.endless
    var schedules = ListeningSchedules()
    /// The share of the time for which it listens, in percent; 0 while it is off.
    private(set) var share = 0
    private(set) var backoff = ScanBackoff()
    private var filter = HCI.DuplicateFilter.off
    private var reported = ReportedAdvertisers()
    private var answered: Set<UInt64> = []

    var isEnabled: Bool { state != .off }
    /// Whether it listens, or waits for the radio to do so.
    var isScanning: Bool { state != .off && state != .resting }

    mutating func enable(filter: HCI.DuplicateFilter, duration: ScanDuration = .endless) {
        self.filter = filter
        self.duration = duration
        backoff = ScanBackoff()
        forgetReports()
        schedules = settings.schedules
        resume()
    }

    /// Begins the first or a later period of a scan, on the channel after that of the interval before.
    mutating func resume() {
        state = .listening
        share = schedules.share
        if filter == .onPerPeriod { forgetReports() }
    }

    /// Ends a period of a scan.
    mutating func rest() {
        state = .resting
        schedules.endWindows()
        share = 0
    }

    mutating func disable() {
        rest()
        schedules = ListeningSchedules()
        state = .off
    }

    private mutating func forgetReports() {
        reported.removeAll()
        answered.removeAll()
    }

    /// Takes parameters of the host (Vol 4, Part E, 7.8.10 and 7.8.64).
    mutating func set(_ new: ScanSettings, hasResolvingList: Bool) throws(HCI.ErrorCode) {
        guard !isEnabled else { throw .commandDisallowed }
        guard new.ownAddressType.rawValue <= 3, new.filterPolicy.rawValue <= 3 else {
            throw .invalidHCICommandParameters
        }
        guard new.ownAddressType.rawValue <= 1 && new.filterPolicy.rawValue <= 1 || hasResolvingList else {
            throw .unsupportedFeatureOrParameterValue
        }
        settings = new
    }

    /// Whether to report a legacy packet to the host: the duplicate filter (Vol 4, Part E, 7.8.11).
    mutating func isWorthReporting(_ type: HCI.AdvertisingEventType, from address: DeviceAddress) -> Bool {
        filter == .off || reported.insert(type, from: address)
    }

    /// Whether to report a packet of extended advertising (Vol 4, Part E, 7.8.65).
    mutating func isWorthReporting(_ packet: CollectedPacket, isTruncated: Bool) -> Bool {
        guard filter != .off else { return true }
        guard isTruncated else { return reported.insert(packet.key(isTruncated: false)) }
        return !reported.contains(packet.key(isTruncated: false)) && reported.insert(packet.key(isTruncated: true))
    }

    /// Whether to send a scan request to this advertiser now.
    mutating func wantsResponse(from address: DeviceAddress) -> Bool {
        guard settings[.oneM]?.isActive == true, state == .listening else { return false }
        if filter != .off && answered.contains(address.key) { return false }
        return backoff.mayRequest()
    }

    /// Whether to send AUX_SCAN_REQ to the sender of a scannable AUX_ADV_IND now.
    mutating func wantsResponse(to packet: CollectedPacket) -> Bool {
        guard settings[PrimaryPHY(packet.primaryPHY)]?.isActive == true, state == .listening else { return false }
        if filter != .off && reported.contains(packet.responseKey) { return false }
        return backoff.mayRequest()
    }

    mutating func request(_ exchange: Exchange) { state = .requesting(exchange) }

    /// The request has been sent.
    mutating func requestSent() {
        if case .requesting(let exchange) = state { state = .awaitingResponse(exchange) }
    }

    /// Ends the exchange. `answered` is nil if another activity interrupted it.
    mutating func endExchange(answered isAnswered: Bool?, random: inout SeededRandom) {
        guard case .awaitingResponse(let exchange) = state else {
            if isScanning { state = .listening }
            return
        }
        state = .listening
        guard let isAnswered else { return }
        if isAnswered, filter != .off {
            if answered.count >= ReportedAdvertisers.limit { answered.removeAll(keepingCapacity: true) }
            answered.insert(exchange.advertiser.key)
        }
        backoff.end(isAnswered: isAnswered, random: &random)
    }

    /// Counts the end of an exchange on a secondary channel.
    mutating func endAuxiliaryExchange(isAnswered: Bool, random: inout SeededRandom) {
        backoff.end(isAnswered: isAnswered, random: &random)
    }
}

/// Prevents repeated collisions of scanners that request from the same advertiser (Vol 6, Part B, 4.4.3.2).
struct ScanBackoff: Hashable {
    /// The highest value of `upperLimit`.
    private let highest: Int
    private(set) var upperLimit = 1
    private(set) var count = 1
    private var successes = 0
    private var failures = 0

    init(highest: Int = 256) { self.highest = highest }

    /// Counts a scannable advertisement. Returns whether the scanner may send a request.
    mutating func mayRequest() -> Bool {
        count -= 1
        guard count <= 0 else { return false }
        count = 0
        return true
    }

    mutating func end(isAnswered: Bool, random: inout SeededRandom) {
        if isAnswered {
            failures = 0
            successes += 1
            if successes == 2 {
                successes = 0
                upperLimit = max(1, upperLimit / 2)
            }
        } else {
            successes = 0
            failures += 1
            if failures == 2 {
                failures = 0
                upperLimit = min(highest, upperLimit * 2)
            }
        }
        count = Int.random(in: 1...upperLimit, using: &random)
    }
}
