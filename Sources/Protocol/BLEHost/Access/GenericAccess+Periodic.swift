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
        _ event: HCI.LEPeriodicAdvertisingSyncEstablished, _ subevents: HCI.PeriodicSubevents? = nil,
        using crypto: (any CryptoProvider)?, _ output: inout HostOutput
    ) {
        let device = privacy.identify(event.advertiserAddress, using: crypto)
        Self.emit(syncs.receive(event, subevents, from: device), &output)
    }

    /// - Parameter link: Nil if the link has ended.
    mutating func receive(
        _ event: HCI.LEPeriodicAdvertisingSyncTransferReceived, _ subevents: HCI.PeriodicSubevents? = nil,
        on link: LinkIdentifier?, using crypto: (any CryptoProvider)?, _ output: inout HostOutput
    ) {
        let device = privacy.identify(event.advertiserAddress, using: crypto)
        Self.emit(syncs.receive(event, subevents, from: device, on: link), &output)
    }

    mutating func receive(_ event: HCI.LEPeriodicAdvertisingSyncLost, _ output: inout HostOutput) {
        Self.emit(syncs.receive(event), &output)
    }

    /// Emits the report of an event of a train when its last piece has come.
    mutating func receive(_ report: HCI.LEPeriodicAdvertisingReport, _ output: inout HostOutput) {
        receive(report, request: nil, &output)
    }

    /// The same for the form with the event and the subevent. A packet that was not received has no report.
    mutating func receive(_ report: HCI.LEPeriodicAdvertisingReportV2, _ output: inout HostOutput) {
        guard report.dataStatus != .notReceived else { return }
        let first = HCI.LEPeriodicAdvertisingReport(
            syncHandle: report.syncHandle, txPower: report.txPower, rssi: report.rssi,
            toneExtensionType: report.toneExtensionType, dataStatus: report.dataStatus, data: report.data)
        let isRequest = report.subevent < 128
        receive(
            first, request: isRequest ? PeriodicRequest(event: report.eventCounter, subevent: report.subevent) : nil,
            &output)
    }

    private mutating func receive(
        _ report: HCI.LEPeriodicAdvertisingReport, request: PeriodicRequest?, _ output: inout HostOutput
    ) {
        guard let (train, whole) = syncs.receive(report) else { return }
        let data = output.events.attributes.arena.store(whole.data.span)
        output.events.append(
            .periodicReport(
                PeriodicReport(
                    train: train, rssi: report.rssi, transmitPower: report.txPower, isTruncated: whole.isTruncated,
                    data: data, request: request)))
    }

    /// Emits the responses of a subevent. One is in pieces if it is long.
    mutating func receive(_ report: HCI.LEPeriodicAdvertisingResponseReport, _ output: inout HostOutput) {
        var report = report
        guard let set = advertisers.setWithSubevents(report.advertisingHandle) else { return }
        let subevent = report.subevent
        while let response = report.next() {
            guard response.dataStatus != .notReceived,
                let octets = advertisers.received(response, in: subevent, of: set)
            else { continue }
            let data = output.events.attributes.arena.store(octets.span)
            output.events.append(
                .periodic(
                    .response(
                        PeriodicResponse(
                            set: set, subevent: subevent, slot: response.responseSlot, rssi: response.rssi,
                            transmitPower: response.txPower, data: data))))
        }
    }

    /// Takes the end of a link.
    mutating func linkEnded(_ link: LinkIdentifier, _ output: inout HostOutput) {
        advertisers.linkEnded()
        scanner.retry()
        Self.emit(syncs.linkEnded(link), &output)
    }
}
