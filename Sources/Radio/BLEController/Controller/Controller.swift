import BLEWire

/// A virtual controller: the roles, the links, and the radio that they share. It gives the machines their events.
///
/// A `VirtualRadio` calls the controller with the medium as an argument. Packets for the host accumulate in `shared.host`.
struct Controller {
    var shared: SharedState
    // The machines, with the host's settings. `reset` restores the defaults.
    var cryptographicFunctions = CryptographicFunctions()
    var advertising = AdvertisingSets()
    var discovery: Discovery

    init(index: Int32, configuration: ControllerConfiguration, random: SeededRandom, cryptography: Cryptography) {
        shared = SharedState(index: index, configuration: configuration, random: random, cryptography: cryptography)
        discovery = Discovery(configuration)
    }

    // MARK: Timers

    mutating func fire(_ timer: ControllerTimer, _ medium: inout Medium) {
        switch timer {
        case .advertising: advertising.eventDue(discovery.claims, &shared, &medium)
        case .advertisingEnd: advertising.durationEnded(&shared, &medium)
        case .interval(let role, let phy): discovery.beginInterval(of: role, on: phy, &shared, &medium)
        case .window(let role, let phy): discovery.endWindow(of: role, on: phy, &shared, &medium)
        case .scanPeriod: discovery.scanPeriodTimerFired(&shared, &medium)
        case .listeningTurn: discovery.listenInBackground(&shared, &medium)
        case .auxiliary: discovery.appointmentDue(&shared, &medium)
        case .train: trainDue(&medium)
        case .sync: syncDue(&medium)
        case .radio: radioTimedOut(&medium)
        case .addressRotation:
            let haveChanged = shared.privacy.rotateAddresses(using: shared.cryptography, &shared.radio, &medium)
            // Advertising uses the new addresses from its next event on.
            guard haveChanged else { break }
            for slot in advertising.slots { advertising[slot].addresses.isTargetOutdated = true }
        case .event(let slot): linkEventDue(Int(slot), &medium)
        case .supervision(let slot): shared.connections.superviseLink(Int(slot), &shared.radio, &shared.host, &medium)
        case .procedure(let slot): shared.connections.procedureTimedOut(Int(slot), &shared.radio, &shared.host, &medium)
        case .payload(let slot): shared.connections.payloadTimerFired(Int(slot), &shared.radio, &shared.host, &medium)
        }
        if shared.radio.isReleased { reuseRadio(&medium) }
    }

    // MARK: The radio

    /// The controller's transmission has ended.
    mutating func transmissionEnded(_ medium: inout Medium) {
        switch shared.radio.owner {
        case .free: break
        case .advertiser(let slot): advertising.sent(slot, discovery.claims, &shared, &medium)
        case .scanner: discovery.scanRequestSent(&shared, &medium)
        case .initiator: discovery.connectionRequestSent(&shared, &medium)
        case .auxiliary: discovery.auxiliaryRequestSent(&shared, &medium)
        case .link(let slot): shared.connections.transmitted(slot, &shared.radio, &shared.host, &medium)
        case .train(let slot): advertising.trainSent(slot, discovery.claims, &shared, &medium)
        case .sync(let slot): discovery.syncs.responseSent(slot, &shared, &medium)
        }
        if shared.radio.isReleased { reuseRadio(&medium) }
    }

    mutating func received(_ pdu: Span<UInt8>, _ reception: ReceivedPacket, _ medium: inout Medium) {
        switch shared.radio.owner {
        case .free: if !reception.isCorrupted { discovery.receivedWhileListening(pdu, reception, &shared, &medium) }
        case .advertiser(let slot): advertising.received(slot, pdu, reception, discovery.claims, &shared, &medium)
        case .scanner: discovery.receivedByScanner(pdu, reception, &shared, &medium)
        case .initiator: discovery.receivedByInitiator(pdu, reception, &shared, &medium)
        case .auxiliary: discovery.receivedByPursuit(pdu, reception, &shared, &medium)
        case .link(let slot):
            shared.connections.received(
                slot, pdu, reception, backgroundShare: discovery.backgroundShare,
                isRadioAwaited: isRadioAwaited(at: medium.now), &shared.radio, &shared.host, &medium)
        case .train(let slot): advertising.receivedResponse(slot, pdu, reception)
        case .sync(let slot): discovery.syncs.received(for: slot, pdu, reception, &shared, &medium)
        }
        if !shared.connections.transfers.isEmpty { takeTransfers(&medium) }
        if shared.radio.isReleased { reuseRadio(&medium) }
    }

    private mutating func radioTimedOut(_ medium: inout Medium) {
        if case .link(let slot) = shared.radio.owner, shared.connections.links[slot].active?.isTurning == true {
            return shared.connections.turnaroundEnded(
                slot, isRadioAwaited: isRadioAwaited(at: medium.now), &shared.radio, &shared.host, &medium)
        }
        // The controller receives a started PDU to its end.
        if let end = medium.endOfPacketBeingReceived(by: shared.radio.index) {
            return shared.radio.arm(.radio, at: end + .nanoseconds(1), &medium)
        }
        switch shared.radio.owner {
        case .free: break
        case .train(let slot): advertising.responsesEnded(slot, discovery.claims, &shared, &medium)
        case .sync(let slot): discovery.syncs.timedOut(slot, &shared, &medium)
        case .initiator: discovery.connectionRequestFailed(&shared, &medium)
        case .auxiliary: discovery.breakOffCurrent(&shared, &medium)
        case .advertiser(let slot): advertising.timedOut(slot, discovery.claims, &shared, &medium)
        case .scanner: discovery.endScanExchange(answered: false, &shared, &medium)
        case .link(let slot): shared.connections.closeEvent(slot, &shared.radio, &shared.host, &medium)
        }
    }

    /// Whether another activity waits for the end of a link's event.
    private func isRadioAwaited(at now: Instant) -> Bool {
        advertising.isRadioAwaited || shared.radio.awaitsTrain(at: now)
    }

    /// Gives a released radio to a waiting advertiser, else to background listening.
    mutating func reuseRadio(_ medium: inout Medium) {
        while shared.radio.isReleased {
            shared.radio.isReleased = false
            advertising.beginEvents(discovery.claims, &shared, &medium)
        }
        discovery.listenInBackground(&shared, &medium)
    }

    private mutating func linkEventDue(_ slot: Int, _ medium: inout Medium) {
        guard shared.connections.eventDue(slot, &shared.radio, &shared.host, &medium) else { return }
        guard acquireRadio(for: slot, &medium) else {
            return shared.connections.missEvent(slot, &shared.radio, &shared.host, &medium)
        }
        shared.connections.beginEvent(
            slot, backgroundShare: discovery.backgroundShare, advertised: advertising.pause.used, &shared.radio, &medium
        )
    }

    /// Takes the radio for a link. Background listening and a scan exchange yield, other links by their share.
    private mutating func acquireRadio(for slot: Int, _ medium: inout Medium) -> Bool {
        switch shared.radio.owner {
        case .free: break
        case .scanner:
            medium.cutTransmission(of: shared.radio.index)
            discovery.scanning.endExchange(answered: nil, random: &shared.random)
        case .auxiliary: discovery.interruptPursuit(&shared, &medium)
        case .advertiser(let set):
            guard advertising.yieldRadio(of: set, toLink: slot, discovery.claims, &shared, &medium) else {
                return false
            }
        case .initiator: return false
        case .train, .sync: guard takeRadioFromTrain(for: slot, &medium) else { return false }
        case .link(let other):
            guard shared.connections.takeRadio(from: other, for: slot, &shared.radio, &shared.host, &medium) else {
                return false
            }
        }
        shared.radio.owner = .link(slot)
        shared.radio.cancel(.radio, &medium)
        medium.stopListening(shared.radio.index)
        return true
    }

    // MARK: The clock

    /// Changes the clock from now on. Peers that were told of the accuracy before do not learn the change by themselves.
    mutating func use(_ clock: ClockSetting, _ medium: inout Medium) {
        shared.capabilities.set(clock: clock)
        shared.connections.use(clock)
        discovery.syncs.use(clock.accuracy)
        for slot in advertising.slots { advertising[slot].periodic?.clockAccuracy = clock.accuracy }
        shared.radio.setClock(error: clock.error, &medium)
        // The windows that are planned begin earlier or later.
        for slot in shared.connections.links.openSlots where shared.connections.links[slot].active == nil {
            shared.connections.awaitEvent(slot, &shared.radio, &medium)
        }
        discovery.syncs.arm(&shared, &medium)
    }

    // MARK: Reset

    /// Restores the state after power on (Vol 4, Part E, 7.3.2). Peers receive no notice.
    mutating func reset(_ medium: inout Medium) {
        shared.reset(&medium)
        cryptographicFunctions = CryptographicFunctions()
        advertising = AdvertisingSets()
        discovery = Discovery(shared.capabilities.configuration)
    }

    /// Removes the controller from the medium.
    mutating func remove(_ medium: inout Medium) {
        reset(&medium)
        medium.removeDevice(shared.radio.index)
        medium.clocks.remove(shared.radio.index)
        shared.radio.releaseTimers(&medium)
        shared.host.output.removeAll()
    }
}
