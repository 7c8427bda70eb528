import BLEWire

/// The reception of trains with responses (Vol 6, Part B, 4.4.2.12; Vol 4, Part E, 7.8.126 and 7.8.127).
extension PeriodicSyncs {
    // MARK: Commands

    mutating func handleResponses(
        _ opcode: HCI.Opcode, _ parameters: Span<UInt8>, _ shared: inout SharedState, _ medium: inout Medium
    ) throws(HCI.ErrorCode) -> Bool {
        let handle: UInt16
        switch opcode {
        case .leSetPeriodicSyncSubevent:
            let command = try HCI.LESetPeriodicSyncSubevent(from: parameters)
            handle = command.syncHandle
            let slot = try slot(of: handle)
            try self[slot]?.sync.choose(command.subevents, command.properties, at: medium.now)
            // A window that is open belongs to what was chosen before.
            if shared.radio.listeningSync == slot, self[slot]?.response == nil { shared.radio.release(&medium) }
        case .leSetPeriodicAdvertisingResponseData:
            guard let command = try? HCI.LESetPeriodicAdvertisingResponseData(decoding: parameters) else {
                throw .invalidHCICommandParameters
            }
            handle = command.syncHandle
            try self[slot(of: handle)]?.sync.respond(
                command, txPower: shared.capabilities.configuration.transmitPower, at: medium.now)
        default: return false
        }
        shared.host.complete(opcode, .success, handle: handle)
        arm(&shared, &medium)
        return true
    }

    // MARK: Responses

    /// The sync whose response is due, which is to be sent at once or dropped.
    mutating func takeDueResponse(at now: Instant) -> Int? {
        for slot in slots where self[slot]?.response == nil {
            while let response = self[slot]?.sync.takeResponse(at: now) {
                // A clock that is not exact leaves out nanoseconds. A response is never sent later than its slot begins.
                guard now - response.time < .microseconds(1) else { continue }
                self[slot]?.response = response
                return slot
            }
        }
        return nil
    }

    /// The radio is busy at the time of the slot.
    mutating func dropResponse(of slot: Int) { self[slot]?.response = nil }

    /// Sends the response of a sync that has the radio.
    func sendResponse(of slot: Int, _ shared: inout SharedState, _ medium: inout Medium) {
        guard let entry = self[slot], let response = entry.response, let timing = entry.sync.train.responses else {
            return
        }
        shared.radio.owner = .sync(slot)
        medium.transmit(
            from: shared.radio.index, at: medium.now, on: response.channel, phy: entry.sync.train.phy,
            accessAddress: timing.responseAccessAddress, crcInit: entry.sync.train.crcInit
        ) { response.appendPDU(to: &$0) }
    }

    mutating func responseSent(_ slot: Int, _ shared: inout SharedState, _ medium: inout Medium) {
        guard self[slot]?.response.take() != nil else { return }
        shared.radio.release(&medium)
        arm(&shared, &medium)
    }
}

extension PeriodicSync.Train {
    /// Those of the PDUs that the controller sends or receives.
    var accessAddresses: [UInt32] { [accessAddress] + (responses.map { [$0.responseAccessAddress] } ?? []) }
}

extension LL.ExtendedAdvertisement {
    /// The subevents and response slots that ACAD tells with SyncInfo.
    var responseTiming: AD.PeriodicResponseTiming? {
        var structures = AD.Structures(controllerData)
        while let structure = structures.next() {
            if let timing: AD.PeriodicResponseTiming = structure.content() { return timing }
        }
        return nil
    }
}
