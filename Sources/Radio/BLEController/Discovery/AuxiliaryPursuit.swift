import BLEWire

/// Follows the PDUs of one event of extended advertising on the secondary channels (Vol 6, Part B, 4.4.3).
struct AuxiliaryPursuit {
    /// The next PDU.
    enum Stage: Hashable {
        case advertisement
        /// AUX_CHAIN_IND.
        case chain
        /// AUX_SCAN_REQ is being sent.
        case request
        case response
    }

    let announcement: Announcement
    var appointment: Appointment
    private(set) var stage = Stage.advertisement
    /// What was received so far.
    var packet: CollectedPacket?

    init(_ announcement: Announcement, at appointment: Appointment) {
        self.announcement = announcement
        self.appointment = appointment
    }

    /// Waits for AUX_CHAIN_IND.
    mutating func follow(to next: Appointment) {
        appointment = next
        stage = .chain
    }

    /// Sends AUX_SCAN_REQ.
    mutating func request() { stage = .request }
    /// AUX_SCAN_REQ has been sent.
    mutating func requestSent() { if stage == .request { stage = .response } }
}

extension AuxiliaryPursuit {
    /// What ADV_EXT_IND says about the PDU to which it points.
    struct Announcement: Hashable {
        /// The PHY of ADV_EXT_IND.
        let phy: LL.PHY
        let mode: LL.AdvertisingMode
        let advertiser: DeviceAddress?
        let target: DeviceAddress?
        let dataInfo: LL.AdvertisingDataInfo?
        let txPower: Int8?

        init(
            _ payload: LL.ExtendedAdvertisement, _ header: LL.AdvertisingHeader, phy: LL.PHY
        ) {
            self.phy = phy
            mode = payload.mode
            advertiser = payload.advertiser(header)
            target = payload.target(header)
            dataInfo = payload.dataInfo
            txPower = payload.txPower
        }

        var primaryPHY: PrimaryPHY { PrimaryPHY(phy) }

        /// Whether this AUX_ADV_IND is the announced one: of the same set with the same data, and with the same addresses where both have
        /// them.
        func announces(_ payload: LL.ExtendedAdvertisement, _ header: LL.AdvertisingHeader) -> Bool {
            let (sender, receiver) = (payload.advertiser(header), payload.target(header))
            return payload.mode == mode && payload.dataInfo == dataInfo
                && (advertiser == nil || sender == nil || advertiser == sender)
                && (target == nil || receiver == nil || target == receiver)
        }
    }

    /// Where and when to listen for a PDU.
    struct Appointment: Hashable {
        let channel: UInt8
        let phy: LL.PHY
        let opens: Instant
        /// The latest start of the PDU.
        let closes: Instant

        /// Nil for a reserved channel or PHY, for one that the controller does not have, without a PDU, and in the past.
        ///
        /// - Parameters:
        ///   - start: The start of the PDU with the pointer.
        ///   - accuracy: Of this controller's clock.
        init?(
            _ pointer: LL.AuxiliaryPointer, from start: Instant, now: Instant, supported: LL.PHYSet,
            accuracy: HCI.ClockAccuracy = .ppm20
        ) {
            guard let phy = pointer.phy, pointer.channel < 37, pointer.offset > 0,
                supported.contains(phy.isCoded ? .coded : phy == .twoM ? .twoM : .oneM)
            else { return nil }
            // Both clocks may deviate, the advertiser's by what CA says, and each event may be 16 µs late (Vol 6, Part B, 2.3.4.5, 4.2.2 and 4.2.4).
            let parts = Int64(accuracy.partsPerMillion) + (pointer.isClockAccurate ? 50 : 500)
            let widening = TimeSpan(nanoseconds: 16_000 + pointer.span.nanoseconds * parts / 1_000_000)
            channel = pointer.channel
            self.phy = phy
            opens = max(now, start + pointer.span - widening)
            closes = start + pointer.span + pointer.unit + widening
            guard closes > now else { return nil }
        }

        func overlaps(_ other: Appointment) -> Bool { opens <= other.closes && other.opens <= closes }
    }
}

/// The pursuits of a controller. One at a time uses the radio; the others wait for their appointments.
struct AuxiliaryPursuits {
    /// The most pursuits that wait. Pointers far ahead give way to nearer ones, so that they cannot block the scanner.
    static let limit = 8

    private(set) var waiting: [AuxiliaryPursuit] = []
    /// The one that has the radio, or none. It is an array, because it is large and most controllers have none.
    private var active: [AuxiliaryPursuit] = []
    /// The event that was pursued last.
    private var latest: AuxiliaryPursuit.Announcement?

    /// The time of the next appointment.
    var next: Instant? {
        var next: Instant?
        for index in waiting.indices {
            next = min(next ?? waiting[index].appointment.opens, waiting[index].appointment.opens)
        }
        return next
    }

    /// The time of the next appointment with a PDU of a chain; `Instant.max` if there is none.
    var nextChain: Instant {
        var next = Instant(nanoseconds: .max)
        for index in waiting.indices where waiting[index].stage == .chain {
            next = min(next, waiting[index].appointment.opens)
        }
        return next
    }

    /// Whether the radio must stay free for a chain, which another event does not interrupt.
    func isReserved(during appointment: AuxiliaryPursuit.Appointment) -> Bool {
        waiting.contains { $0.stage == .chain && $0.appointment.overlaps(appointment) }
    }

    /// Takes the pointer of an ADV_EXT_IND. Of two sets with overlapping appointments, the one that was not pursued last is pursued. Chance decides
    /// if this is true of both, or if they cannot be told apart. Returns the pursuit that ends because there are too many.
    mutating func add(_ pursuit: AuxiliaryPursuit, _ random: inout SeededRandom) -> AuxiliaryPursuit? {
        if let other = waiting.firstIndex(where: { $0.appointment.overlaps(pursuit.appointment) }) {
            guard waiting[other].stage == .advertisement else { return nil }
            let (waitingWasLast, newWasLast) = (waiting[other].announcement == latest, pursuit.announcement == latest)
            if waitingWasLast == newWasLast ? random.next() % 2 == 0 : waitingWasLast { waiting[other] = pursuit }
            return nil
        }
        waiting.append(pursuit)
        let farthest = waiting.indices.max { waiting[$0].appointment.opens < waiting[$1].appointment.opens }
        guard waiting.count > Self.limit, let farthest else { return nil }
        return waiting.remove(at: farthest)
    }

    /// Continues a pursuit at its next appointment.
    mutating func resume(_ pursuit: AuxiliaryPursuit) { waiting.append(pursuit) }

    /// Removes the pursuit whose appointment has come.
    mutating func takeDue(at now: Instant) -> AuxiliaryPursuit? {
        guard let index = waiting.firstIndex(where: { $0.appointment.opens <= now }) else { return nil }
        let pursuit = waiting.remove(at: index)
        latest = pursuit.announcement
        return pursuit
    }

    /// Gives the radio to a pursuit.
    mutating func begin(_ pursuit: AuxiliaryPursuit) { active.append(pursuit) }

    /// Where the pursuit that has the radio listens; nil if none has.
    var current: AuxiliaryPursuit.Appointment? { active.first?.appointment }

    /// Whether the pursuit that has the radio is a request or waits for its response.
    var isExchanging: Bool { active.first.map { $0.stage == .request || $0.stage == .response } ?? false }

    /// AUX_SCAN_REQ has been sent.
    mutating func requestSent() { for index in active.indices { active[index].requestSent() } }

    mutating func takeCurrent() -> AuxiliaryPursuit? { active.popLast() }

    mutating func removeAll() { self = AuxiliaryPursuits() }
}
