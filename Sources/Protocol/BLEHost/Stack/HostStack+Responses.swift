import BLEWire

/// Periodic advertising with responses.
extension HostStack {
    // MARK: Own trains

    /// Sets the data of subevents that `PeriodicEvent.subeventDataRequested` named (Vol 4, Part E, 7.8.125). It is sent once.
    /// `PeriodicEvent.subeventDataRefused` follows if the controller does not take it, for example because its time has passed.
    ///
    /// - Parameter entries: Each subevent once, at most 249 octets of data each.
    package mutating func setSubeventData(
        _ entries: [HCI.LESetPeriodicAdvertisingSubeventData.Entry], of set: AdvertisingSet, at now: Instant
    ) {
        typealias Command = HCI.LESetPeriodicAdvertisingSubeventData
        guard lifecycle.isRunning, !entries.isEmpty else { return }
        guard access.advertisers.train(of: set)?.requested?.subevents != nil else {
            return refuse(set, .unknownAdvertisingIdentifier)
        }
        var command = Command(advertisingHandle: set.handle, subevents: [])
        for entry in entries {
            guard Command(advertisingHandle: set.handle, subevents: [entry]).fits else {
                refuse(set, .packetTooLong)
                continue
            }
            command.subevents.append(entry)
            guard !command.fits else { continue }
            command.subevents.removeLast()
            enqueue(command, of: set)
            command.subevents = [entry]
        }
        if !command.subevents.isEmpty { enqueue(command, of: set) }
        finish(at: now)
    }

    private mutating func enqueue(_ command: HCI.LESetPeriodicAdvertisingSubeventData, of set: AdvertisingSet) {
        guard access.advertisers.beginData(of: set) else { return refuse(set, .memoryCapacityExceeded) }
        output.commands.enqueue(command, for: .subeventData(set))
    }

    private mutating func refuse(_ set: AdvertisingSet, _ error: HCI.ErrorCode) {
        output.events.append(.periodic(.subeventDataRefused(set, error)))
    }

    /// Takes the answer to a command with the data of subevents.
    mutating func subeventDataCompleted(_ set: AdvertisingSet, _ status: HCI.ErrorCode) {
        access.advertisers.endData(of: set)
        if status != .success { refuse(set, status) }
    }

    // MARK: Trains of others

    /// Chooses the subevents of a received train whose data is reported (Vol 4, Part E, 7.8.127). `PeriodicEvent.subeventsChosen` answers. Without a
    /// choice, a train with responses has no reports.
    ///
    /// - Parameter includesTransmitPower: Whether responses contain the transmit power.
    package mutating func chooseSubevents(
        _ subevents: [UInt8], includesTransmitPower: Bool = false, of train: PeriodicTrainIdentifier, at now: Instant
    ) {
        guard lifecycle.isRunning else { return }
        let error: HCI.ErrorCode
        if !lifecycle.capabilities.answersPeriodicAdvertising {
            error = .unsupportedFeatureOrParameterValue
        } else if subevents.isEmpty || Set(subevents).count != subevents.count || !subevents.allSatisfy({ $0 < 128 }) {
            error = .invalidHCICommandParameters
        } else if let handle = access.syncs.handle(of: train) {
            output.commands.enqueue(
                HCI.LESetPeriodicSyncSubevent(
                    syncHandle: handle, properties: includesTransmitPower ? .includesTxPower : [],
                    subevents: subevents),
                for: .subevents(train))
            return finish(at: now)
        } else {
            error = .unknownAdvertisingIdentifier
        }
        output.events.append(.periodic(.subeventsChosen(train, error)))
    }

    /// Sends a response in a slot (Vol 4, Part E, 7.8.126). `PeriodicEvent.responseRefused` follows if the controller does not take it, for example
    /// because the slot has passed.
    ///
    /// - Parameters:
    ///   - request: Of the report that is answered.
    ///   - subevent: That of the slot; one before that of the request belongs to the next event.
    ///   - data: AD structures, at most 247 octets.
    package mutating func respond(
        to request: PeriodicRequest, in subevent: UInt8, slot: UInt8, _ data: Span<UInt8>,
        of train: PeriodicTrainIdentifier, at now: Instant
    ) {
        typealias Command = HCI.LESetPeriodicAdvertisingResponseData
        guard lifecycle.isRunning else { return }
        let error: HCI.ErrorCode
        if !lifecycle.capabilities.answersPeriodicAdvertising {
            error = .unsupportedFeatureOrParameterValue
        } else if data.count > Command.maximumCount {
            error = .packetTooLong
        } else if let handle = access.syncs.handle(of: train) {
            guard access.syncs.beginResponse() else { return refuse(train, .memoryCapacityExceeded) }
            output.commands.enqueue(
                Command(
                    syncHandle: handle, requestEvent: request.event, requestSubevent: request.subevent,
                    responseSubevent: subevent, responseSlot: slot, data: data),
                for: .response(train))
            return finish(at: now)
        } else {
            error = .unknownAdvertisingIdentifier
        }
        refuse(train, error)
    }

    private mutating func refuse(_ train: PeriodicTrainIdentifier, _ error: HCI.ErrorCode) {
        output.events.append(.periodic(.responseRefused(train, error)))
    }

    /// Takes the answer to the choice of subevents.
    mutating func subeventsChosen(_ train: PeriodicTrainIdentifier, _ status: HCI.ErrorCode) {
        output.events.append(.periodic(.subeventsChosen(train, status == .success ? nil : status)))
    }

    /// Takes the answer to a command with a response.
    mutating func responseCompleted(_ train: PeriodicTrainIdentifier, _ status: HCI.ErrorCode) {
        access.syncs.endResponse()
        if status != .success { refuse(train, status) }
    }

    // MARK: Events of the controller

    /// Takes the events of trains with responses.
    mutating func receiveResponseEvent(_ code: HCI.LESubeventCode, _ parameters: Span<UInt8>) throws(DecodeError) {
        switch code {
        case .periodicAdvertisingSyncEstablishedV2:
            let event = try HCI.LEPeriodicAdvertisingSyncEstablishedV2(decoding: parameters)
            access.receive(event.first, event.subevents, using: security.crypto, &output)
        case .periodicAdvertisingSyncTransferReceivedV2:
            let event = try HCI.LEPeriodicAdvertisingSyncTransferReceivedV2(decoding: parameters)
            access.receive(
                event.first, event.subevents, on: connections[handle: event.connectionHandle]?.identifier,
                using: security.crypto, &output)
        case .periodicAdvertisingSubeventDataRequest:
            let event = try HCI.LEPeriodicAdvertisingSubeventDataRequest(decoding: parameters)
            guard let set = access.advertisers.setWithSubevents(event.advertisingHandle) else { return }
            output.events.append(
                .periodic(.subeventDataRequested(set, start: event.subeventStart, count: event.subeventCount)))
        case .periodicAdvertisingResponseReport:
            access.receive(try HCI.LEPeriodicAdvertisingResponseReport(decoding: parameters), &output)
        default: break
        }
    }
}

extension HCI.LESetPeriodicAdvertisingSubeventData {
    fileprivate var fits: Bool {
        subevents.count <= Self.maximumSubevents && encodedCount <= HCI.CommandPacket.maximumParameters
    }
}

extension HCI.LEPeriodicAdvertisingSyncEstablishedV2 {
    /// The form without subevents.
    fileprivate var first: HCI.LEPeriodicAdvertisingSyncEstablished {
        HCI.LEPeriodicAdvertisingSyncEstablished(
            status: status, syncHandle: syncHandle, advertisingSID: advertisingSID,
            advertiserAddress: advertiserAddress, advertiserPHY: advertiserPHY, interval: interval,
            advertiserClockAccuracy: advertiserClockAccuracy)
    }

    fileprivate var subevents: HCI.PeriodicSubevents? {
        HCI.PeriodicSubevents(
            received: subeventCount, interval: subeventInterval, slotDelay: responseSlotDelay,
            slotSpacing: responseSlotSpacing)
    }
}

extension HCI.LEPeriodicAdvertisingSyncTransferReceivedV2 {
    /// The form without subevents.
    fileprivate var first: HCI.LEPeriodicAdvertisingSyncTransferReceived {
        HCI.LEPeriodicAdvertisingSyncTransferReceived(
            status: status, connectionHandle: connectionHandle, serviceData: serviceData, syncHandle: syncHandle,
            advertisingSID: advertisingSID, advertiserAddress: advertiserAddress, advertiserPHY: advertiserPHY,
            interval: interval, advertiserClockAccuracy: advertiserClockAccuracy)
    }

    fileprivate var subevents: HCI.PeriodicSubevents? {
        HCI.PeriodicSubevents(
            received: subeventCount, interval: subeventInterval, slotDelay: responseSlotDelay,
            slotSpacing: responseSlotSpacing)
    }
}
