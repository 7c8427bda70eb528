import BLEWire

/// The advertising sets of a host. A controller without extended advertising has one, `.legacy`. One command about advertising is outstanding at
/// a time, because answers name no set.
struct AdvertisingSets: Sendable {
    /// The most sets, whatever the controller allows.
    static let limit = 16

    enum Action: Hashable, Sendable {
        case set(Advertiser.Action)
        /// The set's periodic advertising.
        case train(PeriodicAdvertiser.Action)
    }

    /// What has reached its requested state.
    enum Applied: Hashable, Sendable {
        case set(AdvertisingSet)
        case train(AdvertisingSet)
    }

    private struct Entry {
        let set: AdvertisingSet
        var advertiser: Advertiser
        var train = PeriodicAdvertiser()

        var isIdle: Bool { advertiser.isIdle && train.isIdle }
        var isUsed: Bool { advertiser.isUsed || train.isUsed }

        /// The end of a set ends its train.
        mutating func request(_ parameters: AdvertisingParameters?) {
            if parameters == nil, train.requested != nil { train.request(nil) }
            advertiser.request(parameters)
        }

        /// A train needs its set, and ends before it.
        mutating func next() -> Action? {
            let isPossible = advertiser.canKeepTrain
            train.prepare(exists: advertiser.exists, isPossible: isPossible)
            if train.isOn, !isPossible { return train.next().map(Action.train) }
            return advertiser.next().map(Action.set) ?? train.next().map(Action.train)
        }
    }

    private let usesSets: Bool
    private let capacity: Int
    private let maximumData: Int
    private let phys: HCI.PHYMask
    /// `.legacy`, and the other sets in use.
    private var entries: [Entry]

    init(_ capabilities: ControllerCapabilities = ControllerCapabilities()) {
        usesSets = capabilities.usesExtendedAdvertising
        capacity = min(Self.limit, capabilities.advertisingSets)
        maximumData = capabilities.maximumAdvertisingData
        phys = capabilities.acceptablePHYs(uses2M: true)
        entries = [Entry(set: .legacy, advertiser: Advertiser(usesSets: usesSets))]
    }

    subscript(set: AdvertisingSet) -> Advertiser? { entries.first { $0.set == set }?.advertiser }

    func train(of set: AdvertisingSet) -> PeriodicAdvertiser? { entries.first { $0.set == set }?.train }

    /// The number of sets in use, and `.legacy`.
    var count: Int { entries.count }

    /// Whether no set is on, and no command is outstanding. Trains do not count: addresses may change while they run (Vol 4, Part E, 7.8.44).
    var isQuiet: Bool { entries.allSatisfy { !$0.advertiser.isOn && $0.advertiser.isIdle } }

    private func index(of set: AdvertisingSet) -> Int? { entries.firstIndex { $0.set == set } }

    // MARK: Requests

    /// Requests the advertising of a set, or its end. Returns the error of a request that is not possible.
    mutating func request(_ parameters: AdvertisingParameters?, of set: AdvertisingSet) -> HCI.ErrorCode? {
        if let parameters, let error = refusal(of: parameters, for: set) { return error }
        let index = index(of: set) ?? entries.endIndex
        if index == entries.endIndex { entries.append(Entry(set: set, advertiser: Advertiser(usesSets: true))) }
        entries[index].request(parameters)
        return nil
    }

    /// Requests the periodic advertising of a requested set, or its end. Returns the error of a request that is not possible.
    mutating func requestTrain(
        _ advertising: PeriodicAdvertising?, of set: AdvertisingSet, _ capabilities: ControllerCapabilities
    ) -> HCI.ErrorCode? {
        if let error = advertising?.refusal(capabilities) { return error }
        guard let index = index(of: set), let parameters = entries[index].advertiser.requested else {
            return .unknownAdvertisingIdentifier
        }
        if advertising != nil, !AdvertisingEvents(parameters).canHaveTrain { return .invalidHCICommandParameters }
        entries[index].train.request(advertising)
        return nil
    }

    private func refusal(of parameters: AdvertisingParameters, for set: AdvertisingSet) -> HCI.ErrorCode? {
        if !usesSets, set != .legacy || parameters.pdus != .legacy { return .unsupportedFeatureOrParameterValue }
        if set.handle > AdvertisingSet.maximumHandle { return .invalidHCICommandParameters }
        // `next()` removes the sets that are not requested any more first.
        if self[set]?.requested == nil, entries.count(where: { $0.advertiser.requested != nil }) >= capacity {
            return .memoryCapacityExceeded
        }
        // Its train ends first.
        if train(of: set)?.requested != nil, !AdvertisingEvents(parameters).canHaveTrain { return .commandDisallowed }
        let longest = max(parameters.data.count, parameters.scanResponse.count)
        guard case .extended(let extended) = parameters.pdus else {
            return longest > HCI.AdvertisingData.maximumCount ? .invalidHCICommandParameters : nil
        }
        if longest > maximumData { return .memoryCapacityExceeded }
        return extended.isValid(with: parameters)
            ? extended.needs(more: phys) ? .unsupportedFeatureOrParameterValue : nil : .invalidHCICommandParameters
    }

    /// Ends all sets.
    mutating func end() {
        for index in entries.indices where entries[index].advertiser.requested != nil {
            entries[index].request(nil)
        }
    }

    // MARK: Commands

    /// Prepares for the next commands.
    ///
    /// - Parameters:
    ///   - isSuspended: Whether the sets pause.
    ///   - address: The random address of this host; nil if it uses its public address.
    mutating func prepare(isSuspended: Bool, address: DeviceAddress?) {
        for index in entries.indices {
            entries[index].advertiser.isSuspended = isSuspended
            entries[index].advertiser.address = usesSets ? address : nil
        }
    }

    /// The next command to send, if one is due.
    mutating func next() -> (AdvertisingSet, Action)? {
        guard entries.allSatisfy(\.isIdle) else { return nil }
        // The controller may have room for a set only after the end of another one.
        for isRequested in [false, true] {
            for index in entries.indices where (entries[index].advertiser.requested != nil) == isRequested {
                if let action = entries[index].next() { return (entries[index].set, action) }
            }
        }
        return nil
    }

    /// Takes the answer to the last command of a set.
    mutating func completed(_ set: AdvertisingSet, _ status: HCI.ErrorCode) -> Advertiser.Report {
        index(of: set).map { entries[$0].advertiser.completed(status) } ?? .none
    }

    /// Takes the answer to the last command of a set's periodic advertising.
    mutating func trainCompleted(_ set: AdvertisingSet, _ status: HCI.ErrorCode) -> Advertiser.Report {
        index(of: set).map { entries[$0].train.completed(status) } ?? .none
    }

    // MARK: Responses

    /// The set with a handle if its train has subevents.
    func setWithSubevents(_ handle: UInt8) -> AdvertisingSet? {
        entries.first { $0.set.handle == handle && $0.train.requested?.subevents != nil }?.set
    }

    /// Joins the pieces of a response. Returns the octets when the last piece has come.
    mutating func received(
        _ response: HCI.PeriodicAdvertisingResponse, in subevent: UInt8, of set: AdvertisingSet
    ) -> [UInt8]? {
        guard let index = index(of: set) else { return nil }
        return entries[index].train.responses.received(
            response.data, slot: response.responseSlot, response.dataStatus, in: subevent)
    }

    /// Whether another command with the data of subevents may wait.
    mutating func beginData(of set: AdvertisingSet) -> Bool {
        guard let index = index(of: set) else { return false }
        return entries[index].train.responses.beginData()
    }

    /// A command with the data of subevents has been answered.
    mutating func endData(of set: AdvertisingSet) {
        if let index = index(of: set) { entries[index].train.responses.endData() }
    }

    /// Takes the failure of the request for a set.
    mutating func setFailed(_ set: AdvertisingSet, _ status: HCI.ErrorCode) -> Advertiser.Report {
        index(of: set).map { entries[$0].train.setFailed(status) } ?? .none
    }

    /// Returns a set or a train that has reached its requested state since the last call, and forgets a set that is off.
    mutating func takeApplied() -> Applied? {
        var applied: Applied?
        for index in entries.indices {
            if entries[index].train.takeReport() == .applied {
                applied = .train(entries[index].set)
                break
            }
            if entries[index].advertiser.takeReport() == .applied {
                applied = .set(entries[index].set)
                break
            }
        }
        entries.removeAll { $0.set != .legacy && !$0.isUsed }
        return applied
    }

    // MARK: Links

    /// Takes a new link as peripheral. LE Advertising Set Terminated tells which set it ended, but may be lost.
    mutating func connectionMade() {
        guard usesSets else { return entries[0].advertiser.connectionMade() }
        for index in entries.indices { entries[index].advertiser.connectionMadeBySomeSet() }
    }

    /// Takes LE Advertising Set Terminated (Vol 4, Part E, 7.7.65.18).
    mutating func terminated(_ set: AdvertisingSet, _ status: HCI.ErrorCode) -> Advertiser.Report {
        guard let index = index(of: set) else { return .none }
        if status != .success { return entries[index].advertiser.stopped(status) }
        entries[index].advertiser.connectionMade()
        return .none
    }

    /// Takes the end of a link that the controller did not report, and that may have ended any set.
    mutating func unknownLinkEnded() {
        for index in entries.indices { entries[index].advertiser.unknownLinkEnded() }
    }

    mutating func linkEnded() {
        for index in entries.indices { entries[index].advertiser.linkEnded() }
    }
}

extension ExtendedAdvertising {
    /// Whether the specification allows these properties together, with data where it is allowed (Vol 4, Part E, 7.8.53 to 7.8.55).
    fileprivate func isValid(with parameters: AdvertisingParameters) -> Bool {
        let isScannable = !parameters.scanResponse.isEmpty
        return sid <= 0x0F && (primaryPHY == .le1M || primaryPHY == .leCoded)
            && (secondaryPHY == .le1M || secondaryPHY == .le2M || secondaryPHY == .leCoded)
            && !(isScannable && (parameters.isConnectable || !parameters.data.isEmpty))
            && !(isAnonymous && (parameters.isConnectable || isScannable))
    }

    fileprivate func needs(more phys: HCI.PHYMask) -> Bool {
        (primaryPHY == .leCoded || secondaryPHY == .leCoded) && !phys.contains(.leCoded)
            || secondaryPHY == .le2M && !phys.contains(.le2M)
    }
}
