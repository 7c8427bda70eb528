import BLEWire

/// The Advertising State of a controller (Vol 6, Part B, 4.4.2): its sets with their events, answers and commands.
///
/// The sets share the radio: the one that was due first begins first. A slot determines a set's place; a removed set leaves its slot to a new one.
struct AdvertisingSets {
    private var sets: [AdvertisingSet] = []
    var pause = AdvertisingPause()

    /// The most sets that exist at a time (Vol 4, Part E, 7.8.58). It bounds the memory for a host's data: 16 times 3,300 octets.
    static let limit = 16
    /// The set of the legacy commands.
    static let legacySlot = 0

    subscript(slot: Int) -> AdvertisingSet {
        _read { yield sets[slot] }
        _modify { yield &sets[slot] }
    }

    /// The slots of all sets, also those of removed ones.
    var slots: Range<Int> { 0..<sets.count }

    // MARK: The table

    /// Finds the set with a handle of the host.
    func slot(of handle: UInt8) throws(HCI.ErrorCode) -> Int {
        try Self.check(handle)
        for slot in slots where sets[slot].handle == handle { return slot }
        throw .unknownAdvertisingIdentifier
    }

    /// Finds the set with a handle, or creates it.
    mutating func makeSlot(of handle: UInt8, _ random: inout SeededRandom) throws(HCI.ErrorCode) -> Int {
        try Self.check(handle)
        for slot in slots where sets[slot].handle == handle { return slot }
        var set = AdvertisingSet(handle: handle)
        set.dataID = UInt16(truncatingIfNeeded: random.next()) & 0x0FFF
        set.auxiliary.channels.reseed(&random)
        for slot in slots where sets[slot].handle == nil {
            sets[slot] = set
            return slot
        }
        guard sets.count < Self.limit else { throw .memoryCapacityExceeded }
        sets.append(set)
        return sets.count - 1
    }

    /// Creates the set of the legacy commands before its first use.
    mutating func prepareLegacySet() {
        if sets.isEmpty { sets.append(AdvertisingSet(handle: 0)) }
    }

    mutating func remove(_ slot: Int) { sets[slot] = AdvertisingSet(handle: nil) }

    private static func check(_ handle: UInt8) throws(HCI.ErrorCode) {
        guard handle <= 0xEF else { throw .invalidHCICommandParameters }
    }

    // MARK: Trains

    /// What the order of the trains on the air depends on.
    private struct RunningTrain {
        let slot: Int
        /// The start of the next event.
        let due: Instant
        /// The events in a row that were not sent.
        let missed: Int
    }

    /// The train that precedes the others for which a condition holds, in a lower slot if they are equal.
    private func runningTrain(
        where condition: (RunningTrain) -> Bool = { _ in true }, first precedes: (RunningTrain, RunningTrain) -> Bool
    ) -> RunningTrain? {
        var first: RunningTrain?
        for slot in slots {
            guard let due = sets[slot].periodic?.due, let missed = sets[slot].periodic?.missed else { continue }
            let train = RunningTrain(slot: slot, due: due, missed: missed)
            guard condition(train) else { continue }
            if let first, !precedes(train, first) { continue }
            first = train
        }
        return first
    }

    /// The start of the first event of a train.
    var nextTrain: Instant? { runningTrain(first: { $0.due < $1.due })?.due }

    /// The set whose train is due, of several the one that has missed most events.
    func dueTrain(at now: Instant) -> Int? {
        runningTrain(where: { $0.due <= now }, first: { $0.missed > $1.missed })?.slot
    }

    /// Whether a train that has missed more events than this one is due before `end`.
    func hasNeedierTrain(than slot: Int, before end: Instant) -> Bool {
        let missed = sets[slot].periodic?.missed ?? 0
        return runningTrain(where: { $0.due < end && $0.missed > missed }, first: { $0.missed > $1.missed }) != nil
    }

    /// Whether the host has turned on a train.
    var hasTrain: Bool { slots.contains { sets[$0].periodic?.isOn == true } }

    // MARK: What the sets do

    var isEnabled: Bool {
        for slot in slots where sets[slot].isEnabled { return true }
        return false
    }

    /// Whether a set waits for the end of another activity.
    var isRadioAwaited: Bool { pause.end == nil && isWaiting }

    /// Whether a set was due while the radio was busy, or in a pause.
    private var isWaiting: Bool {
        for slot in slots where sets[slot].isWaiting { return true }
        return false
    }

    /// Whether an enabled set filters requests by the accept list.
    var usesAcceptList: Bool {
        for slot in slots where sets[slot].isEnabled && sets[slot].parameters.filterPolicy != .everyone { return true }
        return false
    }

    /// Whether only the host ends the advertising.
    var hasNoEnd: Bool {
        for slot in slots
        where sets[slot].isEnabled && (sets[slot].limits.duration != nil || sets[slot].limits.maximumEvents > 0) {
            return false
        }
        return true
    }

    /// The random address of the first set that has one.
    var randomAddress: UInt64? {
        for slot in slots { if let address = sets[slot].addresses.assigned { return address } }
        return nil
    }

    /// The start of the first event of a set that does not wait for the radio, or the end of the pause for which a set waits.
    var nextDue: Instant? {
        var first = isWaiting ? pause.end : nil
        for slot in slots where sets[slot].isResting && !sets[slot].isWaiting {
            first = min(first ?? sets[slot].due, sets[slot].due)
        }
        return first
    }

    /// The first end of a set's duration.
    var nextEnd: Instant? {
        var first: Instant?
        for slot in slots where sets[slot].isEnabled {
            if let end = sets[slot].limits.end { first = min(first ?? end, end) }
        }
        return first
    }

    /// Notes the end of a set's event.
    mutating func noteEnd(of slot: Int, at now: Instant, backgroundShare: Int) {
        pause.noteEnd(
            from: sets[slot].eventStart, isLegacy: sets[slot].isLegacy, at: now, backgroundShare: backgroundShare)
    }

    /// Makes the sets wait whose time has come.
    mutating func awaitRadio(at now: Instant) {
        for slot in slots where sets[slot].isResting && sets[slot].due <= now { sets[slot].isWaiting = true }
    }

    /// The waiting set that was due first; nil in a pause.
    var nextWaiting: Int? {
        guard pause.end == nil else { return nil }
        var first: Int?
        for slot in slots where sets[slot].isWaiting {
            if let other = first, sets[other].due <= sets[slot].due { continue }
            first = slot
        }
        return first
    }

    /// The only enabled set if it rests and sends on 1M and 2M without answers and without an end of its own, in intervals of legacy commands: legacy
    /// PDUs, or ADV_EXT_IND and one AUX_ADV_IND.
    var beacon: Int? {
        var only: Int?
        guard pause.end == nil else { return nil }
        for slot in slots where sets[slot].isEnabled {
            guard only == nil, sets[slot].isBeacon else { return nil }
            only = slot
        }
        return only
    }
}

extension AdvertisingSet {
    fileprivate var isBeacon: Bool {
        isResting && !expectsAnswers && !isWaiting && limits.duration == nil && limits.maximumEvents == 0
            && parameters.intervalMinimum <= 0x4000
            && parameters.ownAddressType.rawValue <= HCI.OwnAddressType.random.rawValue
            && (isLegacy || hasOneAuxiliary)
    }

    /// Whether AUX_ADV_IND follows, which has neither a chain nor anything that changes from event to event.
    private var hasOneAuxiliary: Bool {
        let count = data.octets.count
        return !isDirected && !announcesTrain && primaryPHY == .oneM && !secondaryPHY.isCoded
            && needsAuxiliary(data: count) && advertisementLayout(count).isLast(0)
    }
}
