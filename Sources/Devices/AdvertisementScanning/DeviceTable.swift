import BLEAdapter

/// The devices of a scan, or their advertising sets, at most `capacity`. When the table is full, it drops an eighth of them: first those that
/// were silent for 30 s, the longest silent first, then the weakest. A device that changes its private address constantly cannot fill the
/// memory.
package struct DeviceTable {
    package static let defaultCapacity = 4096
    /// A device that is silent for this time is probably gone.
    private static let silence = Duration.seconds(30)

    let capacity: Int
    private let separatesSets: Bool
    package private(set) var devices: [ScannedDevice] = []
    private var slots: [ScannedDevice.Key: Int] = [:]
    /// The number of devices that the table has dropped.
    package private(set) var droppedCount = 0

    /// - Parameter separatesSets: Whether each advertising set of a device has an entry of its own.
    package init(capacity: Int = defaultCapacity, separatesSets: Bool = false) {
        self.capacity = max(8, capacity)
        self.separatesSets = separatesSets
    }

    /// Adds a report. Returns the index of its device, which is valid until the next call.
    package mutating func add(_ report: AdvertisementReport, since start: ContinuousClock.Instant) -> Int {
        let now = report.time - start
        let content = report.discovery.content
        let key = ScannedDevice.Key(
            peer: content.identifier, set: separatesSets ? content.extendedForm.flatMap(\.setIdentifier) : nil)
        let slot: Int
        if let known = slots[key] {
            slot = known
        } else {
            if devices.count >= capacity { makeRoom(now) }
            slot = devices.count
            devices.append(ScannedDevice(key))
            slots[key] = slot
        }
        devices[slot].add(report.discovery, at: now)
        return slot
    }

    /// Sorts once for an eighth of the capacity, so that the cost of one new device stays small.
    private mutating func makeRoom(_ now: Duration) {
        let removed = Set(
            devices.indices.sorted { left, right in
                let (left, right) = (devices[left], devices[right])
                let isSilent = (now - left.lastSeen >= Self.silence, now - right.lastSeen >= Self.silence)
                if isSilent.0 != isSilent.1 { return isSilent.0 }
                if isSilent.0 { return left.lastSeen < right.lastSeen }
                return (left.rssi ?? -128) < (right.rssi ?? -128)
            }.prefix(max(1, capacity / 8)))
        droppedCount += removed.count
        var kept: [ScannedDevice] = []
        kept.reserveCapacity(capacity)
        for index in devices.indices where !removed.contains(index) { kept.append(devices[index]) }
        devices = kept
        slots.removeAll(keepingCapacity: true)
        for index in devices.indices { slots[devices[index].key] = index }
    }

    /// Decodes the packets of the device at `index`.
    package mutating func decode(_ index: Int) { devices[index].decode() }

    package mutating func modify<Result>(_ index: Int, _ change: (inout ScannedDevice) -> Result) -> Result {
        change(&devices[index])
    }

    package func index(of key: ScannedDevice.Key) -> Int? { slots[key] }
    /// The index of a device in a table that does not separate sets.
    package func index(of peer: PeerIdentifier) -> Int? { slots[ScannedDevice.Key(peer: peer)] }

    /// The indices of devices, the strongest signal first. Equal signals are in the order of their identifiers.
    package func sorted(_ indices: [Int]) -> [Int] {
        // One number for each device, because the comparison of devices costs more.
        let keys = indices.map { index in
            let key = devices[index].key
            return (signal: devices[index].rssi ?? Int.min, peer: key.peer.high, set: key.set ?? 0xFF, index: index)
        }
        return keys.sorted { ($1.signal, $0.peer, $0.set) < ($0.signal, $1.peer, $1.set) }.map(\.index)
    }
}
