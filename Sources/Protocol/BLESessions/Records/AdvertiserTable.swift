import BLEAdapter
import BLEHost
import BLEWire

/// The most recent advertisers, at most `capacity`. The bound limits the memory for devices that change their private
/// address (Vol 6, Part B, 1.3.2.2) repeatedly. A new advertiser takes the slot of the advertiser that has been silent
/// for longest.
///
/// Slots are numbers from 0. Each advertising set of a device has its own: its data and its scan responses are of the set, and a device with two sets
/// does not change at each packet.
struct AdvertiserTable {
    /// An advertiser on the primary channels has 62 octets. One with extended packets has at most 6,600, in both orders of its halves, so hostile ones
    /// fill 27 MB.
    static let capacity = 4096

    struct Entry {
        fileprivate(set) var address: DeviceAddress
        fileprivate(set) var peer: AdvertiserIdentity
        /// The device name from its GAP service, and the name that it advertised before its present content, in this scan or an earlier one.
        fileprivate var names: PeerNames
        /// The content of its reports; nil until its first packet.
        fileprivate(set) var content: DiscoveryContent?
        /// Whether a scan response has arrived in this scan.
        fileprivate(set) var hasScanResponse = false
        fileprivate(set) var isConnectable = false
        /// In dBm; 127 means not available (Vol 4, Part E, 7.7.65.2).
        fileprivate(set) var rssi: Int8 = 127
        fileprivate(set) var form: AdvertisementForm
        /// The same content for the other half of it as the newer one; nil if the halves do not differ, or if that half was not repeated.
        fileprivate var other: DiscoveryContent?
        /// Whether the halves of the content have different values under one key.
        private(set) var halvesDiffer = false
        /// Change with the advertising data and with the scan response. The table uses each number once.
        fileprivate(set) var dataVersion = 0
        fileprivate(set) var responseVersion = 0
        /// Its ticket in the queue of advertisers that wait for their scan response; nil if it does not wait.
        var hold: Int?
        /// Whether that wait ended without a scan response.
        var wasReportedWithoutResponse = false
        /// The most recent scan that received it.
        fileprivate var scan: Int
        fileprivate var newer = -1
        fileprivate var older = -1

        fileprivate var key: UInt64 { AdvertiserTable.key(address, form.setNumber) }

        /// The name that it advertised most recently, in this scan or an earlier one.
        var advertisedName: String? {
            if let content { return content.advertisedName }
            return names.advertisedName
        }
    }

    private(set) var entries: [Entry] = []
    private var slots = SlotIndex()
    private var newest = -1
    private var oldest = -1
    private var scan = 0
    private var versions = 0
    /// Whether a set of extended advertising was heard.
    private var hasSets = false

    private static func key(_ address: DeviceAddress, _ set: UInt8) -> UInt64 { address.key | UInt64(set) << 56 }

    /// The slots of a device: of its legacy packets first, and of its sets.
    func slots(of address: DeviceAddress) -> [Int] {
        (0...(hasSets ? AdvertisementForm.lastSetNumber : 0)).compactMap { slots.slot(of: Self.key(address, $0)) }
    }

    /// The name that a device advertised in any of its sets.
    func advertisedName(of address: DeviceAddress) -> String? {
        for slot in slots(of: address) {
            if let name = entries[slot].advertisedName { return name }
        }
        return nil
    }

    /// The PHY of the primary channel on which an advertiser was heard, Coded if one of its sets is on Coded; nil if it is not in the table.
    func primaryPHY(of address: DeviceAddress) -> HCI.PHY? {
        slots(of: address).map { HCI.PHY(rawValue: entries[$0].form.primaryPHY) }.max { $0.rawValue < $1.rawValue }
    }

    subscript(slot: Int) -> Entry {
        _read { yield entries[slot] }
        _modify { yield &entries[slot] }
    }

    /// The address of the advertiser that was heard last of those that satisfy a condition.
    func newestAddress(where isMeant: (Entry) -> Bool) -> DeviceAddress? {
        var slot = newest
        while slot >= 0 {
            if isMeant(entries[slot]) { return entries[slot].address }
            slot = entries[slot].older
        }
        return nil
    }

    /// Starts a new scan. Every advertiser counts as new again. Names stay.
    mutating func beginScan() { scan += 1 }

    /// Makes the set of a known advertiser the newest and returns its slot; nil if it is not in the table.
    mutating func refresh(_ address: DeviceAddress, _ form: AdvertisementForm = .legacy) -> Int? {
        guard let slot = slots.slot(of: Self.key(address, form.setNumber)) else { return nil }
        moveToFront(slot)
        return slot
    }

    /// The slot of a set that is not in the table.
    ///
    /// - Parameters:
    ///   - names: The names by which the advertiser is known.
    ///   - holds: The queue in which the evicted advertiser may still wait for its scan response.
    mutating func admit(
        _ address: DeviceAddress, as form: AdvertisementForm = .legacy, _ peer: AdvertiserIdentity,
        _ names: PeerNames, _ holds: inout HoldQueue
    ) -> Int {
        if !form.isLegacy { hasSets = true }
        let slot: Int
        if entries.count < Self.capacity {
            slot = entries.count
            // Fewer and longer moves of all entries than an array makes by itself.
            if slot == entries.capacity { entries.reserveCapacity(min(Self.capacity, max(16, 4 * slot))) }
            entries.append(Entry(address: address, peer: peer, names: names, form: form, scan: scan - 1))
        } else {
            slot = oldest
            slots.remove(entries[slot].key, slot: slot)
            unlinkOldest()
            // A ticket of an earlier scan is not one of this queue.
            if let hold = entries[slot].hold, entries[slot].scan == scan { holds.release(hold) }
            entries[slot].take(address, form, peer, names, scan: scan - 1)
        }
        slots.insert(entries[slot].key, slot: slot)
        linkAtFront(slot)
        return slot
    }

    /// Stores a packet. Returns true if the content changed.
    ///
    /// - Parameter source: Computes the identifiers of advertisers.
    @discardableResult
    mutating func update(
        _ slot: Int, _ report: AdvertisingReport, _ octets: Span<UInt8>, _ source: IdentifierSource
    ) -> Bool {
        switch entries[slot].update(report, octets, scan: scan, source) {
        case .nothing: return false
        case .data: entries[slot].dataVersion = nextVersion()
        case .scanResponse: entries[slot].responseVersion = nextVersion()
        case .all: renew(slot)
        }
        return true
    }

    /// Reports the advertiser at `slot` as `peer` from now on.
    mutating func setPeer(_ peer: AdvertiserIdentity, at slot: Int) {
        entries[slot].peer = peer
        entries[slot].renewContent()
        renew(slot)
    }

    /// Sets or removes the device name of the advertiser at `slot`.
    mutating func setDeviceName(_ name: String?, at slot: Int) {
        entries[slot].names.deviceName = name
        entries[slot].renewContent()
    }

    private mutating func renew(_ slot: Int) {
        entries[slot].dataVersion = nextVersion()
        entries[slot].responseVersion = entries[slot].dataVersion
    }

    private mutating func nextVersion() -> Int {
        versions += 1
        return versions
    }

    private mutating func moveToFront(_ slot: Int) {
        guard newest != slot else { return }
        let front = newest
        let newer = entries[slot].newer
        let older = entries[slot].older
        // One access to the storage for all links: this happens at each packet.
        var span = entries.mutableSpan
        span[newer].older = older
        if older >= 0 { span[older].newer = newer }
        span[slot].newer = -1
        span[slot].older = front
        span[front].newer = slot
        if older < 0 { oldest = newer }
        newest = slot
    }

    /// A full table has other entries, so another one becomes the oldest.
    private mutating func unlinkOldest() {
        oldest = entries[oldest].newer
        entries[oldest].older = -1
    }

    private mutating func linkAtFront(_ slot: Int) {
        entries[slot].newer = -1
        entries[slot].older = newest
        if newest >= 0 { entries[newest].newer = slot } else { oldest = slot }
        newest = slot
    }
}

extension AdvertiserTable.Entry {
    /// Reuses the entry for another advertiser.
    fileprivate mutating func take(
        _ address: DeviceAddress, _ form: AdvertisementForm, _ peer: AdvertiserIdentity, _ names: PeerNames, scan: Int
    ) {
        self.address = address
        self.form = form
        self.peer = peer
        self.names = names
        content = nil
        other = nil
        isConnectable = false
        hold = nil
        self.scan = scan
    }

    fileprivate enum Change { case nothing, data, scanResponse, all }

    /// Returns what the packet changes in the content.
    fileprivate mutating func update(
        _ report: AdvertisingReport, _ octets: Span<UInt8>, scan: Int, _ source: IdentifierSource
    ) -> Change {
        rssi = report.rssi
        let hasSameForm = form == report.form
        form = report.form
        let isFirst = self.scan != scan
        if isFirst {
            self.scan = scan
            hasScanResponse = false
            hold = nil
            wasReportedWithoutResponse = false
        }
        if case .scanResponse = report.kind {
            hasScanResponse = true
            // An empty scan response adds nothing to an advertiser that is already reported (Vol 6, Part B, 2.3.2.2).
            if !isFirst, hasSameForm, content!.octets.scanResponse.elementsEqual(octets) {
                turn(isScanResponseNewer: true)
                return .nothing
            }
            replaceContent(
                with: isFirst
                    ? AdvertisingOctets(data: Span(), scanResponse: octets)
                    : content!.octets.replacing(scanResponse: octets), isScanResponseNewer: true, source)
            return isFirst ? .all : .scanResponse
        } else {
            let isSame = !isFirst && hasSameForm && isConnectable == report.isConnectable
            if isSame, content!.octets.data.elementsEqual(octets) {
                turn(isScanResponseNewer: false)
                return .nothing
            }
            isConnectable = report.isConnectable
            replaceContent(
                with: isFirst
                    ? AdvertisingOctets(data: octets, scanResponse: Span())
                    : content!.octets.replacing(data: octets), isScanResponseNewer: false, source)
            return isFirst ? .all : .data
        }
    }

    /// Makes the half that has arrived again the newer one.
    private mutating func turn(isScanResponseNewer: Bool) {
        guard halvesDiffer, let content, content.isScanResponseNewer != isScanResponseNewer else { return }
        let turned = other ?? content.with(isScanResponseNewer: isScanResponseNewer)
        other = content
        self.content = turned
    }

    private mutating func replaceContent(
        with octets: consuming AdvertisingOctets, isScanResponseNewer: Bool, _ source: IdentifierSource
    ) {
        if let content, !octets.haveLocalName {
            names.advertisedName = content.advertisedName
        }
        halvesDiffer = octets.halvesDiffer
        other = nil
        content = DiscoveryContent(
            identity: peer, source: source, names: names, address: address, octets: octets,
            isConnectable: isConnectable, form: form, isScanResponseNewer: isScanResponseNewer || !halvesDiffer)
    }

    /// Takes changed names or another peer into the content.
    fileprivate mutating func renewContent() {
        content = content?.with(identity: peer, names: names)
        other = nil
    }
}

extension AdvertiserTable {
    /// A report of the advertiser in `slot`, which has sent a packet.
    func discovery(_ slot: Int) -> Discovery { Discovery(entries[slot].content!, rssi: entries[slot].rssi) }
}
