import BLEWire

/// The events about trains that the controller receives.
extension HostInterface {
    /// Reports that a sync is established, or why it is not (Vol 4, Part E, 7.7.65.14 and 7.7.65.24).
    mutating func reportSync(_ entry: PeriodicSyncs.Entry, _ slot: Int, _ status: HCI.ErrorCode) {
        let (sync, train) = (entry.sync, entry.sync.train)
        let accuracy = HCI.ClockAccuracy(rawValue: train.clockAccuracy)
        switch entry.origin {
        case .request:
            guard !allows(.periodicAdvertisingSyncEstablishedV2) else {
                return reportResponses(of: entry, slot, status)
            }
            emit(
                le: HCI.LEPeriodicAdvertisingSyncEstablished(
                    status: status, syncHandle: UInt16(slot), advertisingSID: sync.setID,
                    advertiserAddress: sync.advertiser.reported, advertiserPHY: HCI.PHY(train.phy),
                    interval: train.interval, advertiserClockAccuracy: accuracy))
        case .transfer(let connection, let serviceData):
            guard !allows(.periodicAdvertisingSyncTransferReceivedV2) else {
                return reportResponses(of: entry, slot, status)
            }
            emit(
                le: HCI.LEPeriodicAdvertisingSyncTransferReceived(
                    status: status, connectionHandle: connection, serviceData: serviceData, syncHandle: UInt16(slot),
                    advertisingSID: sync.setID, advertiserAddress: sync.advertiser.reported,
                    advertiserPHY: HCI.PHY(train.phy), interval: train.interval, advertiserClockAccuracy: accuracy))
        }
    }

    /// The same in the forms with the subevents, which have precedence over the others.
    private mutating func reportResponses(of entry: PeriodicSyncs.Entry, _ slot: Int, _ status: HCI.ErrorCode) {
        let (sync, train) = (entry.sync, entry.sync.train)
        let (accuracy, timing) = (HCI.ClockAccuracy(rawValue: train.clockAccuracy), train.responses)
        switch entry.origin {
        case .request:
            emit(
                le: HCI.LEPeriodicAdvertisingSyncEstablishedV2(
                    status: status, syncHandle: UInt16(slot), advertisingSID: sync.setID,
                    advertiserAddress: sync.advertiser.reported, advertiserPHY: HCI.PHY(train.phy),
                    interval: train.interval, advertiserClockAccuracy: accuracy,
                    subeventCount: timing?.subeventCount ?? 0, subeventInterval: timing?.subeventInterval ?? 0,
                    responseSlotDelay: timing?.responseSlotDelay ?? 0,
                    responseSlotSpacing: timing?.responseSlotSpacing ?? 0))
        case .transfer(let connection, let serviceData):
            emit(
                le: HCI.LEPeriodicAdvertisingSyncTransferReceivedV2(
                    status: status, connectionHandle: connection, serviceData: serviceData, syncHandle: UInt16(slot),
                    advertisingSID: sync.setID, advertiserAddress: sync.advertiser.reported,
                    advertiserPHY: HCI.PHY(train.phy), interval: train.interval, advertiserClockAccuracy: accuracy,
                    subeventCount: timing?.subeventCount ?? 0, subeventInterval: timing?.subeventInterval ?? 0,
                    responseSlotDelay: timing?.responseSlotDelay ?? 0,
                    responseSlotSpacing: timing?.responseSlotSpacing ?? 0))
        }
    }

    /// Reports the end of a request that the host has cancelled. The fields after the status have no meaning.
    mutating func reportCancelledSync(_ request: PeriodicSyncRequest) {
        let address = request.advertiser ?? DeviceAddress(kind: .public, value: 0)
        if allows(.periodicAdvertisingSyncEstablishedV2) {
            emit(
                le: HCI.LEPeriodicAdvertisingSyncEstablishedV2(
                    status: .operationCancelledByHost, syncHandle: 0, advertisingSID: request.setID,
                    advertiserAddress: address, advertiserPHY: .le1M, interval: 0, advertiserClockAccuracy: .ppm500,
                    subeventCount: 0, subeventInterval: 0, responseSlotDelay: 0, responseSlotSpacing: 0))
        } else {
            emit(
                le: HCI.LEPeriodicAdvertisingSyncEstablished(
                    status: .operationCancelledByHost, syncHandle: 0, advertisingSID: request.setID,
                    advertiserAddress: address, advertiserPHY: .le1M, interval: 0, advertiserClockAccuracy: .ppm500))
        }
    }

    /// Reports the data of one event in as many reports as it needs, at least one (Vol 4, Part E, 7.7.65.15).
    ///
    /// - Parameter subevent: Nil for a train without responses.
    mutating func report(_ report: PeriodicSync.Report, ofSync slot: Int, event: UInt16, subevent: UInt8?) {
        if allows(.periodicAdvertisingReportV2) {
            return reportEvent(report, ofSync: slot, event: event, subevent: subevent)
        }
        guard allows(.periodicAdvertisingReport) else { return }
        let data = report.data.span
        for piece in report.pieces() {
            let event = HCI.LEPeriodicAdvertisingReport(
                syncHandle: UInt16(slot), txPower: report.txPower ?? 127, rssi: report.rssi,
                toneExtensionType: report.toneExtension.map { $0 >> 6 } ?? 0xFF, dataStatus: piece.status,
                data: data.extracting(piece.range))
            try? output.append(leEvent: event)
        }
    }

    /// The same in the form with the event and the subevent, which has precedence over the other.
    private mutating func reportEvent(
        _ report: PeriodicSync.Report, ofSync slot: Int, event: UInt16, subevent: UInt8?
    ) {
        let data = report.data.span
        for piece in report.pieces(room: HCI.LEPeriodicAdvertisingReportV2.maximumData) {
            let event = HCI.LEPeriodicAdvertisingReportV2(
                syncHandle: UInt16(slot), txPower: report.txPower ?? 127, rssi: report.rssi,
                toneExtensionType: report.toneExtension.map { $0 >> 6 } ?? 0xFF, eventCounter: event,
                subevent: subevent ?? 0xFF, dataStatus: piece.status,
                data: data.extracting(piece.range))
            try? output.append(leEvent: event)
        }
    }

    /// Reports that the packet of a subevent was not received.
    mutating func reportMissed(ofSync slot: Int, event: UInt16, subevent: UInt8) {
        guard allows(.periodicAdvertisingReportV2) else { return }
        try? output.append(
            leEvent: HCI.LEPeriodicAdvertisingReportV2(
                syncHandle: UInt16(slot), eventCounter: event, subevent: subevent, dataStatus: .notReceived,
                data: Span()))
    }

    /// Reports the responses of a subevent, in the order of their slots, in as many events as they need (Vol 4, Part E, 7.7.65.37). A slot that
    /// the host expects to be used is reported also without a response.
    mutating func report(_ report: TrainSubevents.Report, ofSet handle: UInt8) {
        guard allows(.periodicAdvertisingResponseReport) else { return }
        var (pieces, count) = ([UInt8](), UInt8(0))
        func flush(_ host: inout HostInterface) {
            let octets = pieces
            let event = HCI.LEPeriodicAdvertisingResponseReport(
                advertisingHandle: handle, subevent: report.subevent, wasSent: report.wasSent, count: count,
                responses: octets.span)
            try? host.output.append(leEvent: event)
            pieces.removeAll(keepingCapacity: true)
            count = 0
        }
        guard report.wasSent else { return flush(&self) }
        typealias Event = HCI.LEPeriodicAdvertisingResponseReport
        for slot in report.slots {
            let response = report.responses[slot]
            let data = response?.data ?? []
            var start = 0
            repeat {
                // The octets before the data of a response.
                let header = 6
                if Int(count) == Event.maximumResponses || pieces.count + header >= Event.maximumOctets {
                    flush(&self)
                }
                let end = min(data.count, start + Event.maximumOctets - pieces.count - header)
                let status: HCI.ExtendedAdvertisingEventType.DataStatus =
                    response == nil ? .notReceived : end < data.count ? .moreToCome : .complete
                let piece = HCI.PeriodicAdvertisingResponse(
                    txPower: response?.txPower ?? 127, rssi: response?.rssi ?? 127,
                    toneExtensionType: response?.toneExtension.map { $0 >> 6 } ?? 0xFF,
                    responseSlot: UInt8(truncatingIfNeeded: slot), dataStatus: status,
                    data: data.span.extracting(start..<end))
                try? pieces.append(encoding: piece)
                count += 1
                start = end
            } while start < data.count
        }
        flush(&self)
    }
}
