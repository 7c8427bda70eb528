import BLEWire

/// Advertising events (Vol 6, Part B, 4.4.2).
extension AdvertisingSets {
    // MARK: Start and end

    /// Checks what the controller needs for a set (Vol 4, Part E, 7.8.9 and 7.8.56): an own address, and a slot for a link.
    func checkStart(of slot: Int, _ shared: borrowing SharedState) throws(HCI.ErrorCode) {
        guard ownAddress(of: slot, shared) != nil else { throw .invalidHCICommandParameters }
        guard !self[slot].isConnectable || shared.connections.links.hasFreeSlot else {
            throw .connectionLimitExceeded
        }
    }

    mutating func start(
        _ slot: Int, duration: TimeSpan? = nil, maximumEvents: UInt8 = 0, _ shared: inout SharedState,
        _ medium: inout Medium
    ) {
        var limits = AdvertisingSet.Limits(duration: duration, maximumEvents: maximumEvents)
        // The high duty cycle begins at once.
        if self[slot].isHighDuty { limits.end = duration.map { medium.now + $0 } }
        self[slot].enable(limits)
        startTrain(of: slot, &shared, &medium)
        chooseTarget(of: slot, shared)
        self[slot].due = medium.now
        if !self[slot].isHighDuty {
            // A random delay separates devices that are switched on together.
            self[slot].due = medium.now + AdvertisingSet.randomDelay(&shared.random)
        }
        arm(&shared, &medium)
        armEnd(&shared, &medium)
    }

    mutating func stop(_ slot: Int, _ shared: inout SharedState, _ medium: inout Medium) {
        self[slot].disable()
        arm(&shared, &medium)
        armEnd(&shared, &medium)
        if shared.radio.owner == .advertiser(slot) {
            medium.cutTransmission(of: shared.radio.index)
            shared.radio.release(&medium)
        }
    }

    private mutating func chooseTarget(of slot: Int, _ shared: borrowing SharedState) {
        let (type, peer) = (self[slot].parameters.ownAddressType, self[slot].parameters.peerAddress)
        self[slot].addresses.target = peer
        self[slot].addresses.isTargetOutdated = false
        guard self[slot].isDirected, let key = shared.privacy.targetKey(type, of: peer) else { return }
        self[slot].addresses.target = shared.cryptography.provider.makeResolvableAddress(key)
    }

    /// The durations of one or more sets have ended. An event in progress is completed first, except the one of a legacy command.
    mutating func durationEnded(_ shared: inout SharedState, _ medium: inout Medium) {
        for slot in slots where self[slot].isEnabled {
            guard let end = self[slot].limits.end, end <= medium.now else { continue }
            if shared.commandFamily == .extended {
                if self[slot].isResting { terminate(slot, .advertisingTimeout, &shared, &medium) }
            } else {
                // High duty cycle directed advertising ends without a connection (Vol 6, Part B, 4.4.2.4.3).
                stop(slot, &shared, &medium)
                shared.host.reportConnection(
                    nil, status: .advertisingTimeout, peer: self[slot].parameters.peerAddress,
                    role: .peripheral)
            }
        }
    }

    /// Stops a set by itself, and reports it (Vol 4, Part E, 7.7.65.18).
    private mutating func terminate(
        _ slot: Int, _ status: HCI.ErrorCode, _ shared: inout SharedState, _ medium: inout Medium
    ) {
        let completed = self[slot].limits.completedEvents
        self[slot].disable()
        arm(&shared, &medium)
        armEnd(&shared, &medium)
        reportTermination(of: slot, status, completed: completed, &shared)
    }

    func reportTermination(
        of slot: Int, _ status: HCI.ErrorCode, completed: UInt8, connection: HCI.ConnectionHandle = 0,
        _ shared: inout SharedState
    ) {
        guard shared.commandFamily == .extended, let handle = self[slot].handle else { return }
        shared.host.emit(
            le: HCI.LEAdvertisingSetTerminated(
                status: status, advertisingHandle: handle, connectionHandle: connection, completedEvents: completed))
    }

    // MARK: Timers

    func arm(_ shared: inout SharedState, _ medium: inout Medium) {
        if let due = nextDue {
            shared.radio.arm(.advertising, at: due, &medium)
        } else {
            shared.radio.cancel(.advertising, &medium)
        }
    }

    func armEnd(_ shared: inout SharedState, _ medium: inout Medium) {
        if let end = nextEnd {
            shared.radio.arm(.advertisingEnd, at: max(end, medium.now), &medium)
        } else {
            shared.radio.cancel(.advertisingEnd, &medium)
        }
    }

    mutating func eventDue(_ claims: ListeningClaims, _ shared: inout SharedState, _ medium: inout Medium) {
        awaitRadio(at: medium.now)
        beginEvents(claims, &shared, &medium)
        if slots.count > 1 || pause.end != nil { arm(&shared, &medium) }
    }

    // MARK: Events

    /// Gives the free radio to the waiting sets.
    mutating func beginEvents(_ claims: ListeningClaims, _ shared: inout SharedState, _ medium: inout Medium) {
        pause.expire(at: medium.now)
        while shared.radio.owner == .free, let slot = nextWaiting,
            !claims.chainPrecedes(eventDue: self[slot].due, at: medium.now)
        {
            beginEvent(of: slot, claims, &shared, &medium)
        }
    }

    private mutating func beginEvent(
        of slot: Int, _ claims: ListeningClaims, _ shared: inout SharedState, _ medium: inout Medium
    ) {
        prepare(slot, shared)
        guard mayBegin(slot, &shared, &medium) else { return arm(&shared, &medium) }
        shared.radio.owner = .advertiser(slot)
        chooseAddress(of: slot, shared)
        act(on: self[slot].begin(at: medium.now), slot, claims, &shared, &medium)
    }

    /// Decides what the next event of a set sends on secondary channels.
    mutating func prepare(_ slot: Int, _ shared: borrowing SharedState) {
        guard !self[slot].isLegacy else { return }
        self[slot].prepare(
            map: shared.connections.defaults.channelClassification,
            accuracy: shared.capabilities.configuration.clock.accuracy)
    }

    /// Whether an event may begin now. Otherwise it is postponed.
    ///
    /// An extended event, which announces its PDUs, begins only if it ends before the next event of a link or of a train. After three postponements
    /// these lose events for it, and it is shortened to the time that links can lose. No event begins that would not end within the duration of the set, which
    /// begins with the first event or, if this is too long, when this would begin (Vol 4, Part E, 7.8.56).
    private mutating func mayBegin(_ slot: Int, _ shared: inout SharedState, _ medium: inout Medium) -> Bool {
        let limits = self[slot].limits
        let length = self[slot].currentEventLength
        let next =
            self[slot].isLegacy
            ? Instant(nanoseconds: .max) : min(shared.connections.links.nextStart(), shared.radio.fixedStart)
        let end = limits.end ?? limits.duration.map { medium.now + $0 }
        let isInTime = end.map { medium.now + length <= $0 } ?? true
        if isInTime, medium.now + length > next, !shorten(slot, at: medium.now, shared) {
            self[slot].starved += 1
            self[slot].postpone(to: max(next, medium.now) + .microseconds(1))
            return false
        }
        if limits.end == nil, let end {
            self[slot].limits.end = end
            armEnd(&shared, &medium)
        }
        if let end, !isInTime {
            self[slot].postpone(to: end)
            return false
        }
        if !self[slot].isLegacy { self[slot].starved = 0 }
        return true
    }

    /// Shortens an event that waited long enough to the time for which links can do without the radio.
    private mutating func shorten(_ slot: Int, at now: Instant, _ shared: borrowing SharedState) -> Bool {
        self[slot].starved >= 3
            && self[slot].shorten(to: shared.connections.links.nextIndispensableStart(), now: now)
    }

    /// The address of a set's next event; nil if the controller has none.
    private func ownAddress(of slot: Int, _ shared: borrowing SharedState) -> DeviceAddress? {
        let type = self[slot].parameters.ownAddressType
        if let address = shared.privacy.privateAddress(type, with: self[slot].parameters.peerAddress) {
            return address
        }
        guard shared.commandFamily == .extended, type == .random || type == .resolvableOrRandom else {
            return shared.privacy.fallbackAddress(type)
        }
        // Each set has its own random address.
        return self[slot].addresses.assigned.map { DeviceAddress(kind: .random, value: $0) }
    }

    mutating func chooseAddress(of slot: Int, _ shared: borrowing SharedState) {
        let (type, peer) = (self[slot].parameters.ownAddressType, self[slot].parameters.peerAddress)
        self[slot].addresses.privateAddress = shared.privacy.privateAddress(type, with: peer)
        if self[slot].addresses.isTargetOutdated { chooseTarget(of: slot, shared) }
        self[slot].addresses.own = ownAddress(of: slot, shared) ?? DeviceAddress(kind: .random, value: 0)
    }

    /// The transmission of a set has ended.
    mutating func sent(
        _ slot: Int, _ claims: ListeningClaims, _ shared: inout SharedState, _ medium: inout Medium
    ) { act(on: self[slot].sent(), slot, claims, &shared, &medium) }

    /// No valid answer to a set arrived.
    mutating func timedOut(
        _ slot: Int, _ claims: ListeningClaims, _ shared: inout SharedState, _ medium: inout Medium
    ) { act(on: self[slot].timedOut(), slot, claims, &shared, &medium) }

    private mutating func act(
        on action: AdvertisingSet.Action, _ slot: Int, _ claims: ListeningClaims, _ shared: inout SharedState,
        _ medium: inout Medium
    ) {
        switch action {
        case .nothing: break
        case .advertise(let channel): advertise(slot, on: channel, claims, &shared, &medium)
        case .listen(let channel):
            medium.listen(shared.radio.index, to: channel)
            shared.radio.awaitAnswer(on: .oneM, &medium)
        case .advertiseOnSecondary(let fragment):
            let start = medium.now + self[slot].auxiliarySpace(before: fragment)
            medium.transmit(
                from: shared.radio.index, at: start, on: self[slot].auxiliary.channels[fragment],
                phy: self[slot].secondaryPHY
            ) { self[slot].appendAuxiliary(fragment, at: start, to: &$0) }
        case .listenOnSecondary:
            let phy = self[slot].secondaryPHY
            medium.listen(shared.radio.index, to: self[slot].auxiliary.channels[0], phy: phy)
            shared.radio.awaitAnswer(on: phy, &medium)
        case .respondOnSecondary(let fragment):
            let space = self[slot].auxiliary.responseLayout.space(before: fragment, on: self[slot].secondaryPHY)
            medium.transmit(
                from: shared.radio.index, at: medium.now + space,
                on: self[slot].auxiliary.channels[fragment], phy: self[slot].secondaryPHY
            ) { self[slot].appendAuxiliaryResponse(fragment, to: &$0) }
        case .connect(let acceptance): openLink(of: slot, acceptance, &shared, &medium)
        case .rest: endEvent(of: slot, claims, &shared, &medium)
        }
    }

    private mutating func advertise(
        _ slot: Int, on channel: UInt8, _ claims: ListeningClaims, _ shared: inout SharedState, _ medium: inout Medium
    ) {
        if self[slot].isLegacy, !hasRoomForAdvertisement(of: slot, claims, &shared, &medium) { return }
        let isFirst = self[slot].eventStart == medium.now
        // The first PDU of an event starts at once, the following ones after the change of the channel (Vol 6, Part B, 4.4.2.1).
        let start = isFirst ? medium.now : medium.now + LL.interFrameSpace
        medium.transmit(from: shared.radio.index, at: start, on: channel, phy: self[slot].primaryPHY) {
            self[slot].appendAdvertisement(on: channel, to: &$0)
        }
    }

    /// Ends a legacy event if its next PDU would take the time of a link or a train, unless earlier events had no time at all.
    private mutating func hasRoomForAdvertisement(
        of slot: Int, _ claims: ListeningClaims, _ shared: inout SharedState, _ medium: inout Medium
    ) -> Bool {
        var needed = LL.PHY.oneM.airTime(pduLength: 2 + self[slot].legacyLength) + LL.interFrameSpace
        // Adds the time for a CONNECT_IND, the longest PDU that an initiator sends (Vol 6, Part B, 2.3.3.1).
        if self[slot].expectsAnswers { needed = needed + LL.PHY.oneM.airTime(pduLength: 2 + 34) }
        let isFirst = self[slot].eventStart == medium.now
        let next = min(shared.connections.links.nextStart(), shared.radio.fixedStart)
        if medium.now + needed > next && self[slot].starved < 3 {
            if isFirst { self[slot].starved += 1 }
            self[slot].interrupt()
            endEvent(of: slot, claims, &shared, &medium)
            return false
        }
        if !isFirst { self[slot].starved = 0 }
        return true
    }

    private mutating func endEvent(
        of slot: Int, _ claims: ListeningClaims, _ shared: inout SharedState, _ medium: inout Medium
    ) {
        noteEnd(of: slot, at: medium.now, backgroundShare: claims.backgroundShare)
        planEvent(of: slot, &shared, &medium)
        shared.radio.release(&medium)
    }

    /// Plans the next event after one has ended, unless a limit of the set is reached.
    private mutating func planEvent(of slot: Int, _ shared: inout SharedState, _ medium: inout Medium) {
        guard self[slot].isEnabled else { return }
        if self[slot].limits.isReached { return terminate(slot, .limitReached, &shared, &medium) }
        if let end = self[slot].limits.end, end <= medium.now, shared.commandFamily == .extended {
            return terminate(slot, .advertisingTimeout, &shared, &medium)
        }
        let next = self[slot].eventStart + self[slot].delay(random: &shared.random)
        self[slot].due = max(next, medium.now + .microseconds(1))
        arm(&shared, &medium)
    }

    /// Cuts an extended event for a link that cannot lose another event, which happens after a command of the host. Returns false if the advertiser
    /// keeps the radio.
    mutating func yieldRadio(
        of slot: Int, toLink link: Int, _ claims: ListeningClaims, _ shared: inout SharedState, _ medium: inout Medium
    ) -> Bool {
        !shared.connections.links.mayMissEvent(link) && cutEvent(of: slot, claims, &shared, &medium)
    }

    /// Cuts an extended event for another user of the radio. Returns false for a legacy event, which is short.
    mutating func cutEvent(
        of slot: Int, _ claims: ListeningClaims, _ shared: inout SharedState, _ medium: inout Medium
    ) -> Bool {
        guard !self[slot].isLegacy else { return false }
        medium.cutTransmission(of: shared.radio.index)
        self[slot].interrupt()
        noteEnd(of: slot, at: medium.now, backgroundShare: claims.backgroundShare)
        planEvent(of: slot, &shared, &medium)
        return true
    }
}
