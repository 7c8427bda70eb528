import BLEAdapter
import BLEHost
import BLEWire

/// The periodic advertising of sessions, an advertising set for each, and the trains that they receive. Sessions that receive the same train share
/// it; the parameters are those of the first.
struct PeriodicRequests {
    struct Advertiser {
        let session: Int
        let set: AdvertisingSet
        var advertisement: PeriodicAdvertisement
        /// What the controller has carried out.
        var running: PeriodicAdvertisement?
        /// Whether the session waits for an answer.
        var isNew = true
    }

    struct Reception {
        let session: Int
        let token: Int
        let train: PeriodicTrainIdentifier
        /// Those of a train with responses that the session has chosen.
        var subevents: [UInt8] = []
        var includesTransmitPower = false
    }

    /// The handles of the sets. Those of `AdvertisingRequests` are below.
    static let handles: ClosedRange<UInt8> = 16...30
    /// The most trains that all sessions request, if several request the same.
    static let limit = 64
    /// The interval of announcements in units of 0.625 ms: 100 ms.
    private static let announcementInterval: UInt16 = 160

    var advertisers: [Advertiser] = []
    var receptions: [Reception] = []
    /// In their order. The first one of each train is with the controller.
    var choices: [Choice] = []
    /// The trains that are received.
    var received: [PeriodicTrainIdentifier: PeriodicSyncProperties] = [:]
    private var transfers = PeriodicTransfers()

    // MARK: Advertising

    mutating func advertise(
        _ advertisement: PeriodicAdvertisement, session: Int, _ context: inout SessionContext, at now: Instant
    ) {
        if let index = advertisers.firstIndex(where: { $0.session == session }) {
            let former = advertisers[index].advertisement
            advertisers[index].advertisement = advertisement
            advertisers[index].isNew = true
            return apply(advertisers[index], after: former, &context, at: now)
        }
        let free = Self.handles.first { handle in !advertisers.contains { $0.set.handle == handle } }
        guard let free else { return emit(.limit, isAdvertising: false, session, &context) }
        let advertiser = Advertiser(
            session: session, set: AdvertisingSet(handle: free), advertisement: advertisement)
        advertisers.append(advertiser)
        apply(advertiser, &context, at: now)
    }

    /// Whether the session has a train, which may wait for Bluetooth.
    func isAdvertising(_ session: Int) -> Bool { advertisers.contains { $0.session == session } }

    /// - Parameter isOn: Whether the controller can be used.
    mutating func stopAdvertising(session: Int, isOn: Bool, _ context: inout SessionContext, at now: Instant) {
        guard let index = advertisers.firstIndex(where: { $0.session == session }) else { return }
        let set = advertisers.remove(at: index).set
        if isOn { context.host.setAdvertising(nil, of: set, at: now) }
    }

    /// Requests all trains from a host that has become ready.
    func applyAll(_ context: inout SessionContext, at now: Instant) {
        for advertiser in advertisers { apply(advertiser, &context, at: now) }
    }

    /// - Parameter former: What was requested before. A set that is the same is not touched.
    private func apply(
        _ advertiser: Advertiser, after former: PeriodicAdvertisement? = nil, _ context: inout SessionContext,
        at now: Instant
    ) {
        let wanted = advertiser.advertisement
        let announcements = Self.announcements(of: wanted, advertiser.set)
        if former.map({ Self.announcements(of: $0, advertiser.set) }) != announcements {
            context.host.setAdvertising(announcements, of: advertiser.set, at: now)
        }
        context.host.setPeriodicAdvertising(
            PeriodicAdvertising(
                data: wanted.data, intervalMinimum: wanted.interval, intervalMaximum: wanted.interval,
                includesTransmitPower: wanted.includesTransmitPower, subevents: wanted.subevents),
            of: advertiser.set, at: now)
    }

    /// From 15 down: `AdvertisingRequests` has those from 1 up.
    private static func defaultSID(of set: AdvertisingSet) -> UInt8 { handles.upperBound - set.handle + 1 }

    private static func announcements(of wanted: PeriodicAdvertisement, _ set: AdvertisingSet) -> AdvertisingParameters
    {
        AdvertisingParameters(
            data: wanted.announcement, isConnectable: false, intervalMinimum: announcementInterval,
            intervalMaximum: announcementInterval,
            pdus: .extended(
                ExtendedAdvertising(
                    primaryPHY: wanted.phy == .leCoded ? .leCoded : .le1M, secondaryPHY: wanted.phy,
                    sid: wanted.sid ?? defaultSID(of: set))))
    }

    /// Takes the answer about a set. Only errors matter: the train's own answer follows otherwise.
    mutating func setChanged(
        _ set: AdvertisingSet, _ error: HCI.ErrorCode?, _ context: inout SessionContext, at now: Instant
    ) {
        guard let error, let index = advertisers.firstIndex(where: { $0.set == set }) else { return }
        let advertiser = advertisers.remove(at: index)
        // A change that the host has refused leaves the set as it was.
        context.host.setAdvertising(nil, of: set, at: now)
        emit(PeriodicFailure(error), isAdvertising: false, advertiser.session, &context)
    }

    private mutating func trainChanged(
        _ set: AdvertisingSet, _ error: HCI.ErrorCode?, _ context: inout SessionContext, at now: Instant
    ) {
        guard let index = advertisers.firstIndex(where: { $0.set == set }) else { return }
        let session = advertisers[index].session
        guard let error else {
            advertisers[index].running = advertisers[index].advertisement
            // After a power-up no session waits.
            if advertisers[index].isNew { emit(nil, isAdvertising: true, session, &context) }
            advertisers[index].isNew = false
            return
        }
        if let running = advertisers[index].running, context.host.periodicAdvertising(of: set) != nil {
            let refused = advertisers[index].advertisement
            advertisers[index].advertisement = running
            advertisers[index].isNew = false
            if Self.announcements(of: refused, set) != Self.announcements(of: running, set) {
                context.host.setAdvertising(Self.announcements(of: running, set), of: set, at: now)
            }
            return emit(PeriodicFailure(error), isAdvertising: true, session, &context)
        }
        advertisers.remove(at: index)
        context.host.setAdvertising(nil, of: set, at: now)
        emit(PeriodicFailure(error), isAdvertising: false, session, &context)
    }

    private func emit(
        _ failure: PeriodicFailure?, isAdvertising: Bool, _ session: Int, _ context: inout SessionContext
    ) {
        context.emit(.periodic(.advertisingChanged(failure, isAdvertising: isAdvertising, session: session)))
    }

    // MARK: Reception

    mutating func synchronize(
        _ request: PeriodicSyncRequest, token: Int, session: Int, _ context: inout SessionContext, at now: Instant
    ) {
        let train = PeriodicTrainIdentifier(address: request.address, sid: request.sid)
        guard receptions.count < Self.limit else {
            return context.emit(.periodic(.ended(.limit, token: token, session: session)))
        }
        let isShared = receptions.contains { $0.train == train }
        receptions.append(Reception(session: session, token: token, train: train))
        if let properties = received[train] {
            context.emit(.periodic(.established(properties, token: token, session: session)))
        } else if !isShared {
            context.host.synchronize(
                train, PeriodicSyncParameters(skip: request.skip, timeout: request.timeout), at: now)
        }
    }

    /// Ends the session's receptions, and its waits for the trains of peers.
    ///
    /// - Parameter token: Nil ends all.
    mutating func endSync(token: Int?, session: Int, _ context: inout SessionContext, at now: Instant) {
        transfers.endAcceptances(token: token, session: session, &context, at: now)
        for reception in receptions where reception.session == session && (token ?? reception.token) == reception.token
        {
            receptions.removeAll { $0.session == session && $0.token == reception.token }
            guard !receptions.contains(where: { $0.train == reception.train }) else { continue }
            received[reception.train] = nil
            context.host.endSync(reception.train, at: now)
        }
    }

    mutating func handle(_ event: PeriodicEvent, _ context: inout SessionContext, at now: Instant) {
        switch event {
        case .advertisingChanged(let set, let error): trainChanged(set, error, &context, at: now)
        case .established(let train, let reception): establish(train, reception, &context)
        case .transferred(let train, let reception, let link, let serviceData):
            establish(train, reception, &context)
            takeTransferred(train, serviceData, of: link, &context, at: now)
        case .failed(let train, let error): end(train, PeriodicFailure(error), &context)
        case .lost(let train): end(train, .lost, &context)
        case .transferEnded(_, _, let error, let number):
            transfers.ended(number, error.map { PeriodicFailure($0) }, &context)
        case .subeventDataRequested, .subeventDataRefused, .response, .subeventsChosen, .responseRefused:
            handleResponses(event, &context, at: now)
        }
    }

    private mutating func establish(
        _ train: PeriodicTrainIdentifier, _ reception: PeriodicReception, _ context: inout SessionContext
    ) {
        let properties = PeriodicSyncProperties(
            phy: reception.phy, interval: reception.interval, subevents: reception.subevents)
        received[train] = properties
        for reception in receptions where reception.train == train {
            context.emit(.periodic(.established(properties, token: reception.token, session: reception.session)))
        }
    }

    private mutating func end(
        _ train: PeriodicTrainIdentifier, _ failure: PeriodicFailure, _ context: inout SessionContext
    ) {
        received[train] = nil
        for reception in receptions where reception.train == train {
            context.emit(.periodic(.ended(failure, token: reception.token, session: reception.session)))
        }
        receptions.removeAll { $0.train == train }
    }

    func received(_ report: PeriodicReport, _ context: inout SessionContext) {
        let properties = PeriodicReportProperties(
            rssi: report.rssi, transmitPower: report.transmitPower, isTruncated: report.isTruncated,
            packet: report.request.map { PeriodicPacket(event: $0.event, subevent: $0.subevent) })
        for reception in receptions where reception.train == report.train {
            // Sessions may have chosen other subevents of the same train.
            if let subevent = report.request?.subevent, !reception.subevents.contains(subevent) { continue }
            context.emit(
                .periodic(.report(report.data, properties, token: reception.token, session: reception.session)))
        }
    }

    // MARK: Transfers

    /// Tells a peer of a train of the session.
    mutating func transfer(
        _ source: PeriodicTransferSource, serviceData: UInt16, to peer: PeerIdentifier, token: Int, session: Int,
        _ context: inout SessionContext, at now: Instant
    ) {
        let transfer: PeriodicTransfer? =
            switch source {
            case .advertisement:
                advertisers.first { $0.session == session && $0.running != nil }.map { .set($0.set) }
            case .sync(let sync):
                receptions.first { $0.session == session && $0.token == sync && received[$0.train] != nil }
                    .map { .train($0.train) }
            }
        transfers.tell(
            transfer, serviceData: serviceData, to: peer, token: token, session: session, &context, at: now)
    }

    /// Receives the next train of which a peer tells.
    mutating func acceptTransfer(
        _ parameters: PeriodicSyncParameters, from peer: PeerIdentifier, token: Int, session: Int,
        _ context: inout SessionContext, at now: Instant
    ) { transfers.accept(parameters, from: peer, token: token, session: session, &context, at: now) }

    /// Hands a train that a peer passed on to the calls that wait for it. Without such a call, the reception of the train ends.
    private mutating func takeTransferred(
        _ train: PeriodicTrainIdentifier, _ serviceData: UInt16, of link: LinkIdentifier,
        _ context: inout SessionContext, at now: Instant
    ) {
        guard let properties = received[train] else { return }
        let peer = context.record(of: context.peers.identifier(for: train.address))
        let content = TransferredTrain(
            identifier: peer.identifier, name: peer.name, sid: train.sid, serviceData: serviceData)
        for each in transfers.takeAcceptances(of: link, &context, at: now) {
            guard receptions.count < Self.limit else {
                context.emit(.periodic(.ended(.limit, token: each.token, session: each.session)))
                continue
            }
            receptions.append(Reception(session: each.session, token: each.token, train: train))
            context.emit(.periodic(.transferred(content, properties, token: each.token, session: each.session)))
        }
        guard !receptions.contains(where: { $0.train == train }) else { return }
        received[train] = nil
        context.host.endSync(train, at: now)
    }

    /// Takes the end of a link.
    mutating func linkEnded(_ link: LinkIdentifier, _ context: inout SessionContext) {
        transfers.linkEnded(link, &context)
    }

    // MARK: The adapter

    /// Takes the end of everything in the host. Trains that ran are requested again when it is ready.
    mutating func forgetTraffic(_ context: inout SessionContext) {
        transfers.forgetAll(&context)
        for advertiser in advertisers where advertiser.running == nil {
            emit(.notPoweredOn, isAdvertising: false, advertiser.session, &context)
        }
        advertisers.removeAll { $0.running == nil }
        for index in advertisers.indices {
            // A change without an answer takes effect later.
            if advertisers[index].isNew {
                emit(.notPoweredOn, isAdvertising: true, advertisers[index].session, &context)
            }
            advertisers[index].isNew = false
        }
        received = [:]
        for reception in receptions {
            context.emit(.periodic(.ended(.notPoweredOn, token: reception.token, session: reception.session)))
        }
        receptions = []
        choices = []
    }
}

extension PeriodicFailure {
    init(_ error: HCI.ErrorCode) {
        switch error {
        case .unsupportedFeatureOrParameterValue, .unknownHCICommand: self = .unsupported
        case .memoryCapacityExceeded: self = .limit
        case .packetTooLong: self = .dataTooLong
        case .tooLate: self = .tooLate
        case .connectionFailedToBeEstablished: self = .notReceived
        case .unknownAdvertisingIdentifier: self = .noTrain
        case .unknownConnectionIdentifier: self = .notConnected
        case .unsupportedRemoteFeature: self = .unsupportedByPeer
        default: self = .controller(error.rawValue)
        }
    }
}
