import BLEWire

/// Receives any number of trains of periodic advertising: looks for one by its address, for several through the Periodic Advertiser List (Vol 4,
/// Part E, 7.8.67 to 7.8.73). LE Periodic Advertising Create Sync finds one train, so it is sent until each requested train is received. When its
/// targets change it is cancelled, because the list must not change meanwhile.
///
/// The scanner must run while `isSearching`. One command is outstanding at a time.
struct PeriodicSyncs: Sendable {
    enum Command: Hashable, Sendable {
        /// Nil uses the list.
        case create(PeriodicTrainIdentifier?, PeriodicSyncParameters)
        case cancel
        case terminate(UInt16)
        case list(PeriodicTrainIdentifier)
        case unlist(PeriodicTrainIdentifier)
        case setReception(UInt16, HCI.PeriodicReceiveEnable)
        case transfer(Transfer)
    }

    /// A command about the transfer of knowledge over a link (Vol 4, Part E, 7.8.89 to 7.8.91).
    enum Transfer: Hashable, Sendable {
        /// Tells of a received train.
        case sync(UInt16, to: UInt16, serviceData: UInt16)
        /// Tells of the train of an own set.
        case set(AdvertisingSet, to: UInt16, serviceData: UInt16)
        /// Accepts trains of which the peer tells; nil ignores them.
        case accept(PeriodicSyncParameters?, from: UInt16)
    }

    enum Event: Hashable, Sendable {
        case established(PeriodicTrainIdentifier, Reception)
        /// The train is no longer requested.
        case failed(PeriodicTrainIdentifier, HCI.ErrorCode)
        case lost(PeriodicTrainIdentifier)
        /// The peer of a link told of a train, which is received now.
        case transferred(PeriodicTrainIdentifier, Reception, from: UInt16, serviceData: UInt16)
        case transferEnded(Transfer, HCI.ErrorCode)
    }

    /// A received train.
    struct Reception: Hashable, Sendable {
        let handle: UInt16
        let phy: HCI.PHY
        /// In units of 1.25 ms.
        let interval: UInt16
        let clockAccuracy: HCI.ClockAccuracy
    }

    private struct Request: Hashable, Sendable {
        let train: PeriodicTrainIdentifier
        let parameters: PeriodicSyncParameters
        var failures = 0
    }

    private struct Sync: Sendable {
        let train: PeriodicTrainIdentifier
        let handle: UInt16
        var enable: HCI.PeriodicReceiveEnable
        var wanted: HCI.PeriodicReceiveEnable
        var isEnding = false
        var report = PeriodicReportAssembler()
    }

    private enum State: Hashable, Sendable {
        case idle
        /// LE Periodic Advertising Create Sync runs for these trains.
        case searching(Set<PeriodicTrainIdentifier>)
        /// It is cancelled, or has nothing left to cancel; its event has not arrived.
        case ending(until: Instant)
    }

    /// The most trains, requested and received.
    static let limit = 16
    /// The most commands about transfers that wait.
    static let transferLimit = 16
    /// The searches that may end without the train, other than by cancelling.
    static let maximumFailures = 3
    /// The time that the event after a cancelled search has to arrive.
    static let eventTimeout = TimeSpan.seconds(2)

    private let capabilities: ControllerCapabilities
    /// The most entries of the controller's list; 1 without one.
    private var capacity: Int
    /// In their order.
    private var requests: [Request] = []
    private var syncs: [Sync] = []
    /// The content of the controller's list.
    private var listed: [PeriodicTrainIdentifier] = []
    private var transfers: [Transfer] = []
    private var state = State.idle
    private var busy: Command?

    /// - Parameter listSize: The answer to LE Read Periodic Advertiser List Size; the list is empty.
    init(_ capabilities: ControllerCapabilities, listSize: Int = 1) {
        self.capabilities = capabilities
        capacity = capabilities.hasPeriodicAdvertiserList ? max(1, listSize) : 1
    }

    /// Whether a train is requested that is not received.
    var isSearching: Bool { !requests.isEmpty }
    var isIdle: Bool { busy == nil && state == .idle }
    /// The time at which `next` has something to do without an event.
    var deadline: Instant? { if case .ending(let until) = state { until } else { nil } }
    /// The received trains.
    var received: [PeriodicTrainIdentifier] { syncs.map(\.train) }

    subscript(handle: UInt16) -> PeriodicTrainIdentifier? { syncs.first { $0.handle == handle }?.train }

    // MARK: Requests

    /// Requests the reception of a train. Returns the error of a request that is not possible.
    mutating func request(
        _ train: PeriodicTrainIdentifier, _ parameters: PeriodicSyncParameters
    ) -> HCI.ErrorCode? {
        guard capabilities.receivesPeriodicAdvertising, allows(parameters) else {
            return .unsupportedFeatureOrParameterValue
        }
        guard parameters.isValid, train.sid <= 0x0F, train.address.kind.rawValue <= 1 else {
            return .invalidHCICommandParameters
        }
        if requests.contains(where: { $0.train == train }) || syncs.contains(where: { $0.train == train }) {
            return .connectionAlreadyExists
        }
        guard requests.count + syncs.count < Self.limit else { return .memoryCapacityExceeded }
        requests.append(Request(train: train, parameters: parameters))
        return nil
    }

    /// Ends the reception of a train, or the search for it.
    mutating func end(_ train: PeriodicTrainIdentifier) {
        requests.removeAll { $0.train == train }
        for index in syncs.indices where syncs[index].train == train { syncs[index].isEnding = true }
    }

    /// Turns the reports of a received train on or off. Returns the error of a request that is not possible.
    mutating func setReception(
        _ train: PeriodicTrainIdentifier, reports: Bool, filtersDuplicates: Bool
    ) -> HCI.ErrorCode? {
        let parameters = PeriodicSyncParameters(reports: reports, filtersDuplicates: filtersDuplicates)
        guard capabilities.has(.leSetPeriodicAdvertisingReceiveEnable), allows(parameters) else {
            return .unsupportedFeatureOrParameterValue
        }
        guard let index = syncs.firstIndex(where: { $0.train == train }) else { return .unknownAdvertisingIdentifier }
        syncs[index].wanted = parameters.enable
        return nil
    }

    /// Tells the peer of a link of a received train.
    mutating func transfer(
        _ train: PeriodicTrainIdentifier, to link: UInt16, serviceData: UInt16
    ) -> HCI.ErrorCode? {
        guard let sync = syncs.first(where: { $0.train == train }) else { return .unknownAdvertisingIdentifier }
        return add(.sync(sync.handle, to: link, serviceData: serviceData), capabilities.sendsSyncTransfers)
    }

    /// Tells the peer of a link of the train of a set.
    mutating func transfer(_ set: AdvertisingSet, to link: UInt16, serviceData: UInt16) -> HCI.ErrorCode? {
        add(.set(set, to: link, serviceData: serviceData), capabilities.sendsSyncTransfers)
    }

    /// Accepts the trains of which the peer of a link tells; nil ignores them.
    mutating func accept(_ parameters: PeriodicSyncParameters?, from link: UInt16) -> HCI.ErrorCode? {
        if let parameters {
            guard parameters.isValid else { return .invalidHCICommandParameters }
            guard allows(parameters) else { return .unsupportedFeatureOrParameterValue }
        }
        return add(.accept(parameters, from: link), capabilities.receivesSyncTransfers)
    }

    private mutating func add(_ transfer: Transfer, _ isPossible: Bool) -> HCI.ErrorCode? {
        guard isPossible else { return .unsupportedFeatureOrParameterValue }
        guard transfers.count < Self.transferLimit else { return .memoryCapacityExceeded }
        transfers.append(transfer)
        return nil
    }

    /// Duplicates are told by ADI.
    private func allows(_ parameters: PeriodicSyncParameters) -> Bool {
        !parameters.filtersDuplicates || capabilities.features.contains(.periodicAdvertisingADI)
    }

    // MARK: Commands

    mutating func next(at now: Instant) -> Command? {
        guard busy == nil else { return nil }
        if case .ending(let until) = state, until <= now { state = .idle }
        busy = step()
        return busy
    }

    private func step() -> Command? {
        if let transfer = transfers.first { return .transfer(transfer) }
        for sync in syncs {
            if sync.isEnding { return .terminate(sync.handle) }
            if sync.enable != sync.wanted { return .setReception(sync.handle, sync.wanted) }
        }
        let targets = targets
        switch state {
        case .searching(let searched): return searched == Set(targets) ? nil : .cancel
        case .ending: return nil
        case .idle: break
        }
        guard let first = requests.first else { return nil }
        if targets.count == 1 { return .create(first.train, first.parameters) }
        if let other = listed.first(where: { !targets.contains($0) }) { return .unlist(other) }
        if let missing = targets.first(where: { !listed.contains($0) }) { return .list(missing) }
        return .create(nil, first.parameters)
    }

    /// The trains of one search: those with the parameters of the first request, as many as the list takes. The others wait.
    private var targets: [PeriodicTrainIdentifier] {
        guard let first = requests.first else { return [] }
        return requests.filter { $0.parameters == first.parameters }.prefix(capacity).map(\.train)
    }

    /// Takes the answer to the last command.
    mutating func completed(_ status: HCI.ErrorCode, at now: Instant) -> [Event] {
        guard let command = busy else { return [] }
        busy = nil
        let success = status == .success
        switch command {
        case .create(let train, _):
            let targets = train.map { [$0] } ?? listed
            if success {
                state = .searching(Set(targets))
            } else {
                return fail(targets, status)
            }
        // A controller without a search has ended it, and its event follows.
        case .cancel: if case .searching = state { state = .ending(until: now + Self.eventTimeout) }
        case .terminate(let handle): syncs.removeAll { $0.handle == handle }
        case .list(let train):
            if success || status == .invalidHCICommandParameters {
                // The controller has it already.
                listed.append(train)
            } else if status == .memoryCapacityExceeded {
                capacity = max(1, listed.count)
            } else {
                return fail([train], status)
            }
        case .unlist(let train): listed.removeAll { $0 == train }
        case .setReception(let handle, let enable):
            for index in syncs.indices where syncs[index].handle == handle {
                if success { syncs[index].enable = enable } else { syncs[index].wanted = syncs[index].enable }
            }
        case .transfer(let transfer):
            transfers.removeFirst()
            return [.transferEnded(transfer, status)]
        }
        return []
    }

    private mutating func fail(_ trains: some Collection<PeriodicTrainIdentifier>, _ status: HCI.ErrorCode) -> [Event] {
        let failed = requests.filter { trains.contains($0.train) }.map(\.train)
        requests.removeAll { trains.contains($0.train) }
        return failed.map { .failed($0, status) }
    }

    // MARK: Events of the controller

    /// Takes LE Periodic Advertising Sync Established (Vol 4, Part E, 7.7.65.14).
    mutating func receive(_ event: HCI.LEPeriodicAdvertisingSyncEstablished) -> [Event] {
        guard event.status == .success else { return searchEnded(event.status) }
        state = .idle
        let train = PeriodicTrainIdentifier(address: event.advertiserAddress.asDevice, sid: event.advertisingSID)
        let reception = Reception(
            handle: event.syncHandle, phy: event.advertiserPHY, interval: event.interval,
            clockAccuracy: event.advertiserClockAccuracy)
        guard let index = requests.firstIndex(where: { $0.train == train }) else {
            // The search ended when it was no longer requested.
            add(train, event.syncHandle, [], isEnding: true)
            return []
        }
        let request = requests.remove(at: index)
        add(train, event.syncHandle, request.parameters.enable)
        return [.established(train, reception)]
    }

    /// The controller's search has ended without a train.
    private mutating func searchEnded(_ status: HCI.ErrorCode) -> [Event] {
        defer { state = .idle }
        guard status != .operationCancelledByHost, case .searching(let targets) = state else { return [] }
        for index in requests.indices where targets.contains(requests[index].train) { requests[index].failures += 1 }
        let failed = requests.filter { $0.failures >= Self.maximumFailures }.map(\.train)
        return fail(failed, status)
    }

    /// Takes LE Periodic Advertising Sync Transfer Received (Vol 4, Part E, 7.7.65.24).
    mutating func receive(_ event: HCI.LEPeriodicAdvertisingSyncTransferReceived, _ parameters: PeriodicSyncParameters)
        -> [Event]
    {
        guard event.status == .success else { return [] }
        let train = PeriodicTrainIdentifier(address: event.advertiserAddress.asDevice, sid: event.advertisingSID)
        let isWanted = requests.count + syncs.count < Self.limit
        add(train, event.syncHandle, parameters.enable, isEnding: !isWanted)
        guard isWanted else { return [] }
        // A search for the same train has become needless.
        requests.removeAll { $0.train == train }
        let reception = Reception(
            handle: event.syncHandle, phy: event.advertiserPHY, interval: event.interval,
            clockAccuracy: event.advertiserClockAccuracy)
        return [
            .transferred(train, reception, from: event.connectionHandle, serviceData: event.serviceData)
        ]
    }

    private mutating func add(
        _ train: PeriodicTrainIdentifier, _ handle: UInt16, _ enable: HCI.PeriodicReceiveEnable, isEnding: Bool = false
    ) {
        // A controller that uses a handle again has lost the sync before.
        syncs.removeAll { $0.handle == handle }
        syncs.append(Sync(train: train, handle: handle, enable: enable, wanted: enable, isEnding: isEnding))
    }

    /// Takes LE Periodic Advertising Sync Lost (Vol 4, Part E, 7.7.65.16).
    mutating func receive(_ event: HCI.LEPeriodicAdvertisingSyncLost) -> [Event] {
        guard let index = syncs.firstIndex(where: { $0.handle == event.syncHandle }) else { return [] }
        let sync = syncs.remove(at: index)
        return sync.isEnding ? [] : [.lost(sync.train)]
    }

    /// Takes a report. Returns the whole data of an event when its last piece has come.
    mutating func receive(_ report: HCI.LEPeriodicAdvertisingReport) -> PeriodicReportAssembler.Whole? {
        guard let index = syncs.firstIndex(where: { $0.handle == report.syncHandle }) else { return nil }
        return syncs[index].report.receive(report)
    }
}

/// Joins the pieces of reports of one train: an event has at most 247 octets of data, a train up to 1,650 (Vol 4, Part E, 7.7.65.15).
struct PeriodicReportAssembler: Hashable, Sendable {
    struct Whole: Hashable, Sendable {
        let data: [UInt8]
        let isTruncated: Bool
    }

    private var octets: [UInt8] = []
    /// Whether there were more octets than data can have.
    private var isExcessive = false

    mutating func receive(_ report: HCI.LEPeriodicAdvertisingReport) -> Whole? {
        let room = LL.maximumExtendedAdvertisingData - octets.count
        if report.data.count > room { isExcessive = true }
        octets.append(report.data.extracting(first: min(room, report.data.count)))
        guard report.dataStatus != .moreToCome else { return nil }
        defer { self = PeriodicReportAssembler() }
        return Whole(data: octets, isTruncated: isExcessive || report.dataStatus != .complete)
    }
}
