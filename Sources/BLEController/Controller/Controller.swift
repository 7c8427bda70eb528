import BLEWire

/// One virtual controller: what its host set, its roles, its links, and which of them holds the one radio it has.
///
/// It is driven by its `VirtualRadio` alone, with the air as an argument; what it has for its host collects in `output`.
struct Controller {
    /// Who uses the radio. Scanner and initiator listen in the background while it is free.
    enum RadioOwner: Hashable {
        case free
        case advertiser
        case scanner
        case initiator
        case link(Int)
    }

    /// A packet that arrived.
    struct Heard {
        var start: Instant
        var channel: UInt8
        var rssi: Int8
        var phy: LL.PHY
        var isCorrupted: Bool
    }

    let index: Int32
    let configuration: ControllerConfiguration
    let features: LL.FeatureSet
    let supportedPHYs: LL.PHYSet
    /// H4 packets for the host.
    var output: [UInt8] = []
    /// The radio knows that there is output.
    var isListed = false
    /// There is output, and the radio does not know yet.
    var hasUnlistedOutput: Bool { !isListed && !output.isEmpty }
    var random: SeededRandom

    // What the host set; `reset` puts it back.
    var eventMask = HCI.EventMask.default
    var leEventMask = HCI.LEEventMask.default
    var randomAddress: UInt64?
    var acceptList: [DeviceAddress] = []
    var suggestedLength = DataLength.Limits.minimum
    var defaultPHYs: (tx: LL.PHYSet, rx: LL.PHYSet)
    var channelClassification = LL.ChannelMap.all

    var advertising = AdvertisingRole()
    var scanning = ScanningRole()
    var initiating = InitiatingRole()
    /// A slot for each link that there was at once; closed ones are used again, the longest closed first.
    var links: [Connection] = []
    /// When the next event of each open link needs the radio, by slot; beside `links`, since it is asked for all the time.
    var starts: [Instant] = []
    /// The slots of the open links, oldest first.
    var openLinks: [Int] = []
    private var nextSlot = 0
    /// `used` of the link that had the radio last.
    var level = TimeSpan.zero
    /// ACL packets of the host that have not been reported as completed.
    var buffersInUse = 0
    var owner = RadioOwner.free
    /// Reused for the results of control procedures.
    var actions: [LinkControl.Action] = []

    /// By `ControllerTimer.index`; made when first armed.
    private var timers: [TimerID] = []

    init(index: Int32, configuration: ControllerConfiguration, random: SeededRandom) {
        self.index = index
        self.configuration = configuration
        self.random = random
        var features: LL.FeatureSet = [
            .connectionParametersRequest, .extendedReject, .peripheralInitiatedFeaturesExchange, .ping,
            .channelSelection2,
        ]
        if configuration.maximumDataLength > 27 { features.insert(.dataPacketLengthExtension) }
        var phys = LL.PHYSet.oneM
        if configuration.supports2M {
            features.insert(.twoM)
            phys.insert(.twoM)
        }
        if configuration.supportsCoded {
            features.insert(.coded)
            phys.insert(.coded)
        }
        self.features = features
        supportedPHYs = phys
        defaultPHYs = (phys, phys)
    }

    /// The longest packets that this controller sends and takes.
    var supportedLength: DataLength.Limits {
        let octets = min(251, max(27, configuration.maximumDataLength))
        let slowest: LL.PHY = configuration.supportsCoded ? .codedS8 : .oneM
        let time = slowest.airTime(pduLength: 2 + Int(octets) + LL.micLength).nanoseconds / 1000
        return DataLength.Limits(octets: octets, time: UInt16(clamping: time))
    }

    // MARK: Timers

    mutating func arm(_ timer: ControllerTimer, at time: Instant, _ air: inout Air) {
        let position = timer.index
        while timers.count <= position { timers.append(.none) }
        if timers[position] == .none { timers[position] = air.scheduler.makeTimer(for: .controller(index, timer)) }
        air.scheduler.arm(timers[position], at: time)
    }

    mutating func cancel(_ timer: ControllerTimer, _ air: inout Air) {
        let position = timer.index
        if position < timers.count, timers[position] != .none { air.scheduler.cancel(timers[position]) }
    }

    mutating func fire(_ timer: ControllerTimer, _ air: inout Air) {
        switch timer {
        case .advertising: advertisingDue(&air)
        case .advertisingEnd: advertisingTimedOut(&air)
        case .scanInterval: scanIntervalBegins(&air)
        case .scanWindow:
            scanning.schedule.endWindow()
            listenInBackground(&air)
        case .initiateInterval: initiateIntervalBegins(&air)
        case .initiateWindow:
            initiating.schedule.endWindow()
            listenInBackground(&air)
        case .radio: radioTimedOut(&air)
        case .event(let slot): eventDue(Int(slot), &air)
        case .supervision(let slot): superviseLink(Int(slot), &air)
        case .procedure(let slot): procedureTimedOut(Int(slot), &air)
        }
    }

    // MARK: The radio

    /// The packet that this controller sent is out.
    mutating func transmissionEnded(_ air: inout Air) {
        switch owner {
        case .free: break
        case .advertiser: act(on: advertising.sent(), &air)
        case .scanner: scanRequestSent(&air)
        case .initiator: connectionIndicationSent(&air)
        case .link(let slot): linkTransmitted(slot, &air)
        }
    }

    mutating func received(_ pdu: Span<UInt8>, _ heard: Heard, _ air: inout Air) {
        switch owner {
        case .free: if !heard.isCorrupted { heardInBackground(pdu, heard, &air) }
        case .advertiser: heardByAdvertiser(pdu, heard, &air)
        case .scanner: heardScanResponse(pdu, heard, &air)
        case .initiator: break
        case .link(let slot): linkReceived(slot, pdu, heard, &air)
        }
    }

    /// Waits until a packet that begins an inter frame space from now must have been noticed.
    mutating func awaitAnswer(on phy: LL.PHY, _ air: inout Air) {
        let slack = TimeSpan.microseconds(4)
        arm(.radio, at: air.now + LL.interFrameSpace + phy.synchronisationTime + slack, &air)
    }

    private mutating func radioTimedOut(_ air: inout Air) {
        if case .link(let slot) = owner, links[slot].active?.isTurning == true { return turnedRound(slot, &air) }
        // A packet that has begun is heard to its end.
        if let end = air.medium.endOfPacketBeingHeard(by: index, now: air.now) {
            return arm(.radio, at: end + .nanoseconds(1), &air)
        }
        switch owner {
        case .free, .initiator: break
        case .advertiser: act(on: advertising.timedOut(), &air)
        case .scanner: endScanExchange(answered: false, &air)
        case .link(let slot): closeEvent(slot, &air)
        }
    }

    /// Gives the radio back, to the advertiser if it waits, else to who listens in the background.
    mutating func releaseRadio(_ air: inout Air) {
        owner = .free
        cancel(.radio, &air)
        air.medium.stopListening(index)
        if advertising.isWaiting { beginAdvertisingEvent(&air) }
        listenInBackground(&air)
    }

    /// When the first link needs the radio; far away if there is none.
    func nextLinkStart(except slot: Int? = nil) -> Instant {
        var first = Instant(nanoseconds: .max)
        for other in openLinks where other != slot && starts[other] < first { first = starts[other] }
        return first
    }

    /// Waits for a link's next event, wherever its anchor now is.
    mutating func awaitEvent(_ slot: Int, _ air: inout Air) {
        starts[slot] = links[slot].start
        arm(.event(Int32(slot)), at: max(air.now, starts[slot]), &air)
    }

    // MARK: Links

    /// A free slot for a link; nil when there are as many as there may be.
    mutating func freeSlot() -> Int? {
        let limit = max(1, min(64, configuration.connectionLimit))
        guard openLinks.count < limit else { return nil }
        for step in 0..<limit {
            let slot = (nextSlot + step) % limit
            if slot < links.count && links[slot].isOpen { continue }
            nextSlot = slot + 1
            return slot
        }
        return nil
    }

    var hasFreeSlot: Bool { openLinks.count < max(1, min(64, configuration.connectionLimit)) }

    func slot(of handle: UInt16) -> Int? {
        let slot = Int(handle) - Self.firstHandle
        guard slot >= 0, slot < links.count, links[slot].isOpen else { return nil }
        return slot
    }

    static let firstHandle = 0x40

    // MARK: Reset

    /// Forgets everything, as after power on. Peers hear nothing of it.
    mutating func reset(_ air: inout Air) {
        air.medium.cutTransmission(of: index)
        air.medium.stopListening(index)
        for timer in ControllerTimer.own { cancel(timer, &air) }
        for slot in openLinks {
            cancelTimers(of: slot, &air)
            air.medium.unsubscribe(index, from: links[slot].accessAddress)
            links[slot].isOpen = false
        }
        openLinks.removeAll()
        buffersInUse = 0
        owner = .free
        eventMask = .default
        leEventMask = .default
        randomAddress = nil
        acceptList.removeAll()
        suggestedLength = .minimum
        defaultPHYs = (supportedPHYs, supportedPHYs)
        channelClassification = .all
        advertising = AdvertisingRole()
        scanning = ScanningRole()
        initiating = InitiatingRole()
    }

    /// Leaves the air for ever.
    mutating func remove(_ air: inout Air) {
        reset(&air)
        air.medium.removeDevice(index)
        for timer in timers { air.scheduler.release(timer) }
        timers.removeAll()
        output.removeAll()
    }
}
