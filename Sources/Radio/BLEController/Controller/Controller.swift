import BLEWire

/// A virtual controller: the roles, the links, and the radio that they share.
///
/// A `VirtualRadio` calls the controller with the medium as an argument. Packets for the host accumulate in `host`.
struct Controller {
    let capabilities: LocalCapabilities
    let cryptography: Cryptography
    var random: SeededRandom
    var host = HostInterface()
    var radio: ControllerRadio

    // The machines, with the host's settings. `reset` restores the defaults.
    /// Nil until the host uses a command of a family.
    var commandFamily: CommandFamily?
    var cryptographicFunctions = CryptographicFunctions()
    var privacy: LinkLayerPrivacy
    var acceptList: FilterAcceptList
    var advertising = AdvertisingSets()
    var scanning = ScanningRole()
    var initiating = InitiatingRole()
    /// For the scanner and the initiator.
    var pursuits = AuxiliaryPursuits()
    var listeningTurns = ListeningTurns()
    var connections: Connections

    init(index: Int32, configuration: ControllerConfiguration, random: SeededRandom, cryptography: Cryptography) {
        capabilities = LocalCapabilities(configuration)
        self.cryptography = cryptography
        self.random = random
        radio = ControllerRadio(index: index)
        privacy = LinkLayerPrivacy(configuration)
        acceptList = FilterAcceptList(capacity: configuration.acceptListSize)
        connections = Connections(capabilities, cryptography)
    }

    // MARK: Timers

    mutating func fire(_ timer: ControllerTimer, _ medium: inout Medium) {
        switch timer {
        case .advertising: advertisingDue(&medium)
        case .advertisingEnd: advertisingTimedOut(&medium)
        case .scanInterval(let phy): scanIntervalBegins(on: phy, &medium)
        case .scanWindow(let phy):
            scanning.schedules[phy]?.endWindow()
            listenInBackground(&medium)
        case .initiateInterval(let phy): initiateIntervalBegins(on: phy, &medium)
        case .initiateWindow(let phy):
            initiating.schedules[phy]?.endWindow()
            listenInBackground(&medium)
        case .scanPeriod: scanPeriodTimerFired(&medium)
        case .listeningTurn: listenInBackground(&medium)
        case .auxiliary: appointmentDue(&medium)
        case .radio: radioTimedOut(&medium)
        case .addressRotation:
            let haveChanged = privacy.rotateAddresses(using: cryptography, &radio, &medium)
            // Advertising uses the new addresses from its next event on.
            guard haveChanged else { break }
            for slot in advertising.slots where advertising[slot].isEnabled { chooseTarget(of: slot) }
        case .event(let slot): linkEventDue(Int(slot), &medium)
        case .supervision(let slot): connections.superviseLink(Int(slot), &radio, &host, &medium)
        case .procedure(let slot): connections.procedureTimedOut(Int(slot), &radio, &host, &medium)
        case .payload(let slot): connections.payloadTimerFired(Int(slot), &radio, &host, &medium)
        }
        if radio.isReleased { reuseRadio(&medium) }
    }

    // MARK: The radio

    /// The controller's transmission has ended.
    mutating func transmissionEnded(_ medium: inout Medium) {
        switch radio.owner {
        case .free: break
        case .advertiser(let slot): act(on: advertising[slot].sent(), slot, &medium)
        case .scanner: scanRequestSent(&medium)
        case .initiator: connectionRequestSent(&medium)
        case .auxiliary: auxiliaryRequestSent(&medium)
        case .link(let slot): connections.transmitted(slot, &radio, &host, &medium)
        }
        if radio.isReleased { reuseRadio(&medium) }
    }

    mutating func received(_ pdu: Span<UInt8>, _ reception: ReceivedPacket, _ medium: inout Medium) {
        switch radio.owner {
        case .free: if !reception.isCorrupted { receivedWhileListening(pdu, reception, &medium) }
        case .advertiser(let slot): receivedByAdvertiser(slot, pdu, reception, &medium)
        case .scanner: receivedByScanner(pdu, reception, &medium)
        case .initiator: receivedByInitiator(pdu, reception, &medium)
        case .auxiliary: receivedByPursuit(pdu, reception, &medium)
        case .link(let slot):
            connections.received(
                slot, pdu, reception, backgroundShare: backgroundShare, isRadioAwaited: advertising.isWaiting, &radio,
                &host, &medium)
        }
        if radio.isReleased { reuseRadio(&medium) }
    }

    private mutating func radioTimedOut(_ medium: inout Medium) {
        if case .link(let slot) = radio.owner, connections.links[slot].active?.isTurning == true {
            return connections.turnaroundEnded(slot, isRadioAwaited: advertising.isWaiting, &radio, &host, &medium)
        }
        // The controller receives a started PDU to its end.
        if let end = medium.endOfPacketBeingReceived(by: radio.index, now: medium.now) {
            return radio.arm(.radio, at: end + .nanoseconds(1), &medium)
        }
        switch radio.owner {
        case .free: break
        case .initiator: connectionRequestFailed(&medium)
        case .auxiliary: breakOffCurrent(&medium)
        case .advertiser(let slot): act(on: advertising[slot].timedOut(), slot, &medium)
        case .scanner: endScanExchange(answered: false, &medium)
        case .link(let slot): connections.closeEvent(slot, &radio, &host, &medium)
        }
    }

    /// Gives a released radio to a waiting advertiser, else to background listening.
    mutating func reuseRadio(_ medium: inout Medium) {
        while radio.isReleased {
            radio.isReleased = false
            beginAdvertisingEvents(&medium)
        }
        listenInBackground(&medium)
    }

    private mutating func linkEventDue(_ slot: Int, _ medium: inout Medium) {
        guard connections.eventDue(slot, &radio, &host, &medium) else { return }
        guard acquireRadio(for: slot, &medium) else { return connections.missEvent(slot, &radio, &host, &medium) }
        connections.beginEvent(slot, backgroundShare: backgroundShare, &radio, &medium)
    }

    /// Takes the radio for a link. Background listening and a scan exchange yield, other links by their share.
    private mutating func acquireRadio(for slot: Int, _ medium: inout Medium) -> Bool {
        switch radio.owner {
        case .free: break
        case .scanner:
            medium.cutTransmission(of: radio.index)
            scanning.endExchange(answered: nil, random: &random)
        case .auxiliary: interruptPursuit(&medium)
        case .advertiser(let set): guard yieldRadio(of: set, toLink: slot, &medium) else { return false }
        case .initiator: return false
        case .link(let other):
            guard connections.takeRadio(from: other, for: slot, &radio, &host, &medium) else { return false }
        }
        radio.owner = .link(slot)
        radio.cancel(.radio, &medium)
        medium.stopListening(radio.index)
        return true
    }

    /// The share of a busy link's time that the scanner and the initiator get, in percent: the ratio of window and interval, at
    /// most 30.
    private var backgroundShare: Int { min(30, max(scanning.share, initiating.share)) }

    // MARK: Reset

    /// Restores the state after power on (Vol 4, Part E, 7.3.2). Peers receive no notice.
    mutating func reset(_ medium: inout Medium) {
        radio.reset(&medium)
        connections.reset(&radio, &medium)
        host.resetMasks()
        commandFamily = nil
        cryptographicFunctions = CryptographicFunctions()
        acceptList.removeAll()
        privacy = LinkLayerPrivacy(capabilities.configuration)
        advertising = AdvertisingSets()
        scanning = ScanningRole()
        initiating = InitiatingRole()
        pursuits.removeAll()
    }

    /// Removes the controller from the medium.
    mutating func remove(_ medium: inout Medium) {
        reset(&medium)
        medium.removeDevice(radio.index)
        radio.releaseTimers(&medium)
        host.output.removeAll()
    }
}
