import BLEWire

/// The trains that a controller receives, by slot, and the host's request for another one (Vol 6, Part B, 4.4.3.4; Vol 4, Part E, 7.8.67). A slot is the
/// sync handle.
struct PeriodicSyncs {
    /// Why the controller receives a train.
    enum Origin: Hashable {
        /// LE Periodic Advertising Create Sync.
        case request
        /// LL_PERIODIC_SYNC_IND on a link, with a value of the peer's host.
        case transfer(connection: UInt16, serviceData: UInt16)
    }

    struct Entry {
        var sync: PeriodicSync
        let origin: Origin
        /// Where the next PDU of a chain is.
        var chain: AuxiliaryPursuit.Appointment?
        /// The events in a row that were not received, because the radio was busy.
        var lost = 0
        /// The response that is being sent.
        var response: SyncSubevents.Response?

        /// When and where to listen next.
        var appointment: (channel: UInt8, phy: LL.PHY, opens: Instant, closes: Instant) {
            if let chain { return (chain.channel, chain.phy, chain.opens, chain.closes) }
            let window = sync.window
            return (window.channel, sync.train.phy, window.opens, window.closes)
        }
    }

    private var entries: [Entry?] = []
    /// The pending request; nil after Sync Established.
    var request: PeriodicSyncRequest?
    var list: PeriodicAdvertiserList
    private let limit: Int

    init(_ configuration: ControllerConfiguration) {
        list = PeriodicAdvertiserList(capacity: configuration.periodicAdvertiserListSize)
        limit = max(1, min(16, configuration.periodicSyncLimit))
    }

    subscript(slot: Int) -> Entry? {
        get { entries.indices.contains(slot) ? entries[slot] : nil }
        set { if entries.indices.contains(slot) { entries[slot] = newValue } }
    }

    // MARK: The table

    var slots: Range<Int> { 0..<entries.count }
    var isEmpty: Bool {
        for entry in entries where entry != nil { return false }
        return true
    }
    var hasFreeSlot: Bool {
        var used = 0
        for entry in entries where entry != nil { used += 1 }
        return used < limit
    }

    /// Adds a train. There must be a free slot.
    mutating func add(_ entry: Entry) {
        for slot in slots where entries[slot] == nil {
            entries[slot] = entry
            return
        }
        entries.append(entry)
    }

    /// The slot of an established sync.
    func slot(of handle: UInt16) throws(HCI.ErrorCode) -> Int {
        guard let entry = self[Int(handle)], entry.sync.isEstablished else { throw .unknownAdvertisingIdentifier }
        return Int(handle)
    }

    /// Whether the controller receives this set, or tries to.
    func contains(_ advertiser: PeerAddress, setID: UInt8) -> Bool {
        entries.contains { $0?.sync.setID == setID && $0?.sync.advertiser.device == advertiser.device }
    }

    /// The sync that is being established for the request.
    var requested: Int? {
        for slot in slots {
            if let entry = entries[slot], entry.origin == .request, !entry.sync.isEstablished { return slot }
        }
        return nil
    }

    /// AUX_ADV_IND of a set was received.
    mutating func refresh(_ advertiser: PeerAddress, setID: UInt8, _ info: LL.SyncInfo) {
        for slot in slots where entries[slot]?.sync.setID == setID {
            if entries[slot]?.sync.advertiser.device == advertiser.device { entries[slot]?.sync.refresh(info) }
        }
    }

    /// The own clock has this accuracy.
    mutating func use(_ accuracy: HCI.ClockAccuracy) {
        for slot in slots { entries[slot]?.sync.ownAccuracy = accuracy }
    }

    // MARK: Times

    /// The start of the next window or response, except those of the train which is being received.
    func nextStart(except listening: Int?) -> Instant? {
        var first: Instant?
        for slot in slots where slot != listening {
            if let opens = entries[slot]?.appointment.opens { first = min(first ?? opens, opens) }
            if let response = entries[slot]?.sync.subevents?.nextResponse { first = min(first ?? response, response) }
        }
        return first
    }

    /// The first time at which a sync is lost.
    func nextDeadline(except listening: Int?) -> Instant? {
        var first: Instant?
        for slot in slots where slot != listening {
            if let deadline = entries[slot]?.sync.deadline { first = min(first ?? deadline, deadline) }
        }
        return first
    }

    /// The time of the next PDU of a chain; `Instant.max` if there is none.
    var nextChain: Instant {
        var first = Instant(nanoseconds: .max)
        for entry in entries { if let opens = entry?.chain?.opens { first = min(first, opens) } }
        return first
    }

    /// A train whose window has come, of several the one that has lost most events.
    func due(at now: Instant, except listening: Int?) -> Int? {
        var neediest: (slot: Int, lost: Int)?
        for slot in slots where slot != listening {
            guard let entry = entries[slot], entry.appointment.opens <= now else { continue }
            if let other = neediest, other.lost >= entry.lost { continue }
            neediest = (slot, entry.lost)
        }
        return neediest?.slot
    }

    func lostEvents(of slot: Int) -> Int { self[slot]?.lost ?? 0 }

    /// Whether a train that has lost more events than another one opens its window in a time.
    func hasNeedier(than lost: Int, from start: Instant, to end: Instant) -> Bool {
        entries.contains { entry in
            guard let entry, entry.lost > lost, entry.lost >= Controller.mostLost else { return false }
            let appointment = entry.appointment
            return appointment.opens < end && appointment.closes >= start
        }
    }
}
