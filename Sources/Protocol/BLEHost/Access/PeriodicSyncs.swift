import BLEWire

/// Receives any number of trains of periodic advertising: looks for one by its address, for several through the Periodic Advertiser List (Vol 4,
/// Part E, 7.8.67 to 7.8.73). LE Periodic Advertising Create Sync finds one train, so it is sent until each requested train is received. When its
/// targets change it is cancelled, because the list must not change meanwhile.
///
/// The scanner must run while `isSearching`. One command is outstanding at a time.
struct PeriodicSyncs: Sendable {
    private struct Request: Hashable, Sendable {
        let train: PeriodicTrainIdentifier
        let parameters: PeriodicSyncParameters
        /// The train with the address that its device has on the air.
        var heard: PeriodicTrainIdentifier
        var failures = 0
    }

    struct Sync: Sendable {
        let train: PeriodicTrainIdentifier
        let handle: UInt16
        var enable: HCI.PeriodicReceiveEnable
        var wanted: HCI.PeriodicReceiveEnable
        var isEnding = false
        var report = PeriodicReportAssembler()
    }

    /// The trains of a search are those that the controller got.
    private enum State: Hashable, Sendable {
        case idle
        /// LE Periodic Advertising Create Sync runs for these trains.
        case searching(Set<PeriodicTrainIdentifier>)
        /// It is cancelled, or has nothing left to cancel; its event has not arrived.
        case ending(Set<PeriodicTrainIdentifier>, until: Instant)
    }

    /// The most trains, requested and received.
    static let limit = 16
    /// The most commands about transfers that wait.
    static let transferLimit = 16
    /// The most responses that wait for the controller.
    static let responseLimit = 32
    /// The searches for a train that may end without it, other than by cancelling.
    static let maximumFailures = 3
    /// The time that the event after a cancelled search has to arrive.
    static let eventTimeout = TimeSpan.seconds(2)

    private let capabilities: ControllerCapabilities
    /// The most entries of the controller's list; 1 without one.
    private var capacity: Int
    /// In their order.
    private var requests: [Request] = []
    private(set) var syncs: [Sync] = []
    /// The content of the controller's list.
    private var listed: [PeriodicTrainIdentifier] = []
    /// Those that are not sent.
    private var transfers: [Transfer] = []
    /// How the trains are received of which peers tell.
    private var accepted: [LinkIdentifier: PeriodicSyncParameters] = [:]
    private var state = State.idle
    private var busy: Command?
    /// The responses that wait for the controller.
    var responses = 0
    /// Whether the search is suspended for commands that need idle roles.
    var isSuspended = false

    init(_ capabilities: ControllerCapabilities = ControllerCapabilities()) {
        self.capabilities = capabilities
        capacity = capabilities.hasPeriodicAdvertiserList ? max(1, capabilities.periodicListSize) : 1
    }

    /// Whether a train is requested that is not received.
    var isSearching: Bool { !requests.isEmpty }
    /// Whether no search runs, and no command is outstanding.
    var isIdle: Bool { busy == nil && state == .idle }
    /// Whether there is nothing to do until the next call.
    var isUnused: Bool { requests.isEmpty && syncs.isEmpty && transfers.isEmpty && isIdle }
    /// The time at which `next` has something to do without an event.
    var deadline: Instant? { if case .ending(_, let until) = state { until } else { nil } }
    /// The received trains.
    var received: [PeriodicTrainIdentifier] { syncs.map(\.train) }

    subscript(handle: UInt16) -> PeriodicTrainIdentifier? { syncs.first { $0.handle == handle }?.train }

    // MARK: Requests

    /// Requests the reception of a train. Returns the error of a request that is not possible.
    mutating func request(_ train: PeriodicTrainIdentifier, _ parameters: PeriodicSyncParameters) -> HCI.ErrorCode? {
        guard capabilities.receivesPeriodicAdvertising, allows(parameters) else {
            return .unsupportedFeatureOrParameterValue
        }
        guard parameters.isValid, train.sid <= 0x0F, train.address.kind.rawValue <= 1 else {
            return .invalidHCICommandParameters
        }
        if requests.contains(where: { $0.train == train }) { return .connectionAlreadyExists }
        // A sync that ends gives the train free.
        if syncs.contains(where: { $0.train == train && !$0.isEnding }) { return .connectionAlreadyExists }
        guard requests.count + syncs.count < Self.limit else { return .memoryCapacityExceeded }
        requests.append(Request(train: train, parameters: parameters, heard: train))
        return nil
    }

    /// Ends the reception of a train, or the search for it.
    mutating func end(_ train: PeriodicTrainIdentifier) {
        requests.removeAll { $0.train == train }
        for index in syncs.indices where syncs[index].train == train { syncs[index].isEnding = true }
    }

    /// Ends everything, without events.
    mutating func endAll() {
        requests.removeAll()
        transfers.removeAll()
        accepted.removeAll()
        for index in syncs.indices { syncs[index].isEnding = true }
    }

    /// Turns the reports of a received train on or off. Returns the error of a request that is not possible.
    mutating func setReception(
        _ train: PeriodicTrainIdentifier, reports: Bool, filtersDuplicates: Bool
    ) -> HCI.ErrorCode? {
        let parameters = PeriodicSyncParameters(reports: reports, filtersDuplicates: filtersDuplicates)
        guard capabilities.has(.leSetPeriodicAdvertisingReceiveEnable), allows(parameters) else {
            return .unsupportedFeatureOrParameterValue
        }
        guard let index = syncs.firstIndex(where: { $0.train == train && !$0.isEnding }) else {
            return .unknownAdvertisingIdentifier
        }
        syncs[index].wanted = parameters.enable
        return nil
    }

    /// Tells the peer of a link of a received train.
    mutating func transfer(
        _ train: PeriodicTrainIdentifier, to link: LinkIdentifier, handle: UInt16, serviceData: UInt16, token: Int = 0
    ) -> HCI.ErrorCode? {
        guard let sync = syncs.first(where: { $0.train == train && !$0.isEnding }) else {
            return .unknownAdvertisingIdentifier
        }
        return add(
            .sync(train, handle: sync.handle, serviceData: serviceData), link, handle, token,
            capabilities.sendsSyncTransfers)
    }

    /// Tells the peer of a link of the train of a set.
    mutating func transfer(
        _ set: AdvertisingSet, to link: LinkIdentifier, handle: UInt16, serviceData: UInt16, token: Int = 0
    ) -> HCI.ErrorCode? {
        add(.set(set, serviceData: serviceData), link, handle, token, capabilities.sendsSyncTransfers)
    }

    /// Accepts the trains of which the peer of a link tells; nil ignores them.
    mutating func accept(
        _ parameters: PeriodicSyncParameters?, from link: LinkIdentifier, handle: UInt16, token: Int = 0
    ) -> HCI.ErrorCode? {
        if let parameters {
            guard parameters.isValid else { return .invalidHCICommandParameters }
            guard allows(parameters) else { return .unsupportedFeatureOrParameterValue }
        }
        return add(.accept(parameters), link, handle, token, capabilities.receivesSyncTransfers)
    }

    private mutating func add(
        _ content: Transfer.Content, _ link: LinkIdentifier, _ handle: UInt16, _ token: Int, _ isPossible: Bool
    ) -> HCI.ErrorCode? {
        guard isPossible else { return .unsupportedFeatureOrParameterValue }
        guard transfers.count < Self.transferLimit else { return .memoryCapacityExceeded }
        transfers.append(Transfer(content: content, link: link, handle: handle, token: token))
        return nil
    }

    /// Duplicates are told by ADI.
    private func allows(_ parameters: PeriodicSyncParameters) -> Bool {
        !parameters.filtersDuplicates || capabilities.features.contains(.periodicAdvertisingADI)
    }

    /// Takes the end of a link. Its waiting transfers fail; trains of which its peer told stay.
    mutating func linkEnded(_ link: LinkIdentifier) -> [PeriodicEvent] {
        accepted[link] = nil
        return drop(.unknownConnectionIdentifier) { $0.link == link }
    }

    private mutating func drop(_ status: HCI.ErrorCode, where isMeant: (Transfer) -> Bool) -> [PeriodicEvent] {
        guard !transfers.isEmpty else { return [] }
        let dropped = transfers.filter(isMeant)
        transfers.removeAll(where: isMeant)
        return dropped.map { .transferEnded($0.name, $0.link, status, token: $0.token) }
    }

    // MARK: Commands

    /// - Parameter heard: The address that a device has on the air, as far as it is known.
    mutating func next(at now: Instant, heard: (DeviceAddress) -> DeviceAddress = { $0 }) -> Command? {
        if case .ending(_, let until) = state, until <= now { state = .idle }
        guard busy == nil else { return nil }
        for index in requests.indices {
            let train = requests[index].train
            requests[index].heard = PeriodicTrainIdentifier(address: heard(train.address), sid: train.sid)
        }
        busy = step()
        if case .transfer? = busy { transfers.removeFirst() }
        return busy
    }

    private func step() -> Command? {
        if let transfer = transfers.first { return .transfer(transfer) }
        for sync in syncs where !sync.isEnding && sync.enable != sync.wanted {
            return .setReception(sync.handle, sync.wanted)
        }
        // Some controllers, as NimBLE's, end no train while they look for another one.
        let ending = syncs.first { $0.isEnding }
        let targets = isSuspended || ending != nil ? [] : targets
        switch state {
        case .searching(let searched): return searched == Set(targets) ? nil : .cancel
        case .ending: return nil
        case .idle: break
        }
        if let ending { return .terminate(ending.handle) }
        guard let target = targets.first, let parameters = requests.first?.parameters else { return nil }
        if targets.count == 1 { return .create(target, parameters) }
        if let other = listed.first(where: { !targets.contains($0) }) { return .unlist(other) }
        if let missing = targets.first(where: { !listed.contains($0) }) { return .list(missing) }
        return .create(nil, parameters)
    }

    /// The trains of one search: those with the parameters of the first request, as many as the list takes. The others wait.
    private var targets: [PeriodicTrainIdentifier] {
        guard let first = requests.first else { return [] }
        return requests.filter { $0.parameters == first.parameters }.prefix(capacity).map(\.heard)
    }

    /// Takes the answer to the last command.
    mutating func completed(_ status: HCI.ErrorCode, at now: Instant) -> [PeriodicEvent] {
        guard let command = busy else { return [] }
        busy = nil
        let success = status == .success
        switch command {
        case .create(let train, _):
            let targets = train.map { [$0] } ?? listed
            guard success else { return fail(status) { targets.contains($0.heard) } }
            state = .searching(Set(targets))
        // A controller without a search has ended it, and its event follows.
        case .cancel:
            if case .searching(let searched) = state { state = .ending(searched, until: now + Self.eventTimeout) }
        case .terminate(let handle): syncs.removeAll { $0.handle == handle }
        case .list(let train):
            if success || status == .invalidHCICommandParameters {
                // The controller has it already.
                listed.append(train)
            } else if status == .memoryCapacityExceeded {
                capacity = max(1, listed.count)
            } else {
                return fail(status) { $0.heard == train }
            }
        case .unlist(let train): listed.removeAll { $0 == train }
        case .setReception(let handle, let enable):
            for index in syncs.indices where syncs[index].handle == handle {
                if success { syncs[index].enable = enable } else { syncs[index].wanted = syncs[index].enable }
            }
        case .transfer(let transfer):
            if success, case .accept(let parameters) = transfer.content { accepted[transfer.link] = parameters }
            return [.transferEnded(transfer.name, transfer.link, success ? nil : status, token: transfer.token)]
        }
        return []
    }

    private mutating func fail(_ status: HCI.ErrorCode, where isMeant: (Request) -> Bool) -> [PeriodicEvent] {
        let failed = requests.filter(isMeant).map(\.train)
        requests.removeAll(where: isMeant)
        return failed.map { .failed($0, status) }
    }

    // MARK: Events of the controller

    /// Takes LE Periodic Advertising Sync Established (Vol 4, Part E, 7.7.65.14).
    ///
    /// - Parameters:
    ///   - subevents: Those of a train with responses.
    ///   - device: The device of the address in the event.
    mutating func receive(
        _ event: HCI.LEPeriodicAdvertisingSyncEstablished, _ subevents: HCI.PeriodicSubevents? = nil,
        from device: DeviceAddress
    ) -> [PeriodicEvent] {
        let former = state
        state = .idle
        let searched: Set<PeriodicTrainIdentifier>
        switch former {
        case .idle: searched = []
        case .searching(let trains), .ending(let trains, _): searched = trains
        }
        guard event.status == .success else {
            // A cancelled search may end in any way.
            guard case .searching = former, event.status != .operationCancelledByHost else { return [] }
            // One train that cannot be received must not end the requests of the others.
            guard searched.count == 1 || event.status != .connectionFailedToBeEstablished else { return [] }
            return count(event.status) { searched.contains($0.heard) }
        }
        let reported = PeriodicTrainIdentifier(address: event.advertiserAddress.asDevice, sid: event.advertisingSID)
        guard let index = request(of: reported, PeriodicTrainIdentifier(address: device, sid: reported.sid), searched)
        else {
            // The search ended when its train was no longer requested, or the controller found one of several that it calls by another address.
            add(reported, event.syncHandle, [], isEnding: true)
            return count(.unspecifiedError) { searched.contains($0.heard) && $0.train.sid == reported.sid }
        }
        let request = requests.remove(at: index)
        add(request.train, event.syncHandle, request.parameters.enable)
        return [
            .established(
                request.train,
                PeriodicReception(
                    phy: event.advertiserPHY, interval: event.interval, clockAccuracy: event.advertiserClockAccuracy,
                    subevents: subevents))
        ]
    }

    /// The request for a train that was found. A controller that resolves addresses reports the identity of a device whose private address the
    /// request has, so that only the search tells which train it is.
    private func request(
        of reported: PeriodicTrainIdentifier, _ resolved: PeriodicTrainIdentifier,
        _ searched: Set<PeriodicTrainIdentifier>
    ) -> Int? {
        let known = requests.firstIndex { $0.heard == reported || $0.train == resolved || $0.train == reported }
        if let known { return known }
        let possible = requests.indices.filter {
            searched.contains(requests[$0].heard) && requests[$0].train.sid == reported.sid
        }
        return possible.count == 1 ? possible[0] : nil
    }

    /// Counts a search that ended without its trains.
    private mutating func count(_ status: HCI.ErrorCode, where isMeant: (Request) -> Bool) -> [PeriodicEvent] {
        for index in requests.indices where isMeant(requests[index]) { requests[index].failures += 1 }
        return fail(status) { $0.failures >= Self.maximumFailures }
    }

    /// Takes LE Periodic Advertising Sync Transfer Received (Vol 4, Part E, 7.7.65.24).
    ///
    /// - Parameters:
    ///   - subevents: Those of a train with responses.
    ///   - device: The device of the address in the event.
    ///   - link: Nil if the link has ended.
    mutating func receive(
        _ event: HCI.LEPeriodicAdvertisingSyncTransferReceived, _ subevents: HCI.PeriodicSubevents? = nil,
        from device: DeviceAddress, on link: LinkIdentifier?
    ) -> [PeriodicEvent] {
        guard event.status == .success else { return [] }
        var train = PeriodicTrainIdentifier(address: device, sid: event.advertisingSID)
        guard let link, let parameters = accepted[link] else {
            add(train, event.syncHandle, [], isEnding: true)
            return []
        }
        // A search for the same train has become needless.
        let reported = PeriodicTrainIdentifier(address: event.advertiserAddress.asDevice, sid: event.advertisingSID)
        if let index = requests.firstIndex(where: { $0.train == train || $0.heard == reported }) {
            train = requests.remove(at: index).train
        }
        let isWanted = requests.count + syncs.count < Self.limit
        add(train, event.syncHandle, parameters.enable, isEnding: !isWanted)
        guard isWanted else { return [] }
        let reception = PeriodicReception(
            phy: event.advertiserPHY, interval: event.interval, clockAccuracy: event.advertiserClockAccuracy,
            subevents: subevents)
        return [.transferred(train, reception, from: link, serviceData: event.serviceData)]
    }

    private mutating func add(
        _ train: PeriodicTrainIdentifier, _ handle: UInt16, _ enable: HCI.PeriodicReceiveEnable, isEnding: Bool = false
    ) {
        // A controller that uses a handle again has lost the sync before.
        syncs.removeAll { $0.handle == handle }
        // What the host did not ask for must not fill the table.
        guard !isEnding || syncs.count < 2 * Self.limit else { return }
        syncs.append(Sync(train: train, handle: handle, enable: enable, wanted: enable, isEnding: isEnding))
    }

    /// Takes LE Periodic Advertising Sync Lost (Vol 4, Part E, 7.7.65.16).
    mutating func receive(_ event: HCI.LEPeriodicAdvertisingSyncLost) -> [PeriodicEvent] {
        guard let index = syncs.firstIndex(where: { $0.handle == event.syncHandle }) else { return [] }
        let sync = syncs.remove(at: index)
        let dropped = drop(.unknownAdvertisingIdentifier) {
            if case .sync(_, let handle, _) = $0.content { handle == sync.handle } else { false }
        }
        return sync.isEnding ? dropped : dropped + [.lost(sync.train)]
    }

    /// Takes a report. Returns the whole data of an event when its last piece has come.
    mutating func receive(
        _ report: HCI.LEPeriodicAdvertisingReport
    ) -> (train: PeriodicTrainIdentifier, whole: PeriodicReportAssembler.Whole)? {
        let handle = report.syncHandle
        guard let index = syncs.firstIndex(where: { $0.handle == handle && !$0.isEnding }),
            let whole = syncs[index].report.receive(report)
        else { return nil }
        return (syncs[index].train, whole)
    }
}
