import BLEWire

/// Advertising events (Vol 6, Part B, 4.4.2).
extension Controller {
    // MARK: Start and end

    /// Checks what the controller needs for a set (Vol 4, Part E, 7.8.9 and 7.8.56): an own address, and a slot for a link.
    func checkStart(of slot: Int) throws(HCI.ErrorCode) {
        guard ownAddress(of: slot) != nil else { throw .invalidHCICommandParameters }
        guard !advertising[slot].isConnectable || connections.links.hasFreeSlot else {
            throw .connectionLimitExceeded
        }
    }

    mutating func startAdvertising(
        _ slot: Int, duration: TimeSpan? = nil, maximumEvents: UInt8 = 0, _ medium: inout Medium
    ) {
        var limits = AdvertisingSet.Limits(duration: duration, maximumEvents: maximumEvents)
        // The high duty cycle begins at once.
        if advertising[slot].isHighDuty { limits.end = duration.map { medium.now + $0 } }
        advertising[slot].enable(limits)
        chooseTarget(of: slot)
        advertising[slot].due = medium.now
        if !advertising[slot].isHighDuty {
            // A random delay separates devices that are switched on together.
            advertising[slot].due = medium.now + AdvertisingSet.randomDelay(&random)
        }
        armAdvertising(&medium)
        armAdvertisingEnd(&medium)
    }

    mutating func stopAdvertising(_ slot: Int, _ medium: inout Medium) {
        advertising[slot].disable()
        armAdvertising(&medium)
        armAdvertisingEnd(&medium)
        if radio.owner == .advertiser(slot) {
            medium.cutTransmission(of: radio.index)
            radio.release(&medium)
        }
    }

    mutating func chooseTarget(of slot: Int) {
        let (type, peer) = (advertising[slot].parameters.ownAddressType, advertising[slot].parameters.peerAddress)
        advertising[slot].addresses.target = peer
        guard advertising[slot].isDirected, let key = privacy.targetKey(type, of: peer) else { return }
        advertising[slot].addresses.target = cryptography.provider.makeResolvableAddress(key)
    }

    /// The durations of sets have ended. An event in progress is completed first, except the one of a legacy command.
    mutating func advertisingTimedOut(_ medium: inout Medium) {
        for slot in advertising.slots where advertising[slot].isEnabled {
            guard let end = advertising[slot].limits.end, end <= medium.now else { continue }
            if commandFamily == .extended {
                if advertising[slot].isResting { terminate(slot, .advertisingTimeout, &medium) }
            } else {
                // High duty cycle directed advertising ends without a connection (Vol 6, Part B, 4.4.2.4.3).
                stopAdvertising(slot, &medium)
                host.reportConnection(
                    nil, status: .advertisingTimeout, peer: advertising[slot].parameters.peerAddress,
                    role: .peripheral)
            }
        }
    }

    /// Stops a set by itself, and reports it (Vol 4, Part E, 7.7.65.18).
    private mutating func terminate(_ slot: Int, _ status: HCI.ErrorCode, _ medium: inout Medium) {
        let completed = advertising[slot].limits.completedEvents
        advertising[slot].disable()
        armAdvertising(&medium)
        armAdvertisingEnd(&medium)
        reportTermination(of: slot, status, completed: completed)
    }

    mutating func reportTermination(
        of slot: Int, _ status: HCI.ErrorCode, completed: UInt8, connection: HCI.ConnectionHandle = 0
    ) {
        guard commandFamily == .extended, let handle = advertising[slot].handle else { return }
        host.emit(
            le: HCI.LEAdvertisingSetTerminated(
                status: status, advertisingHandle: handle, connectionHandle: connection, completedEvents: completed))
    }

    // MARK: Timers

    mutating func armAdvertising(_ medium: inout Medium) {
        if let due = advertising.nextDue {
            radio.arm(.advertising, at: due, &medium)
        } else {
            radio.cancel(.advertising, &medium)
        }
    }

    mutating func armAdvertisingEnd(_ medium: inout Medium) {
        if let end = advertising.nextEnd {
            radio.arm(.advertisingEnd, at: max(end, medium.now), &medium)
        } else {
            radio.cancel(.advertisingEnd, &medium)
        }
    }

    mutating func advertisingDue(_ medium: inout Medium) {
        advertising.awaitRadio(at: medium.now)
        beginAdvertisingEvents(&medium)
        if advertising.slots.count > 1 { armAdvertising(&medium) }
    }

    // MARK: Events

    /// Gives the free radio to the waiting sets.
    mutating func beginAdvertisingEvents(_ medium: inout Medium) {
        while radio.owner == .free, let slot = advertising.nextWaiting { beginAdvertisingEvent(of: slot, &medium) }
    }

    private mutating func beginAdvertisingEvent(of slot: Int, _ medium: inout Medium) {
        if !advertising[slot].isLegacy { advertising[slot].prepare(map: connections.defaults.channelClassification) }
        guard mayBegin(slot, &medium) else { return armAdvertising(&medium) }
        radio.owner = .advertiser(slot)
        chooseAdvertisingAddress(of: slot)
        act(on: advertising[slot].begin(at: medium.now), slot, &medium)
    }

    /// Whether an event may begin now. Otherwise it is postponed.
    ///
    /// An extended event, which announces its PDUs, begins only if it ends before the next event of a link. After three postponements it begins
    /// nevertheless. No event begins that would not end within the duration of the set (Vol 4, Part E, 7.8.56).
    private mutating func mayBegin(_ slot: Int, _ medium: inout Medium) -> Bool {
        let limits = advertising[slot].limits
        if let end = limits.end, medium.now + advertising[slot].currentEventLength > end {
            advertising[slot].postpone(to: end)
            return false
        }
        if !advertising[slot].isLegacy {
            let next = connections.links.nextStart()
            if medium.now + advertising[slot].currentEventLength > next && advertising[slot].starved < 3 {
                advertising[slot].starved += 1
                advertising[slot].postpone(to: max(next, medium.now) + .microseconds(1))
                return false
            }
            advertising[slot].starved = 0
        }
        if limits.end == nil, let duration = limits.duration {
            advertising[slot].limits.end = medium.now + duration
            armAdvertisingEnd(&medium)
        }
        return true
    }

    /// The address of a set's next event; nil if the controller has none.
    func ownAddress(of slot: Int) -> DeviceAddress? {
        let type = advertising[slot].parameters.ownAddressType
        if let address = privacy.privateAddress(type, with: advertising[slot].parameters.peerAddress) {
            return address
        }
        guard commandFamily == .extended, type == .random || type == .resolvableOrRandom else {
            return privacy.fallbackAddress(type)
        }
        // Each set has its own random address.
        return advertising[slot].randomAddress.map { DeviceAddress(kind: .random, value: $0) }
    }

    mutating func chooseAdvertisingAddress(of slot: Int) {
        let (type, peer) = (advertising[slot].parameters.ownAddressType, advertising[slot].parameters.peerAddress)
        advertising[slot].addresses.privateAddress = privacy.privateAddress(type, with: peer)
        advertising[slot].addresses.own = ownAddress(of: slot) ?? DeviceAddress(kind: .random, value: 0)
    }

    mutating func act(on action: AdvertisingSet.Action, _ slot: Int, _ medium: inout Medium) {
        switch action {
        case .nothing: break
        case .advertise(let channel): advertise(slot, on: channel, &medium)
        case .listen(let channel):
            medium.listen(radio.index, to: channel)
            radio.awaitAnswer(on: .oneM, &medium)
        case .advertiseOnSecondary(let fragment):
            medium.transmit(
                from: radio.index, at: medium.now + LL.minimumAuxiliaryFrameSpace,
                on: advertising[slot].auxiliary.channel(of: fragment), phy: advertising[slot].secondaryPHY
            ) { advertising[slot].appendAuxiliary(fragment, to: &$0) }
        case .listenOnSecondary:
            let phy = advertising[slot].secondaryPHY
            medium.listen(radio.index, to: advertising[slot].auxiliary.channel(of: 0), phy: phy)
            radio.awaitAnswer(on: phy, &medium)
        case .respondOnSecondary(let fragment):
            medium.transmit(
                from: radio.index, at: medium.now + LL.minimumAuxiliaryFrameSpace,
                on: advertising[slot].auxiliary.channel(of: fragment), phy: advertising[slot].secondaryPHY
            ) { advertising[slot].appendAuxiliaryResponse(fragment, to: &$0) }
        case .connect(let acceptance): openLink(of: slot, acceptance, &medium)
        case .rest: endAdvertisingEvent(of: slot, &medium)
        }
    }

    private mutating func advertise(_ slot: Int, on channel: UInt8, _ medium: inout Medium) {
        if advertising[slot].isLegacy, !hasRoomForAdvertisement(of: slot, &medium) { return }
        let isFirst = advertising[slot].eventStart == medium.now
        // The first PDU of an event starts at once, the following ones after the change of the channel (Vol 6, Part B, 4.4.2.1).
        let start = isFirst ? medium.now : medium.now + LL.interFrameSpace
        medium.transmit(from: radio.index, at: start, on: channel, phy: advertising[slot].primaryPHY) {
            advertising[slot].appendAdvertisement(on: channel, to: &$0)
        }
    }

    /// Ends a legacy event if its next PDU would take a link's time, unless earlier events had no time at all.
    private mutating func hasRoomForAdvertisement(of slot: Int, _ medium: inout Medium) -> Bool {
        var needed = LL.PHY.oneM.airTime(pduLength: 2 + advertising[slot].legacyLength) + LL.interFrameSpace
        // Adds the time for a CONNECT_IND, the longest PDU that an initiator sends (Vol 6, Part B, 2.3.3.1).
        if advertising[slot].expectsAnswers { needed = needed + LL.PHY.oneM.airTime(pduLength: 2 + 34) }
        let isFirst = advertising[slot].eventStart == medium.now
        if medium.now + needed > connections.links.nextStart() && advertising[slot].starved < 3 {
            if isFirst { advertising[slot].starved += 1 }
            advertising[slot].interrupt()
            endAdvertisingEvent(of: slot, &medium)
            return false
        }
        if !isFirst { advertising[slot].starved = 0 }
        return true
    }

    private mutating func endAdvertisingEvent(of slot: Int, _ medium: inout Medium) {
        planAdvertisingEvent(of: slot, &medium)
        radio.release(&medium)
    }

    /// Plans the next event after one has ended, unless a limit of the set is reached.
    private mutating func planAdvertisingEvent(of slot: Int, _ medium: inout Medium) {
        guard advertising[slot].isEnabled else { return }
        if advertising[slot].limits.isReached { return terminate(slot, .limitReached, &medium) }
        if let end = advertising[slot].limits.end, end <= medium.now, commandFamily == .extended {
            return terminate(slot, .advertisingTimeout, &medium)
        }
        let next = advertising[slot].eventStart + advertising[slot].delay(random: &random)
        advertising[slot].due = max(next, medium.now + .microseconds(1))
        armAdvertising(&medium)
    }

    /// Cuts an extended event for a link that cannot lose another event. Returns false if the advertiser keeps the radio.
    mutating func yieldRadio(of slot: Int, toLink link: Int, _ medium: inout Medium) -> Bool {
        guard !advertising[slot].isLegacy, !connections.links.mayMissEvent(link) else { return false }
        medium.cutTransmission(of: radio.index)
        advertising[slot].interrupt()
        planAdvertisingEvent(of: slot, &medium)
        return true
    }
}
