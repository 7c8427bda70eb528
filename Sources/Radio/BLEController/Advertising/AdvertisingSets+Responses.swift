import BLEWire

/// Periodic advertising with responses (Vol 6, Part B, 4.4.2.12; Vol 4, Part E, 7.8.61 and 7.8.125).
extension AdvertisingSets {
    // MARK: Commands

    mutating func handleResponses(
        _ opcode: HCI.Opcode, _ parameters: Span<UInt8>, _ shared: inout SharedState
    ) throws(HCI.ErrorCode) -> Bool {
        let handle: UInt8
        switch opcode {
        case .leSetPeriodicAdvertisingParametersV2:
            let command = try HCI.LESetPeriodicAdvertisingParametersV2(from: parameters)
            handle = command.advertisingHandle
            try setPeriodic(
                slot(of: handle),
                PeriodicTrain.Settings(command, txPower: shared.capabilities.configuration.transmitPower), &shared)
        case .leSetPeriodicAdvertisingSubeventData:
            let command = try HCI.LESetPeriodicAdvertisingSubeventData(from: parameters)
            handle = command.advertisingHandle
            let slot = try slot(of: handle)
            guard let train = self[slot].periodic, train.subevents != nil else { throw .commandDisallowed }
            try self[slot].periodic?.subevents?.setData(
                command.subevents, hasTxPower: train.settings.txPower != nil, on: train.carrier.assumedPHY)
        default: return false
        }
        shared.host.complete(opcode, .success, advertisingHandle: handle)
        return true
    }

    /// Whether a train with subevents is on the air. Such a train has output for the host.
    var hasSubevents: Bool { slots.contains { self[$0].periodic?.subevents != nil } }

    // MARK: Data

    /// Asks the host for the data of the next subevents.
    mutating func requestSubeventData(of slot: Int, _ shared: inout SharedState) {
        guard let request = self[slot].periodic?.subevents?.requestData(), let handle = self[slot].handle else {
            return
        }
        shared.host.emit(
            le: HCI.LEPeriodicAdvertisingSubeventDataRequest(
                advertisingHandle: handle, subeventStart: request.start, subeventCount: request.count))
    }

    /// Reports what came of a subevent that has ended, then asks for further data.
    mutating func reportSubevent(of slot: Int, _ shared: inout SharedState) {
        if let report = self[slot].periodic?.subevents?.takeReport(), let handle = self[slot].handle {
            shared.host.report(report, ofSet: handle)
        }
        requestSubeventData(of: slot, &shared)
    }

    // MARK: Responses

    /// Receives until the end of the last expected slot.
    func listenForResponses(of slot: Int, _ shared: inout SharedState, _ medium: inout Medium) {
        guard let train = self[slot].periodic, let timing = train.subevents?.timing else { return }
        medium.listen(
            shared.radio.index, to: train.channel(of: 0), phy: train.carrier.phy,
            accessAddress: timing.responseAccessAddress)
        shared.radio.arm(.radio, at: max(medium.now, train.eventStart + train.eventLength), &medium)
    }

    /// - Parameter reception: A packet with the access address of responses.
    mutating func receivedResponse(_ slot: Int, _ pdu: Span<UInt8>, _ reception: ReceivedPacket) {
        guard let start = self[slot].periodic?.eventStart, !reception.isCorrupted,
            case .extended(_, let payload)? = try? LL.AdvertisingPDU(decoding: pdu)
        else { return }
        self[slot].periodic?.subevents?.received(payload, at: reception.start - start, rssi: reception.rssi)
    }

    /// The response slots of a subevent are over.
    mutating func responsesEnded(
        _ slot: Int, _ claims: ListeningClaims, _ shared: inout SharedState, _ medium: inout Medium
    ) {
        guard let train = self[slot].periodic, train.state == .listening else { return }
        self[slot].periodic?.responsesEnded()
        endTrainEvent(of: slot, from: train.eventStart, claims, &shared, &medium)
    }
}

extension PeriodicTrain {
    /// ACAD of the PDU with SyncInfo: the response timing of a running train with subevents (Vol 6, Part B, 2.3.4.8).
    var responseTimingData: [UInt8] {
        guard let timing = subevents?.timing else { return [] }
        var acad = AD.Builder()
        try? acad.append(timing)
        return acad.bytes
    }
}
