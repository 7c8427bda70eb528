import BLEWire

/// What a scan has reported, for the filter of duplicates (Vol 4, Part E, 7.8.11 and 7.8.65).
struct ReportedAdvertisers {
    /// A packet of extended advertising: its address, its set, and what it was.
    struct SetKey: Hashable {
        enum Kind: UInt64 { case advertisement = 0, scanResponse, truncatedAdvertisement, truncatedResponse }

        fileprivate let rawValue: UInt64
        /// The data of the set; nil without ADI.
        fileprivate let dataID: UInt16?

        init(_ address: DeviceAddress, _ info: LL.AdvertisingDataInfo?, _ kind: Kind) {
            // The kinds of addresses have four values and one for anonymous packets.
            let addressKind = UInt64(min(address.kind.rawValue, 7))
            rawValue = address.value | addressKind << 48 | UInt64(info?.setID ?? 0x1F) << 51 | kind.rawValue << 56
            dataID = info?.dataID
        }
    }

    /// The number of legacy packets, and of packets of sets, that are remembered.
    static let limit = 32_768

    private var packets: Set<UInt64> = []
    /// The data that was reported last of each set.
    private var sets: [UInt64: UInt16?] = [:]

    mutating func removeAll() {
        packets.removeAll()
        sets.removeAll()
    }

    /// Remembers a legacy packet. Returns whether it is new. A full list is cleared, which bounds the memory.
    mutating func insert(_ type: HCI.AdvertisingEventType, from address: DeviceAddress) -> Bool {
        let key = address.key | UInt64(type.rawValue) << 56
        if packets.contains(key) { return false }
        if packets.count >= Self.limit { packets.removeAll(keepingCapacity: true) }
        packets.insert(key)
        return true
    }

    func contains(_ key: SetKey) -> Bool {
        guard let dataID = sets[key.rawValue] else { return false }
        return dataID == key.dataID
    }

    /// Remembers a packet of a set. Returns whether it or its data is new.
    mutating func insert(_ key: SetKey) -> Bool {
        if contains(key) { return false }
        if sets.count >= Self.limit { sets.removeAll(keepingCapacity: true) }
        sets.updateValue(key.dataID, forKey: key.rawValue)
        return true
    }
}
