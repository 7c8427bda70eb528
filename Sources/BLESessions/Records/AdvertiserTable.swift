import BLEAdapter
import BLEHost
import BLEWire

/// The most recent advertisers, at most `capacity`. The bound limits the memory for devices that change their private
/// address (Vol 6, Part B, 1.3.2.2) repeatedly. A new advertiser takes the slot of the advertiser that has been silent
/// for longest.
///
/// Slots are numbers from 0 and keep their buffers. A warm table allocates nothing, even for new advertisers.
struct AdvertiserTable {
    static let capacity = 4096

    struct Entry {
        fileprivate(set) var address: DeviceAddress
        fileprivate(set) var peer: AdvertiserIdentity
        /// The device name from its GAP service; nil until it is read.
        var deviceName: String? {
            didSet { content = nil }
        }
        /// The name that it advertised most recently, in this scan or an earlier one.
        fileprivate(set) var advertisedName: String? {
            didSet { content = nil }
        }
        /// Set when the advertised name changes; the reader resets it.
        var hasNewName = false
        /// Whether the published name of the slot is the advertised name.
        var isNamePublished = false
        /// Whether it is that of an earlier advertiser in the slot.
        var hasFormerName = false
        /// Its most recent advertising data, as AD structures.
        fileprivate(set) var data: [UInt8] = []
        /// Empty until a scan response arrives.
        fileprivate(set) var scanResponse: [UInt8] = []
        /// Whether a scan response has arrived in this scan.
        fileprivate(set) var hasScanResponse = false
        fileprivate(set) var isConnectable = false
        /// The content of its reports; nil until the next report.
        fileprivate var content: DiscoveryContent?
        /// In dBm; 127 means not available (Vol 4, Part E, 7.7.65.2).
        fileprivate(set) var rssi: Int8 = 127
        /// Changes with the content. The table uses each number once.
        fileprivate(set) var version = 0
        /// Its ticket in the queue of advertisers that wait for their scan response; nil if it does not wait.
        var hold: Int?
        /// Whether that wait ended without a scan response.
        var wasReportedWithoutResponse = false
        /// The most recent scan that received it.
        fileprivate var scan: Int
        fileprivate var newer = -1
        fileprivate var older = -1

        var name: String? { deviceName ?? advertisedName }
    }

    private(set) var entries: [Entry] = []
    private var slots = AddressIndex()
    private var newest = -1
    private var oldest = -1
    private var scan = 0
    private var versions = 0

    func slot(of address: DeviceAddress) -> Int? { slots.slot(of: address) }

    subscript(slot: Int) -> Entry {
        _read { yield entries[slot] }
        _modify { yield &entries[slot] }
    }

    /// Starts a new scan. Every advertiser counts as new again. Names stay.
    mutating func beginScan() { scan += 1 }

    /// Makes a known advertiser the newest and returns its slot; nil if it is not in the table.
    mutating func refresh(_ address: DeviceAddress) -> Int? {
        guard let slot = slots.slot(of: address) else { return nil }
        moveToFront(slot)
        return slot
    }

    /// The slot of an advertiser that is not in the table.
    ///
    /// - Parameters:
    ///   - names: The names by which the advertiser is known.
    ///   - holds: The queue in which the evicted advertiser may still wait for its scan response.
    mutating func admit(
        _ address: DeviceAddress, _ peer: AdvertiserIdentity, _ names: PeerNames, _ holds: inout HoldQueue
    ) -> Int {
        let slot: Int
        if entries.count < Self.capacity {
            slot = entries.count
            // Fewer and longer moves of all entries than an array makes by itself.
            if slot == entries.capacity { entries.reserveCapacity(min(Self.capacity, max(16, 4 * slot))) }
            entries.append(Entry(address: address, peer: peer, scan: scan - 1))
        } else {
            slot = oldest
            slots.remove(entries[slot].address)
            unlink(slot)
            // A ticket of an earlier scan is not one of this queue.
            if let hold = entries[slot].hold, entries[slot].scan == scan { holds.release(hold) }
            entries[slot].take(address, peer, scan: scan - 1)
        }
        entries[slot].deviceName = names.deviceName
        entries[slot].advertisedName = names.advertisedName
        slots.insert(address, slot: slot)
        linkAtFront(slot)
        return slot
    }

    /// Stores a packet. Returns true if the content changed.
    @discardableResult
    mutating func update(_ slot: Int, _ report: AdvertisingReport, _ octets: Span<UInt8>) -> Bool {
        guard entries[slot].update(report, octets, scan: scan) else { return false }
        renew(slot)
        return true
    }

    /// Reports the advertiser at `slot` as `peer` from now on.
    mutating func setPeer(_ peer: AdvertiserIdentity, at slot: Int) {
        entries[slot].peer = peer
        renew(slot)
    }

    private mutating func renew(_ slot: Int) {
        versions += 1
        entries[slot].version = versions
        entries[slot].content = nil
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

    private mutating func unlink(_ slot: Int) {
        let newer = entries[slot].newer
        let older = entries[slot].older
        if newer >= 0 { entries[newer].older = older } else { newest = older }
        if older >= 0 { entries[older].newer = newer } else { oldest = newer }
    }

    private mutating func linkAtFront(_ slot: Int) {
        entries[slot].newer = -1
        entries[slot].older = newest
        if newest >= 0 { entries[newest].newer = slot } else { oldest = slot }
        newest = slot
    }
}

extension AdvertiserTable.Entry {
    /// Reuses the entry for another advertiser. The buffers stay.
    fileprivate mutating func take(_ address: DeviceAddress, _ peer: AdvertiserIdentity, scan: Int) {
        self.address = address
        self.peer = peer
        // Releases the buffers, which are then reused.
        content = nil
        data.empty()
        scanResponse.empty()
        hasNewName = false
        hasFormerName = isNamePublished
        isNamePublished = false
        isConnectable = false
        hold = nil
        self.scan = scan
    }

    /// Returns true if the packet changes the content.
    fileprivate mutating func update(_ report: AdvertisingReport, _ octets: Span<UInt8>, scan: Int) -> Bool {
        rssi = report.rssi
        var isNew = false
        if self.scan != scan {
            self.scan = scan
            hasScanResponse = false
            hold = nil
            wasReportedWithoutResponse = false
            isNew = true
        }
        if case .scanResponse = report.kind {
            if isNew {
                content = nil
                data.empty()
            }
            if !hasScanResponse || !scanResponse.span.elementsEqual(octets) {
                // An empty scan response adds nothing to an advertiser that is already reported (Vol 6, Part B,
                // 2.3.2.2).
                isNew = isNew || !octets.isEmpty || hasScanResponse && !scanResponse.isEmpty
                hasScanResponse = true
                // Releases the buffer first.
                content = nil
                scanResponse.replace(with: octets)
                learnName()
            }
        } else {
            if isNew || !data.span.elementsEqual(octets) {
                content = nil
                data.replace(with: octets)
                if isNew { scanResponse.empty() }
                isNew = true
                learnName()
            }
            if isConnectable != report.isConnectable {
                isConnectable = report.isConnectable
                isNew = true
            }
        }
        return isNew
    }

    private mutating func learnName() {
        if let name = AD.localName(in: data.span, scanResponse: scanResponse.span), name != advertisedName {
            advertisedName = name
            hasNewName = true
        }
    }
}

extension AdvertiserTable {
    /// A report of the advertiser in `slot`. It shares the table's buffers.
    mutating func discovery(_ slot: Int, _ source: IdentifierSource) -> Discovery {
        if let content = entries[slot].content { return Discovery(content, rssi: entries[slot].rssi) }
        // Copies field by field: a copy of the entry would retain all of them.
        let content = DiscoveryContent(
            identity: entries[slot].peer, source: source,
            name: entries[slot].deviceName ?? entries[slot].advertisedName, address: entries[slot].address,
            data: entries[slot].data, scanResponse: entries[slot].scanResponse,
            isConnectable: entries[slot].isConnectable)
        entries[slot].content = content
        return Discovery(content, rssi: entries[slot].rssi)
    }
}

extension [UInt8] {
    fileprivate mutating func replace(with octets: Span<UInt8>) {
        guard capacity >= octets.count else {
            self = octets.withUnsafeBufferPointer { [UInt8]($0) }
            return
        }
        empty()
        append(octets)
    }
}
