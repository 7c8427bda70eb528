import BLEWire

/// The reception of periodic advertising (Vol 6, Part B, 4.4.3.4 and 4.4.5).
extension PeriodicSyncs {
    // MARK: Start and end

    /// Begins to receive the train of an AUX_ADV_IND if the host has requested it.
    mutating func synchronize(
        with advertiser: PeerAddress, _ payload: LL.ExtendedAdvertisement, _ reception: ReceivedPacket,
        _ shared: inout SharedState, _ medium: inout Medium
    ) {
        // Only sets that no device may answer have trains (Vol 6, Part B, 2.3.1.6).
        guard let info = payload.syncInfo, let setID = payload.dataInfo?.setID, payload.mode == .none else { return }
        refresh(advertiser, setID: setID, info)
        guard let request, requested == nil,
            request.accepts(advertiser, setID: setID, list), !contains(advertiser, setID: setID),
            let sync = PeriodicSync(
                info, payload.responseTiming, from: reception.start, on: reception.phy, of: advertiser, setID: setID,
                request.reception,
                accuracy: shared.capabilities.configuration.clock.accuracy, now: medium.now)
        else { return }
        _ = receive(sync, .request, &shared, &medium)
    }

    /// Begins to receive a train. Returns false without a free slot, and for an access address that the controller uses already: its PDUs could not
    /// be told apart.
    mutating func receive(
        _ sync: PeriodicSync, _ origin: Origin, _ shared: inout SharedState, _ medium: inout Medium
    ) -> Bool {
        let accessAddresses = sync.train.accessAddresses
        guard hasFreeSlot, !accessAddresses.contains(where: shared.radio.accessAddresses.contains) else { return false }
        add(Entry(sync: sync, origin: origin))
        for accessAddress in accessAddresses { shared.radio.subscribe(to: accessAddress, &medium) }
        arm(&shared, &medium)
        return true
    }

    private mutating func remove(_ slot: Int, _ shared: inout SharedState, _ medium: inout Medium) {
        guard let entry = self[slot] else { return }
        self[slot] = nil
        for accessAddress in entry.sync.train.accessAddresses {
            shared.radio.unsubscribe(from: accessAddress, &medium)
        }
        if entry.response != nil { medium.cutTransmission(of: shared.radio.index) }
        if shared.radio.owner == .sync(slot) {
            shared.radio.release(&medium)
        } else if entry.chain != nil, shared.radio.owner == .free {
            // A set may wait for the end of the chain.
            shared.radio.isReleased = true
        }
        arm(&shared, &medium)
    }

    // MARK: Windows

    func arm(_ shared: inout SharedState, _ medium: inout Medium) {
        let listening = shared.radio.listeningSync
        let (start, deadline) = (nextStart(except: listening), nextDeadline(except: listening))
        let time = start.map { min($0, deadline ?? $0) } ?? deadline
        shared.radio.planSync(start: start, at: time, &medium)
    }

    /// Ends the syncs whose trains were not received for their timeouts.
    mutating func endLost(_ shared: inout SharedState, _ medium: inout Medium) {
        for slot in slots where slot != shared.radio.listeningSync {
            guard let actions = self[slot]?.sync.timedOut(at: medium.now) else { continue }
            perform(actions, slot, at: medium.now, &shared, &medium)
        }
    }

    /// Listens for the PDU of a sync that has the radio.
    func listen(for slot: Int, _ shared: inout SharedState, _ medium: inout Medium) {
        guard let entry = self[slot] else { return }
        let place = entry.appointment
        shared.radio.owner = .sync(slot)
        medium.listen(
            shared.radio.index, to: place.channel, phy: place.phy, accessAddress: entry.sync.train.accessAddress)
        shared.radio.arm(.radio, at: place.closes + place.phy.synchronisationTime + .microseconds(4), &medium)
    }

    /// The radio is busy at the time of a window.
    mutating func passOver(_ slot: Int, _ shared: inout SharedState, _ medium: inout Medium) {
        self[slot]?.lost += 1
        miss(slot, &shared, &medium)
    }

    /// Another user takes the radio from a sync.
    mutating func interrupt(_ slot: Int, _ shared: inout SharedState, _ medium: inout Medium) {
        shared.radio.owner = .free
        if self[slot]?.response.take() != nil {
            medium.cutTransmission(of: shared.radio.index)
        } else {
            passOver(slot, &shared, &medium)
        }
        arm(&shared, &medium)
    }

    /// No PDU was received in the window.
    mutating func timedOut(_ slot: Int, _ shared: inout SharedState, _ medium: inout Medium) {
        shared.radio.release(&medium)
        miss(slot, &shared, &medium)
        arm(&shared, &medium)
    }

    private mutating func miss(_ slot: Int, _ shared: inout SharedState, _ medium: inout Medium) {
        let isChained = self[slot]?.chain != nil
        self[slot]?.chain = nil
        let actions = isChained ? self[slot]?.sync.chainMissed() : self[slot]?.sync.missed()
        perform(actions ?? [], slot, at: medium.now, &shared, &medium)
    }

    // MARK: PDUs

    mutating func received(
        for slot: Int, _ pdu: Span<UInt8>, _ reception: ReceivedPacket, _ shared: inout SharedState,
        _ medium: inout Medium
    ) {
        if !medium.clocks.isEmpty, let closes = self[slot]?.appointment.closes, reception.start > closes {
            // The window ended before the access address of the PDU.
            return timedOut(slot, &shared, &medium)
        }
        shared.radio.release(&medium)
        let isChained = self[slot]?.chain != nil
        guard !reception.isCorrupted, case .extended(_, let payload)? = try? LL.AdvertisingPDU(decoding: pdu) else {
            if isChained {
                miss(slot, &shared, &medium)
            } else {
                let actions = self[slot]?.sync.corrupted(at: reception.start) ?? []
                perform(actions, slot, at: reception.start, &shared, &medium)
            }
            return arm(&shared, &medium)
        }
        self[slot]?.chain = nil
        let actions =
            isChained
            ? self[slot]?.sync.receivedChain(payload, at: reception.start)
            : self[slot]?.sync.received(payload, at: reception.start, rssi: reception.rssi)
        perform(actions ?? [], slot, at: reception.start, &shared, &medium)
        // The whole event was received. A window without a PDU does not end the need for the radio: the sender may share its radio as well.
        if self[slot]?.chain == nil { self[slot]?.lost = 0 }
        arm(&shared, &medium)
    }

    /// - Parameter start: The start of the PDU that led to the actions.
    private mutating func perform(
        _ actions: [PeriodicSync.Action], _ slot: Int, at start: Instant, _ shared: inout SharedState,
        _ medium: inout Medium
    ) {
        for action in actions {
            guard let entry = self[slot] else { return }
            switch action {
            case .establish:
                if entry.origin == .request { request = nil }
                shared.host.reportSync(entry, slot, .success)
            case .fail(let status): fail(entry, slot, status, &shared, &medium)
            case .follow(let pointer):
                self[slot]?.chain = AuxiliaryPursuit.Appointment(
                    pointer, from: start, now: medium.now, supported: shared.capabilities.phys,
                    accuracy: shared.capabilities.configuration.clock.accuracy)
                guard self[slot]?.chain == nil else { break }
                let rest = self[slot]?.sync.chainMissed() ?? []
                perform(rest, slot, at: start, &shared, &medium)
            case .report(let report):
                let (event, subevent) = entry.sync.heard
                shared.host.report(report, ofSync: slot, event: event, subevent: subevent)
            case .reportMissed(let event, let subevent):
                shared.host.reportMissed(ofSync: slot, event: event, subevent: subevent)
            case .lose:
                remove(slot, &shared, &medium)
                shared.host.emit(le: HCI.LEPeriodicAdvertisingSyncLost(syncHandle: UInt16(slot)))
            }
        }
    }

    private mutating func fail(
        _ entry: Entry, _ slot: Int, _ status: HCI.ErrorCode, _ shared: inout SharedState,
        _ medium: inout Medium
    ) {
        remove(slot, &shared, &medium)
        if entry.origin == .request {
            // With the list, the controller goes on without a train that the host excludes (Vol 4, Part E, 7.8.67).
            if status == .unsupportedRemoteFeature, request?.usesList == true { return }
            request = nil
        }
        shared.host.reportSync(entry, slot, status)
    }

    // MARK: Commands

    mutating func handle(
        _ opcode: HCI.Opcode, _ parameters: Span<UInt8>, _ shared: inout SharedState, _ medium: inout Medium
    ) throws(HCI.ErrorCode) -> Bool {
        switch opcode {
        case .lePeriodicAdvertisingCreateSync:
            try create(HCI.LEPeriodicAdvertisingCreateSync(from: parameters))
            shared.host.answer(opcode, status: .success)
            return true
        case .lePeriodicAdvertisingCreateSyncCancel:
            _ = try HCI.LEPeriodicAdvertisingCreateSyncCancel(from: parameters)
            guard let request else { throw .commandDisallowed }
            shared.host.complete(opcode, .success)
            if let slot = requested { remove(slot, &shared, &medium) }
            self.request = nil
            shared.host.reportCancelledSync(request)
            return true
        case .lePeriodicAdvertisingTerminateSync:
            let handle = try HCI.LEPeriodicAdvertisingTerminateSync(from: parameters).syncHandle
            try checkNoRequest()
            try remove(slot(of: handle), &shared, &medium)
        case .leAddDeviceToPeriodicAdvertiserList:
            let command = try HCI.LEAddDeviceToPeriodicAdvertiserList(from: parameters)
            try checkNoRequest()
            try list.add(command.advertiserAddress, setID: command.advertisingSID)
        case .leRemoveDeviceFromPeriodicAdvertiserList:
            let command = try HCI.LERemoveDeviceFromPeriodicAdvertiserList(from: parameters)
            try checkNoRequest()
            try list.remove(command.advertiserAddress, setID: command.advertisingSID)
        case .leClearPeriodicAdvertiserList:
            _ = try HCI.LEClearPeriodicAdvertiserList(from: parameters)
            try checkNoRequest()
            list.removeAll()
        case .leReadPeriodicAdvertiserListSize:
            try shared.host.answer(
                HCI.LEReadPeriodicAdvertiserListSize.self, parameters,
                .init(status: .success, size: list.capacity))
            return true
        case .leSetPeriodicAdvertisingReceiveEnable:
            let command = try HCI.LESetPeriodicAdvertisingReceiveEnable(from: parameters)
            guard command.enable.isSubset(of: [.reports, .filtersDuplicates]) else {
                throw .invalidHCICommandParameters
            }
            try self[slot(of: command.syncHandle)]?.sync.enable(command.enable)
        default: return try handleResponses(opcode, parameters, &shared, &medium)
        }
        shared.host.complete(opcode, .success)
        return true
    }

    /// The list and the syncs do not change while LE Periodic Advertising Create Sync is pending (Vol 4, Part E, 7.8.69 to 7.8.72).
    private func checkNoRequest() throws(HCI.ErrorCode) {
        guard request == nil else { throw .commandDisallowed }
    }

    private mutating func create(_ command: HCI.LEPeriodicAdvertisingCreateSync) throws(HCI.ErrorCode) {
        try checkNoRequest()
        let request = try PeriodicSyncRequest(command)
        if let advertiser = request.advertiser {
            for slot in slots {
                guard let sync = self[slot]?.sync else { continue }
                if sync.setID == request.setID, sync.advertiser.matches(advertiser) { throw .connectionAlreadyExists }
            }
        }
        guard hasFreeSlot else { throw .memoryCapacityExceeded }
        self.request = request
    }
}
