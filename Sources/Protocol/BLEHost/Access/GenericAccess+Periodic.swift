import BLEWire

/// Periodic advertising.
extension GenericAccess {
    /// Sends the next command about trains of others.
    mutating func driveSyncs(at now: Instant, _ output: inout HostOutput) {
        let privacy = privacy
        let command = syncs.next(at: now) { privacy.addressOnAir(of: $0) }
        if let command { PeriodicSyncs.enqueue(command, &output.commands) }
    }

    // MARK: Answers

    /// Takes the answer to a command of a set's periodic advertising.
    mutating func trainCompleted(_ set: AdvertisingSet, _ status: HCI.ErrorCode, _ output: inout HostOutput) {
        reportTrain(advertisers.trainCompleted(set, status), of: set, &output)
    }

    func reportTrain(_ report: Advertiser.Report, of set: AdvertisingSet, _ output: inout HostOutput) {
        if case .failed(let error) = report { output.events.append(.periodic(.advertisingChanged(set, error))) }
    }

    /// Takes the answer to a command about trains of others.
    mutating func syncsCompleted(_ status: HCI.ErrorCode, at now: Instant, _ output: inout HostOutput) {
        Self.emit(syncs.completed(status, at: now), &output)
    }

    private static func emit(_ events: [PeriodicEvent], _ output: inout HostOutput) {
        for event in events { output.events.append(.periodic(event)) }
    }

    // MARK: Events of the controller

    mutating func receive(
        _ event: HCI.LEPeriodicAdvertisingSyncEstablished, using crypto: (any CryptoProvider)?,
        _ output: inout HostOutput
    ) {
        Self.emit(syncs.receive(event, from: privacy.identify(event.advertiserAddress, using: crypto)), &output)
    }

    /// - Parameter link: Nil if the link has ended.
    mutating func receive(
        _ event: HCI.LEPeriodicAdvertisingSyncTransferReceived, on link: LinkIdentifier?,
        using crypto: (any CryptoProvider)?, _ output: inout HostOutput
    ) {
        Self.emit(
            syncs.receive(event, from: privacy.identify(event.advertiserAddress, using: crypto), on: link), &output)
    }

    mutating func receive(_ event: HCI.LEPeriodicAdvertisingSyncLost, _ output: inout HostOutput) {
        Self.emit(syncs.receive(event), &output)
    }

    /// Emits the report of an event of a train when its last piece has come.
    mutating func receive(_ report: HCI.LEPeriodicAdvertisingReport, _ output: inout HostOutput) {
        guard let (train, whole) = syncs.receive(report) else { return }
        let data = output.events.attributes.arena.store(whole.data.span)
        output.events.append(
            .periodicReport(
                PeriodicReport(
                    train: train, rssi: report.rssi, transmitPower: report.txPower, isTruncated: whole.isTruncated,
                    data: data)))
    }

    /// Takes the end of a link.
    mutating func linkEnded(_ link: LinkIdentifier, _ output: inout HostOutput) {
        advertisers.linkEnded()
        scanner.retry()
        Self.emit(syncs.linkEnded(link), &output)
    }
}
