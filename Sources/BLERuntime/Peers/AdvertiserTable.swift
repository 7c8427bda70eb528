import BLEAdapter
import BLEHost
import BLEWire

/// The advertisers heard last, at most `capacity` of them: devices that change their address again and again do not fill
/// the memory. Who is heard, and is new, takes the place of the one that was silent for longest.
///
/// Places are numbers from 0 and keep their buffers, so a warm table allocates nothing, not even for new advertisers.
struct AdvertiserTable {
    static let capacity = 4096

    struct Entry {
        fileprivate(set) var address: DeviceAddress
        fileprivate(set) var peer: PeerIdentifier
        /// The name in its GAP service, if it was read.
        var deviceName: String?
        /// The name that it advertised last, in this scan or an earlier one.
        fileprivate(set) var advertisedName: String?
        /// What it advertised last, as AD structures.
        fileprivate(set) var data: [UInt8] = []
        /// Empty as well while none has come.
        fileprivate(set) var scanResponse: [UInt8] = []
        /// Whether a scan response has come, in this scan.
        fileprivate(set) var hasScanResponse = false
        fileprivate(set) var isConnectable = false
        fileprivate(set) var rssi: Int8 = 127
        /// Another number after each change of content; never used twice in a table.
        fileprivate(set) var version = 0
        /// Its ticket in the queue of those whose scan response is waited for; nil: it is not waited for.
        var hold: Int?
        /// Set when that was in vain.
        var wasReportedWithoutResponse = false
        /// The scan in which it was heard last.
        fileprivate var scan: Int
        fileprivate var newer = -1
        fileprivate var older = -1

        var name: String? { deviceName ?? advertisedName }
    }

    private(set) var entries: [Entry] = []
    /// By address as one number.
    private var places: [UInt64: Int] = [:]
    private var newest = -1
    private var oldest = -1
    private var scan = 0
    private var versions = 0

    func place(of address: DeviceAddress) -> Int? { places[Self.key(address)] }

    private static func key(_ address: DeviceAddress) -> UInt64 { address.value | UInt64(address.kind.rawValue) << 48 }

    subscript(place: Int) -> Entry {
        _read { yield entries[place] }
        _modify { yield &entries[place] }
    }

    /// A new scan: everybody is news again. Names stay.
    mutating func beginScan() { scan += 1 }

    /// The place of an advertiser that was heard before; it is the newest now.
    mutating func hear(_ address: DeviceAddress) -> Int? {
        guard let place = places[Self.key(address)] else { return nil }
        moveToFront(place)
        return place
    }

    /// The place of an advertiser that was not there.
    ///
    /// - Parameters:
    ///   - names: what it was called until now.
    ///   - holds: where the advertiser whose place it takes may still wait for its scan response.
    mutating func admit(
        _ address: DeviceAddress, _ peer: PeerIdentifier, _ names: PeerNames, _ holds: inout HoldQueue
    ) -> Int {
        let place: Int
        if entries.count < Self.capacity {
            place = entries.count
            entries.append(Entry(address: address, peer: peer, scan: scan - 1))
        } else {
            place = oldest
            places[Self.key(entries[place].address)] = nil
            unlink(place)
            if let hold = entries[place].hold { holds.release(hold) }
            entries[place].take(address, peer, scan: scan - 1)
        }
        entries[place].deviceName = names.deviceName
        entries[place].advertisedName = names.advertisedName
        places[Self.key(address)] = place
        linkAtFront(place)
        return place
    }

    /// Takes a packet in.
    mutating func update(_ place: Int, _ report: AdvertisingReport, _ octets: Span<UInt8>) {
        if entries[place].update(report, octets, scan: scan) {
            versions += 1
            entries[place].version = versions
        }
    }

    private mutating func moveToFront(_ place: Int) {
        guard newest != place else { return }
        unlink(place)
        linkAtFront(place)
    }

    private mutating func unlink(_ place: Int) {
        let newer = entries[place].newer
        let older = entries[place].older
        if newer >= 0 { entries[newer].older = older } else { newest = older }
        if older >= 0 { entries[older].newer = newer } else { oldest = newer }
    }

    private mutating func linkAtFront(_ place: Int) {
        entries[place].newer = -1
        entries[place].older = newest
        if newest >= 0 { entries[newest].newer = place } else { oldest = place }
        newest = place
    }
}

extension AdvertiserTable.Entry {
    /// Becomes another advertiser's; the buffers stay.
    fileprivate mutating func take(_ address: DeviceAddress, _ peer: PeerIdentifier, scan: Int) {
        self.address = address
        self.peer = peer
        data.empty()
        scanResponse.empty()
        isConnectable = false
        hold = nil
        self.scan = scan
    }

    /// True if the packet brought something new.
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
        if report.kind == .scanResponse {
            if isNew { data.empty() }
            if !hasScanResponse || !scanResponse.span.elementsEqual(octets) {
                // An empty response to an advertiser that was reported already is nothing to tell.
                isNew = isNew || !octets.isEmpty || hasScanResponse && !scanResponse.isEmpty
                hasScanResponse = true
                scanResponse.replace(with: octets)
                learnName()
            }
        } else {
            if isNew || !data.span.elementsEqual(octets) {
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
        if let name = AD.localName(in: data.span, scanResponse: scanResponse.span) { advertisedName = name }
    }
}

extension [UInt8] {
    fileprivate mutating func replace(with octets: Span<UInt8>) {
        empty()
        append(octets)
    }
}
