import BLEWire

/// The scanner (Vol 6, Part B, 4.4.3): its filter, its scan requests, and the advertisers that it has reported.
struct ScanningRole {
    enum State: Hashable {
        case off
        case listening
        /// A scan request to this advertiser is being sent.
        case requesting(DeviceAddress, channel: UInt8)
        /// The scanner waits for the scan response.
        case awaitingResponse(DeviceAddress, channel: UInt8)
    }

    var parameters = HCI.LESetScanParameters()
    private(set) var state = State.off
    var schedule = ListeningSchedule(interval: 16, window: 16)
    /// The share of the time for which it listens, in percent; 0 while it is off.
    private(set) var share = 0
    private(set) var backoff = ScanBackoff()
    private var filtersDuplicates = false
    private var reported: Set<UInt64> = []
    private var answered: Set<UInt64> = []

    /// The number of reported advertisers that the scanner stores.
    static let duplicateLimit = 32_768

    var isEnabled: Bool { state != .off }

    mutating func enable(filteringDuplicates: Bool) {
        state = .listening
        filtersDuplicates = filteringDuplicates
        schedule = ListeningSchedule(interval: parameters.interval, window: parameters.window)
        share = schedule.share
        backoff = ScanBackoff()
        reported.removeAll()
        answered.removeAll()
    }

    mutating func disable() {
        state = .off
        share = 0
    }

    /// Takes parameters of the host (Vol 4, Part E, 7.8.10).
    mutating func set(_ command: HCI.LESetScanParameters, hasResolvingList: Bool) throws(HCI.ErrorCode) {
        guard !isEnabled else { throw .commandDisallowed }
        guard command.scanType.rawValue <= 1, command.ownAddressType.rawValue <= 3,
            command.filterPolicy.rawValue <= 3, ListeningSchedule.isValid(command.interval, command.window)
        else { throw .invalidHCICommandParameters }
        guard command.ownAddressType.rawValue <= 1 && command.filterPolicy.rawValue <= 1 || hasResolvingList else {
            throw .unsupportedFeatureOrParameterValue
        }
        parameters = command
    }

    /// Whether to report the packet to the host: the duplicate filter (Vol 4, Part E, 7.8.11).
    mutating func isWorthReporting(_ type: HCI.AdvertisingEventType, from address: DeviceAddress) -> Bool {
        guard filtersDuplicates else { return true }
        return Self.remember(Self.key(address) | UInt64(type.rawValue) << 56, in: &reported)
    }

    /// Whether to send a scan request to this advertiser now.
    mutating func wantsResponse(from address: DeviceAddress) -> Bool {
        guard parameters.scanType == .active, state == .listening else { return false }
        if filtersDuplicates && answered.contains(Self.key(address)) { return false }
        return backoff.mayRequest()
    }

    mutating func request(_ address: DeviceAddress, channel: UInt8) { state = .requesting(address, channel: channel) }

    /// The request has been sent.
    mutating func requestSent() {
        if case .requesting(let address, let channel) = state {
            state = .awaitingResponse(address, channel: channel)
        }
    }

    /// Ends the exchange. `answered` is nil if another activity interrupted it.
    mutating func endExchange(answered isAnswered: Bool?, random: inout SeededRandom) {
        guard case .awaitingResponse(let address, _) = state else {
            if isEnabled { state = .listening }
            return
        }
        state = .listening
        guard let isAnswered else { return }
        if isAnswered, filtersDuplicates { _ = Self.remember(Self.key(address), in: &answered) }
        backoff.end(isAnswered: isAnswered, random: &random)
    }

    /// Inserts a key. Returns whether it is new. A full list is cleared, which bounds the memory.
    private static func remember(_ key: UInt64, in list: inout Set<UInt64>) -> Bool {
        if list.contains(key) { return false }
        if list.count >= duplicateLimit { list.removeAll(keepingCapacity: true) }
        list.insert(key)
        return true
    }

    private static func key(_ address: DeviceAddress) -> UInt64 {
        address.value | UInt64(address.kind.rawValue) << 48
    }
}

/// Prevents repeated collisions of scanners that request from the same advertiser (Vol 6, Part B, 4.4.3.2).
struct ScanBackoff: Hashable {
    private(set) var upperLimit = 1
    private(set) var count = 1
    private var successes = 0
    private var failures = 0

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
                upperLimit = min(256, upperLimit * 2)
            }
        }
        count = Int.random(in: 1...upperLimit, using: &random)
    }
}
