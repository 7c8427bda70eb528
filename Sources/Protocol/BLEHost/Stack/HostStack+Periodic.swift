import BLELink
import BLEWire

/// Periodic advertising: trains of own sets, trains of others, and what links tell of them.
extension HostStack {
    /// Starts, changes or, with nil, ends the periodic advertising of a set. `PeriodicEvent.advertisingChanged` answers. Has no effect unless the
    /// host is ready.
    ///
    /// The set must be requested, with extended PDUs that are neither connectable, scannable nor anonymous, and stay so (Vol 4, Part E, 7.8.61). The
    /// end of the set ends its train. Fails with Unsupported Feature or Parameter Value if the controller has no periodic advertising.
    package mutating func setPeriodicAdvertising(
        _ advertising: PeriodicAdvertising?, of set: AdvertisingSet, at now: Instant
    ) {
        guard lifecycle.isRunning else { return }
        if let error = access.advertisers.requestTrain(advertising, of: set, lifecycle.capabilities) {
            output.events.append(.periodic(.advertisingChanged(set, error)))
        } else {
            finish(at: now)
        }
    }

    /// The requested periodic advertising of a set; nil if there is none, or if the controller has refused it.
    package func periodicAdvertising(of set: AdvertisingSet) -> PeriodicAdvertising? {
        access.advertisers.train(of: set)?.requested
    }

    /// Looks for a train without a timeout, and receives it. `PeriodicEvent.established` or `.failed` follows, and `.lost` when a received train is
    /// silent. Has no effect unless the host is ready. The host scans meanwhile; while `setScanning` has requested a scan, trains are found on its
    /// PHYs. At most `PeriodicSyncs.limit` trains are requested and received at a time.
    package mutating func synchronize(
        _ train: PeriodicTrainIdentifier, _ parameters: PeriodicSyncParameters = PeriodicSyncParameters(),
        at now: Instant
    ) {
        guard lifecycle.isRunning else { return }
        if let error = access.syncs.request(train, parameters) {
            output.events.append(.periodic(.failed(train, error)))
        } else {
            finish(at: now)
        }
    }

    /// Ends the reception of a train, or the search for it. No event of the train follows.
    package mutating func endSync(_ train: PeriodicTrainIdentifier, at now: Instant) {
        access.syncs.end(train)
        finish(at: now)
    }

    /// Turns the reports of a received train on or off (Vol 4, Part E, 7.8.88). Returns the error of a request that is not possible.
    package mutating func setReports(
        _ isOn: Bool, filtersDuplicates: Bool = false, of train: PeriodicTrainIdentifier, at now: Instant
    ) -> HCI.ErrorCode? {
        defer { finish(at: now) }
        return access.syncs.setReception(train, reports: isOn, filtersDuplicates: filtersDuplicates)
    }

    /// Tells the peer of a link of a received train (Vol 4, Part E, 7.8.89). `PeriodicEvent.transferEnded` follows.
    ///
    /// - Parameters:
    ///   - serviceData: A value for the peer.
    ///   - token: For the event.
    package mutating func transfer(
        _ train: PeriodicTrainIdentifier, serviceData: UInt16 = 0, over link: LinkIdentifier, token: Int = 0,
        at now: Instant
    ) {
        var error: HCI.ErrorCode? = .unknownConnectionIdentifier
        if let handle = handle(of: link) {
            error = access.syncs.transfer(train, to: link, handle: handle, serviceData: serviceData, token: token)
        }
        finish(.train(train), link, error, token, at: now)
    }

    /// Tells the peer of a link of the train of an own set (Vol 4, Part E, 7.8.90). `PeriodicEvent.transferEnded` follows.
    package mutating func transfer(
        _ set: AdvertisingSet, serviceData: UInt16 = 0, over link: LinkIdentifier, token: Int = 0, at now: Instant
    ) {
        var error: HCI.ErrorCode? = .unknownConnectionIdentifier
        if access.advertisers.train(of: set)?.isOn != true {
            error = .unknownAdvertisingIdentifier
        } else if let handle = handle(of: link) {
            error = access.syncs.transfer(set, to: link, handle: handle, serviceData: serviceData, token: token)
        }
        finish(.set(set), link, error, token, at: now)
    }

    /// Receives the trains of which the peer of a link tells, or ignores them if nil, as at the beginning of a link (Vol 4, Part E, 7.8.91).
    /// `PeriodicEvent.transferEnded` follows, and `.transferred` for each train.
    package mutating func acceptTransfers(
        _ parameters: PeriodicSyncParameters?, from link: LinkIdentifier, token: Int = 0, at now: Instant
    ) {
        var error: HCI.ErrorCode? = .unknownConnectionIdentifier
        if let handle = handle(of: link) {
            error = access.syncs.accept(parameters, from: link, handle: handle, token: token)
        }
        finish(.acceptance, link, error, token, at: now)
    }

    private func handle(of link: LinkIdentifier) -> UInt16? {
        connections[link].flatMap { $0.isEnding ? nil : $0.handle }
    }

    /// Ends the request of a transfer, with its error if it is not possible.
    private mutating func finish(
        _ transfer: PeriodicTransfer, _ link: LinkIdentifier, _ error: HCI.ErrorCode?, _ token: Int, at now: Instant
    ) {
        guard let error else { return finish(at: now) }
        output.events.append(.periodic(.transferEnded(transfer, link, error, token: token)))
    }

    /// Takes the events of a controller about trains of others.
    mutating func receivePeriodicEvent(_ code: HCI.LESubeventCode, _ parameters: Span<UInt8>) throws(DecodeError) {
        switch code {
        case .periodicAdvertisingSyncEstablished:
            let event = try HCI.LEPeriodicAdvertisingSyncEstablished(decoding: parameters)
            access.receive(event, using: security.crypto, &output)
        case .periodicAdvertisingSyncLost:
            access.receive(try HCI.LEPeriodicAdvertisingSyncLost(decoding: parameters), &output)
        case .periodicAdvertisingSyncTransferReceived:
            let event = try HCI.LEPeriodicAdvertisingSyncTransferReceived(decoding: parameters)
            access.receive(
                event, on: connections[handle: event.connectionHandle]?.identifier, using: security.crypto, &output)
        default: try receiveResponseEvent(code, parameters)
        }
    }
}
