import BLEWire

/// The events about trains that the controller receives.
extension HostInterface {
    /// Reports that a sync is established, or why it is not (Vol 4, Part E, 7.7.65.14 and 7.7.65.24).
    mutating func reportSync(_ entry: PeriodicSyncs.Entry, _ slot: Int, _ status: HCI.ErrorCode) {
        let (sync, train) = (entry.sync, entry.sync.train)
        let accuracy = HCI.ClockAccuracy(rawValue: train.clockAccuracy)
        switch entry.origin {
        case .request:
            emit(
                le: HCI.LEPeriodicAdvertisingSyncEstablished(
                    status: status, syncHandle: UInt16(slot), advertisingSID: sync.setID,
                    advertiserAddress: sync.advertiser.reported, advertiserPHY: HCI.PHY(train.phy),
                    interval: train.interval, advertiserClockAccuracy: accuracy))
        case .transfer(let connection, let serviceData):
            emit(
                le: HCI.LEPeriodicAdvertisingSyncTransferReceived(
                    status: status, connectionHandle: connection, serviceData: serviceData, syncHandle: UInt16(slot),
                    advertisingSID: sync.setID, advertiserAddress: sync.advertiser.reported,
                    advertiserPHY: HCI.PHY(train.phy), interval: train.interval, advertiserClockAccuracy: accuracy))
        }
    }

    /// Reports the end of a request that the host has cancelled. The fields after the status have no meaning.
    mutating func reportCancelledSync(_ request: PeriodicSyncRequest) {
        emit(
            le: HCI.LEPeriodicAdvertisingSyncEstablished(
                status: .operationCancelledByHost, syncHandle: 0, advertisingSID: request.setID,
                advertiserAddress: request.advertiser ?? DeviceAddress(kind: .public, value: 0), advertiserPHY: .le1M,
                interval: 0, advertiserClockAccuracy: .ppm500))
    }

    /// Reports the data of one event in as many reports as it needs, at least one (Vol 4, Part E, 7.7.65.15).
    mutating func report(_ report: PeriodicSync.Report, ofSync slot: Int) {
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
}
