import BLEWire

/// LL_PERIODIC_SYNC_IND or LL_PERIODIC_SYNC_WR_IND of a peer, and what the host wants of its train.
struct ReceivedTransfer {
    let connection: UInt16
    let transfer: TrainIndication
    let link: TransferLink
    let reception: PeriodicSync.Reception
}

extension Connections {
    /// Keeps the train for the machine that receives it. In mode 0 the host ignores it (Vol 4, Part E, 7.8.91).
    mutating func takeSync(_ transfer: TrainIndication, _ slot: Int) {
        guard let reception = links[slot].syncTransfer.reception, let link = links[slot].transferLink else { return }
        transfers.append(
            ReceivedTransfer(connection: links[slot].handle, transfer: transfer, link: link, reception: reception))
    }

    /// Tells the peer of a train (Vol 4, Part E, 7.8.89 and 7.8.90). If its features are not known, the link requests them first; a peer that does not
    /// have the feature then hears nothing, and the next command fails.
    mutating func transfer(
        _ train: PeriodicSyncTransfer, _ serviceData: UInt16, _ slot: Int, _ radio: inout ControllerRadio,
        _ host: inout HostInterface, _ medium: inout Medium
    ) throws(HCI.ErrorCode) {
        try checkTransfer(slot)
        guard let link = links[slot].transferLink else { throw .commandDisallowed }
        let pdu = train.pdu(serviceData, on: link, accuracy: capabilities.configuration.clock.accuracy)
        requestProcedure(.periodicSync(TrainIndication(pdu, train.train.responses)), slot, &radio, &host, &medium)
    }

    private func checkTransfer(_ slot: Int) throws(HCI.ErrorCode) {
        let procedures = links[slot].procedures
        guard procedures.remoteFeatures?.contains(.periodicSyncTransferRecipient) ?? true else {
            throw .unsupportedRemoteFeature
        }
        guard procedures.queuedTransfers < LinkLayerProcedures.mostUnacknowledged else {
            throw .memoryCapacityExceeded
        }
    }
}

extension LinkLayerProcedures {
    /// The control PDUs that are not acknowledged, and the trains of which the peer has not been told.
    var queuedTransfers: Int { outgoing.count + waiting.count + waitingTransfers }
}

extension LinkLayerConnection {
    /// The link's events as a transfer counts them; nil before a PDU was received.
    var transferLink: TransferLink? {
        syncTransfer.heard.map { TransferLink(event: $0.event, anchor: $0.anchor, interval: timing.interval) }
    }
}

extension PeriodicSync.Reception {
    /// What the host wants of trains that peers tell of; nil to ignore them (Vol 4, Part E, 7.8.91 and 7.8.92).
    static func ofTransfers(
        _ mode: HCI.SyncTransferMode, skip: UInt16, timeout: UInt16, excluded: HCI.ExcludedToneExtensions
    ) throws(HCI.ErrorCode) -> Self? {
        let enable: HCI.PeriodicReceiveEnable
        switch mode {
        case .ignore, .synchronize: enable = []
        case .report: enable = .reports
        case .reportWithoutDuplicates: enable = [.reports, .filtersDuplicates]
        default: throw .invalidHCICommandParameters
        }
        let reception = try Self(skip: skip, timeout: timeout, excluded: excluded, enable: enable)
        return mode == .ignore ? nil : reception
    }
}
