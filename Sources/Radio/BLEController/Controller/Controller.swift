import BLEWire

/// A virtual controller: the host's settings, the roles, the links, and the current owner of its one radio.
///
/// A `VirtualRadio` calls the controller with the medium as an argument. Packets for the host accumulate in `host`.
struct Controller {
    /// The user of the radio. The scanner and the initiator listen in the background while it is free.
    enum RadioOwner: Hashable {
        case free
        case advertiser
        case scanner
        case initiator
        case link(Int)
    }

    /// A PDU that the controller received.
    struct ReceivedPacket {
        var start: Instant
        var channel: UInt8
        var rssi: Int8
        var phy: LL.PHY
        var isCorrupted: Bool
    }

    let index: Int32
    let configuration: ControllerConfiguration
    let capabilities: LocalCapabilities
    var host = HostInterface()
    var random: SeededRandom
    /// The keys and the ciphers of encrypted links, and the source of their random numbers.
    var crypto: any CryptoProvider {
        get { cryptography.provider }
        _modify { yield &cryptography.provider }
    }
    private let cryptography: Cryptography

    /// The provider of all controllers of a radio. A provider for each controller would cost memory in each idle device, and an existential value
    /// in the structure would make each call of a nonmutating method copy the whole structure.
    final class Cryptography {
        fileprivate var provider: any CryptoProvider
        init(_ provider: any CryptoProvider) { self.provider = provider }
    }

    // The host's settings. `reset` restores the defaults.
    var privacy: LinkLayerPrivacy
    var acceptList: FilterAcceptList
    var defaults: LinkDefaults
    /// The private key of the pair of LE Read Local P-256 Public Key.
    var privateKey: P256PrivateKey?

    var advertising = AdvertisingRole()
    var scanning = ScanningRole()
    var initiating = InitiatingRole()
    var links: LinkTable
    var flow: ACLFlowControl
    var owner = RadioOwner.free
    /// Storage for the actions of procedures.
    var actions: [LinkLayerProcedures.Action] = []
    /// Storage for the payload of a received encrypted PDU.
    var plaintext: [UInt8] = []

    var timers: ControllerTimers

    init(index: Int32, configuration: ControllerConfiguration, random: SeededRandom, crypto: Cryptography) {
        self.index = index
        links = LinkTable(limit: max(1, min(64, configuration.connectionLimit)))
        timers = ControllerTimers(controller: index)
        self.configuration = configuration
        self.random = random
        cryptography = crypto
        privacy = LinkLayerPrivacy(
            publicAddress: configuration.publicAddress, capacity: configuration.resolvingListSize)
        acceptList = FilterAcceptList(capacity: configuration.acceptListSize)
        flow = ACLFlowControl(
            bufferCount: configuration.aclBufferCount, bufferLength: configuration.aclDataLength)
        capabilities = LocalCapabilities(configuration)
        defaults = LinkDefaults(phys: capabilities.phys)
    }

    // MARK: Timers

    mutating func fire(_ timer: ControllerTimer, _ medium: inout Medium) {
        switch timer {
        case .advertising: advertisingDue(&medium)
        case .advertisingEnd: advertisingTimedOut(&medium)
        case .scanInterval: scanIntervalBegins(&medium)
        case .scanWindow:
            scanning.schedule.endWindow()
            listenInBackground(&medium)
        case .initiateInterval: initiateIntervalBegins(&medium)
        case .initiateWindow:
            initiating.schedule.endWindow()
            listenInBackground(&medium)
        case .radio: radioTimedOut(&medium)
        case .addressRotation: rotateAddresses(&medium)
        case .event(let slot): eventDue(Int(slot), &medium)
        case .supervision(let slot): superviseLink(Int(slot), &medium)
        case .procedure(let slot): procedureTimedOut(Int(slot), &medium)
        case .payload(let slot): payloadTimerFired(Int(slot), &medium)
        }
    }

    // MARK: The radio

    /// The controller's transmission has ended.
    mutating func transmissionEnded(_ medium: inout Medium) {
        switch owner {
        case .free: break
        case .advertiser: act(on: advertising.sent(), &medium)
        case .scanner: scanRequestSent(&medium)
        case .initiator: connectionIndicationSent(&medium)
        case .link(let slot): linkTransmitted(slot, &medium)
        }
    }

    mutating func received(_ pdu: Span<UInt8>, _ reception: ReceivedPacket, _ medium: inout Medium) {
        switch owner {
        case .free: if !reception.isCorrupted { receivedWhileListening(pdu, reception, &medium) }
        case .advertiser: receivedByAdvertiser(pdu, reception, &medium)
        case .scanner: receivedByScanner(pdu, reception, &medium)
        case .initiator: break
        case .link(let slot): linkReceived(slot, pdu, reception, &medium)
        }
    }

    /// Waits for a PDU that starts after an inter frame space (Vol 6, Part B, 4.1.1). Both active clocks may deviate by
    /// 2 µs (4.2.1).
    mutating func awaitAnswer(on phy: LL.PHY, _ medium: inout Medium) {
        let slack = TimeSpan.microseconds(4)
        timers.arm(.radio, at: medium.now + LL.interFrameSpace + phy.synchronisationTime + slack, &medium)
    }

    private mutating func radioTimedOut(_ medium: inout Medium) {
        if case .link(let slot) = owner, links[slot].active?.isTurning == true { return turnaroundEnded(slot, &medium) }
        // The controller receives a started PDU to its end.
        if let end = medium.endOfPacketBeingReceived(by: index, now: medium.now) {
            return timers.arm(.radio, at: end + .nanoseconds(1), &medium)
        }
        switch owner {
        case .free, .initiator: break
        case .advertiser: act(on: advertising.timedOut(), &medium)
        case .scanner: endScanExchange(answered: false, &medium)
        case .link(let slot): closeEvent(slot, &medium)
        }
    }

    /// Releases the radio to a waiting advertiser, else to background listening.
    mutating func releaseRadio(_ medium: inout Medium) {
        owner = .free
        timers.cancel(.radio, &medium)
        medium.stopListening(index)
        if advertising.isWaiting { beginAdvertisingEvent(&medium) }
        listenInBackground(&medium)
    }

    /// Arms the timer of a link's next event.
    mutating func awaitEvent(_ slot: Int, _ medium: inout Medium) {
        timers.arm(.event(Int32(slot)), at: max(medium.now, links.noteStart(slot)), &medium)
    }

    // MARK: Links

    // MARK: Reset

    /// Restores the state after power on (Vol 4, Part E, 7.3.2). Peers receive no notice.
    mutating func reset(_ medium: inout Medium) {
        medium.cutTransmission(of: index)
        medium.stopListening(index)
        for timer in ControllerTimer.own { timers.cancel(timer, &medium) }
        for slot in links.openSlots {
            timers.cancel(ofLink: slot, &medium)
            medium.unsubscribe(index, from: links[slot].accessAddress)
        }
        links.closeAll()
        flow.reset()
        owner = .free
        host.resetMasks()
        privateKey = nil
        acceptList.removeAll()
        privacy = LinkLayerPrivacy(
            publicAddress: configuration.publicAddress, capacity: configuration.resolvingListSize)
        defaults = LinkDefaults(phys: capabilities.phys)
        advertising = AdvertisingRole()
        scanning = ScanningRole()
        initiating = InitiatingRole()
    }

    /// Removes the controller from the medium.
    mutating func remove(_ medium: inout Medium) {
        reset(&medium)
        medium.removeDevice(index)
        timers.release(&medium)
        host.output.removeAll()
    }
}
