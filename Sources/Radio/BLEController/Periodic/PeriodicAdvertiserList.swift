import BLEWire

/// The Periodic Advertiser List: advertising sets with whose trains LE Periodic Advertising Create Sync may synchronize (Vol 6, Part B, 4.3.4).
struct PeriodicAdvertiserList {
    private struct Entry: Hashable {
        let address: DeviceAddress
        let setID: UInt8

        init(_ address: DeviceAddress, _ setID: UInt8) throws(HCI.ErrorCode) {
            guard address.kind.rawValue <= 1, setID <= 0x0F else { throw .invalidHCICommandParameters }
            (self.address, self.setID) = (address, setID)
        }
    }

    let capacity: UInt8
    private var entries: [Entry] = []

    init(capacity: UInt8) { self.capacity = capacity }

    /// Whether the list has the set, by the advertiser's identity or by the received address.
    func accepts(_ advertiser: PeerAddress, setID: UInt8) -> Bool {
        entries.contains { $0.setID == setID && advertiser.matches($0.address) }
    }

    /// The list has each set once (Vol 4, Part E, 7.8.70).
    mutating func add(_ address: DeviceAddress, setID: UInt8) throws(HCI.ErrorCode) {
        let entry = try Entry(address, setID)
        guard !entries.contains(entry) else { throw .invalidHCICommandParameters }
        guard entries.count < Int(capacity) else { throw .memoryCapacityExceeded }
        entries.append(entry)
    }

    /// Vol 4, Part E, 7.8.71.
    mutating func remove(_ address: DeviceAddress, setID: UInt8) throws(HCI.ErrorCode) {
        let entry = try Entry(address, setID)
        guard let index = entries.firstIndex(of: entry) else { throw .unknownAdvertisingIdentifier }
        entries.remove(at: index)
    }

    mutating func removeAll() { entries.removeAll() }
}

/// LE Periodic Advertising Create Sync before its train is found (Vol 4, Part E, 7.8.67).
struct PeriodicSyncRequest: Hashable {
    /// Nil for any set of the Periodic Advertiser List.
    let advertiser: DeviceAddress?
    let setID: UInt8
    let reception: PeriodicSync.Reception

    init(_ command: HCI.LEPeriodicAdvertisingCreateSync) throws(HCI.ErrorCode) {
        let usesList = command.options.contains(.usesList)
        guard command.options.rawValue <= 7, usesList || command.advertisingSID <= 0x0F,
            usesList || command.advertiserAddress.kind.rawValue <= 1
        else { throw .invalidHCICommandParameters }
        advertiser = usesList ? nil : command.advertiserAddress
        setID = command.advertisingSID
        var enable: HCI.PeriodicReceiveEnable = command.options.contains(.reportsAreOff) ? [] : .reports
        if command.options.contains(.filtersDuplicates) { enable.insert(.filtersDuplicates) }
        reception = try PeriodicSync.Reception(
            skip: command.skip, timeout: command.syncTimeout, excluded: command.excludedToneExtensions, enable: enable)
    }

    var usesList: Bool { advertiser == nil }

    /// Whether the host means this set.
    func accepts(_ advertiser: PeerAddress, setID: UInt8, _ list: PeriodicAdvertiserList) -> Bool {
        guard let wanted = self.advertiser else { return list.accepts(advertiser, setID: setID) }
        return setID == self.setID && advertiser.matches(wanted)
    }
}
