import BLEWire

/// Periodic advertising of sets (Vol 6, Part B, 4.4.2.12; Vol 4, Part E, 7.8.61 to 7.8.63).
extension AdvertisingSets {
    // MARK: Commands

    mutating func handlePeriodic(
        _ opcode: HCI.Opcode, _ parameters: Span<UInt8>, _ shared: inout SharedState, _ medium: inout Medium
    ) throws(HCI.ErrorCode) -> Bool {
        switch opcode {
        case .leSetPeriodicAdvertisingParameters:
            let command = try HCI.LESetPeriodicAdvertisingParameters(from: parameters)
            try setPeriodic(
                slot(of: command.advertisingHandle),
                PeriodicTrain.Settings(command, txPower: shared.capabilities.configuration.transmitPower), &shared)
        case .leSetPeriodicAdvertisingData:
            guard let command = try? HCI.LESetPeriodicAdvertisingData(decoding: parameters) else {
                throw .invalidHCICommandParameters
            }
            let slot = try slot(of: command.advertisingHandle)
            guard self[slot].periodic != nil else { throw .commandDisallowed }
            try self[slot].periodic?.setData(command.operation, command.data)
        case .leSetPeriodicAdvertisingEnable:
            let command = try HCI.LESetPeriodicAdvertisingEnable(from: parameters)
            let slot = try slot(of: command.advertisingHandle)
            guard command.enable.isSubset(of: [.on, .includesDataInfo]) else { throw .invalidHCICommandParameters }
            if command.enable.contains(.on) {
                guard self[slot].periodic != nil, self[slot].mayBePeriodic else { throw .commandDisallowed }
                try self[slot].periodic?.enable(includesDataInfo: command.enable.contains(.includesDataInfo))
                if self[slot].isEnabled { startTrain(of: slot, &shared, &medium) }
            } else {
                stopTrain(of: slot, &shared, &medium)
            }
        default: return try handleResponses(opcode, parameters, &shared)
        }
        shared.host.complete(opcode, .success)
        return true
    }

    mutating func setPeriodic(
        _ slot: Int, _ settings: PeriodicTrain.Settings, _ shared: inout SharedState
    ) throws(HCI.ErrorCode) {
        guard self[slot].mayBePeriodic else { throw .invalidHCICommandParameters }
        guard self[slot].periodic == nil else {
            try self[slot].periodic?.set(settings)
            return
        }
        self[slot].periodic = PeriodicTrain(
            settings, self[slot].carrier, map: shared.connections.defaults.channelClassification,
            dataID: UInt16(truncatingIfNeeded: shared.random.next()))
    }

    /// The host has classified the channels.
    mutating func useChannels(_ map: LL.ChannelMap) {
        for slot in slots { self[slot].periodic?.use(map) }
    }

    // MARK: Start and end

    /// Starts the train of an enabled set if the host has turned it on. Disabling the set does not stop it.
    mutating func startTrain(of slot: Int, _ shared: inout SharedState, _ medium: inout Medium) {
        guard let train = self[slot].periodic, train.isArmed else { return }
        let accessAddress = AccessAddress.random(
            isCoded: shared.capabilities.configuration.supportsCoded, besides: shared.radio.accessAddresses,
            using: &shared.random)
        let crcInit = UInt32(truncatingIfNeeded: shared.random.next())
        // A random start separates trains that begin together.
        let delay = TimeSpan.microseconds(2_500 + Int(shared.random.next() % 50_000))
        self[slot].periodic?.clockAccuracy = shared.capabilities.configuration.clock.accuracy
        var responseAccessAddress: UInt32 = 0
        if train.settings.subevents != nil {
            responseAccessAddress = AccessAddress.random(
                isCoded: shared.capabilities.configuration.supportsCoded,
                besides: shared.radio.accessAddresses + [accessAddress], using: &shared.random)
            shared.radio.subscribe(to: responseAccessAddress, &medium)
        }
        self[slot].periodic?.start(
            at: medium.now + delay, accessAddress: accessAddress, crcInit: crcInit,
            responseAccessAddress: responseAccessAddress)
        shared.radio.subscribe(to: accessAddress, &medium)
        armTrains(&shared, &medium)
        requestSubeventData(of: slot, &shared)
    }

    private mutating func stopTrain(of slot: Int, _ shared: inout SharedState, _ medium: inout Medium) {
        guard let train = self[slot].periodic else { return }
        if train.isRunning { shared.radio.unsubscribe(from: train.accessAddress, &medium) }
        if let timing = train.subevents?.timing {
            shared.radio.unsubscribe(from: timing.responseAccessAddress, &medium)
        }
        self[slot].periodic?.stop()
        if shared.radio.owner == .train(slot) {
            medium.cutTransmission(of: shared.radio.index)
            shared.radio.release(&medium)
        }
        armTrains(&shared, &medium)
    }

    func armTrains(_ shared: inout SharedState, _ medium: inout Medium) {
        shared.radio.planTrain(at: nextTrain, &medium)
    }

    // MARK: Events

    /// Starts the event that is due of the train that has the radio. Returns false if there is no time for it.
    ///
    /// - Parameter limit: The time at which a link needs the radio that cannot lose another event; nil if the event ends before.
    mutating func beginTrainEvent(
        of slot: Int, limit: Instant?, _ shared: inout SharedState, _ medium: inout Medium
    ) -> Bool {
        self[slot].periodic?.clockAccuracy = shared.capabilities.configuration.clock.accuracy
        let action = self[slot].periodic?.begin(room: limit.map { $0 - medium.now }) ?? .nothing
        guard case .send(let fragment, let channel) = action else { return false }
        sendTrain(of: slot, fragment, on: channel, at: medium.now, &shared, &medium)
        return true
    }

    private mutating func sendTrain(
        of slot: Int, _ fragment: Int, on channel: UInt8, at start: Instant, _ shared: inout SharedState,
        _ medium: inout Medium
    ) {
        guard let train = self[slot].periodic else { return }
        medium.transmit(
            from: shared.radio.index, at: start, on: channel, phy: train.carrier.phy,
            accessAddress: train.accessAddress, crcInit: train.crcInit
        ) { train.appendPDU(fragment, to: &$0) }
    }

    /// The PDU of a train has been sent.
    mutating func trainSent(
        _ slot: Int, _ claims: ListeningClaims, _ shared: inout SharedState, _ medium: inout Medium
    ) {
        guard let start = self[slot].periodic?.eventStart else { return shared.radio.release(&medium) }
        switch self[slot].periodic?.sent() ?? .nothing {
        case .send(let fragment, let channel):
            let space = self[slot].periodic?.space(before: fragment) ?? LL.minimumAuxiliaryFrameSpace
            sendTrain(of: slot, fragment, on: channel, at: medium.now + space, &shared, &medium)
        case .listen: listenForResponses(of: slot, &shared, &medium)
        case .rest, .nothing: endTrainEvent(of: slot, from: start, claims, &shared, &medium)
        }
    }

    /// Releases the radio after an event, or after a subevent with its responses.
    mutating func endTrainEvent(
        of slot: Int, from start: Instant, _ claims: ListeningClaims, _ shared: inout SharedState,
        _ medium: inout Medium
    ) {
        pause.noteEnd(from: start, at: medium.now, backgroundShare: claims.backgroundShare)
        shared.radio.release(&medium)
        armTrains(&shared, &medium)
        // A pause may have begun for which a set waits.
        arm(&shared, &medium)
        reportSubevent(of: slot, &shared)
    }

    /// The event that is due is not sent, because the radio is busy.
    mutating func missTrainEvent(of slot: Int, _ shared: inout SharedState) {
        self[slot].periodic?.miss()
        reportSubevent(of: slot, &shared)
    }

    /// Cuts the event of a train for another user of the radio.
    mutating func cutTrainEvent(
        of slot: Int, _ claims: ListeningClaims, _ shared: inout SharedState, _ medium: inout Medium
    ) {
        medium.cutTransmission(of: shared.radio.index)
        if let start = self[slot].periodic?.eventStart {
            pause.noteEnd(from: start, at: medium.now, backgroundShare: claims.backgroundShare)
        }
        missTrainEvent(of: slot, &shared)
        armTrains(&shared, &medium)
        arm(&shared, &medium)
    }
}
