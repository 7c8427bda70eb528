import BLEWire

/// The scanner: what it listens for, whom it asks for scan responses, and what it has already told its host.
struct ScanningRole {
    enum State: Hashable {
        case off
        case listening
        /// A scan request to this advertiser is going out.
        case requesting(DeviceAddress, channel: UInt8)
        /// Its scan response is awaited.
        case awaitingResponse(DeviceAddress, channel: UInt8)
    }

    var parameters = HCI.LESetScanParameters()
    private(set) var state = State.off
    var schedule = ListeningSchedule(interval: 16, window: 16)
    private(set) var backoff = ScanBackoff()
    private var filtersDuplicates = false
    private var reported: Set<UInt64> = []
    private var answered: Set<UInt64> = []

    /// How many advertisers it remembers to have reported.
    static let duplicateLimit = 32_768

    var isEnabled: Bool { state != .off }

    mutating func enable(filteringDuplicates: Bool) {
        state = .listening
        filtersDuplicates = filteringDuplicates
        schedule = ListeningSchedule(interval: parameters.interval, window: parameters.window)
        backoff = ScanBackoff()
        reported.removeAll()
        answered.removeAll()
    }

    mutating func disable() { state = .off }

    /// Whether the host should hear of this packet.
    mutating func isWorthReporting(_ type: HCI.AdvertisingEventType, from address: DeviceAddress) -> Bool {
        guard filtersDuplicates else { return true }
        return Self.remember(Self.key(address) | UInt64(type.rawValue) << 56, in: &reported)
    }

    /// Whether to ask this advertiser for its scan response now.
    mutating func wantsResponse(from address: DeviceAddress) -> Bool {
        guard parameters.scanType == .active, state == .listening else { return false }
        if filtersDuplicates && answered.contains(Self.key(address)) { return false }
        return backoff.mayRequest()
    }

    mutating func request(_ address: DeviceAddress, channel: UInt8) { state = .requesting(address, channel: channel) }

    /// The request is out.
    mutating func requestSent() {
        if case .requesting(let address, let channel) = state {
            state = .awaitingResponse(address, channel: channel)
        }
    }

    /// The exchange is over; nil if something else interrupted it.
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

    /// True if it was not there. What is heard could fill the memory: a full list begins anew, as controllers' do.
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

/// Keeps scanners that ask the same advertiser from colliding for ever (Vol 6, Part B, 4.4.3.2).
struct ScanBackoff: Hashable {
    private(set) var upperLimit = 1
    private(set) var count = 1
    private var successes = 0
    private var failures = 0

    /// An advertisement that could be asked about; true if it is its turn.
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
