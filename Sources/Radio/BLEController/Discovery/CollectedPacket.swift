import BLEWire

/// A packet of extended advertising whose data the scanner collects: AUX_ADV_IND or AUX_SCAN_RSP with its AUX_CHAIN_INDs, or
/// ADV_EXT_IND alone.
struct CollectedPacket {
    var eventType: HCI.ExtendedAdvertisingEventType
    /// The address for the host; its kind is anonymous without an address.
    var reported: DeviceAddress
    /// The address in the PDU, if it has one.
    var onAir: DeviceAddress?
    /// The target for the host, if the packet is directed.
    var target: DeviceAddress?
    /// The set for the host.
    var dataInfo: LL.AdvertisingDataInfo?
    var txPower: Int8?
    var rssi: Int8
    /// In units of 1.25 ms; 0 without periodic advertising.
    var periodicInterval: UInt16 = 0
    /// The PHY of ADV_EXT_IND.
    var primaryPHY: LL.PHY
    /// Nil for ADV_EXT_IND alone.
    var secondaryPHY: LL.PHY?
    /// The ADI of the first PDU, which all PDUs of the chain repeat (Vol 6, Part B, 2.3.4.4).
    private var chainInfo: LL.AdvertisingDataInfo?
    private(set) var data: [UInt8] = []
    private var pduCount = 0

    /// The most PDUs of a chain that are followed. It exceeds what `LL.maximumExtendedAdvertisingData` needs in fragments of 26 octets,
    /// and ends chains without data.
    static let mostPDUs = 64

    /// What follows after a PDU.
    enum Continuation: Hashable {
        case complete
        case chain(LL.AuxiliaryPointer)
        /// More data than advertising may have, or more PDUs than are followed.
        case excessive
    }

    init(
        _ eventType: HCI.ExtendedAdvertisingEventType, from advertiser: PeerAddress?, target: DeviceAddress?,
        dataInfo: LL.AdvertisingDataInfo?, txPower: Int8?, rssi: Int8, primaryPHY: LL.PHY, secondaryPHY: LL.PHY?
    ) {
        self.eventType = eventType
        reported = advertiser?.reported ?? DeviceAddress(kind: .anonymous, value: 0)
        onAir = advertiser?.onAir
        self.target = target
        self.dataInfo = dataInfo
        self.txPower = txPower
        self.rssi = rssi
        self.primaryPHY = primaryPHY
        self.secondaryPHY = secondaryPHY
        if target != nil { self.eventType.insert(.directed) }
    }

    /// Takes the first PDU.
    mutating func begin(_ payload: LL.ExtendedAdvertisement) -> Continuation {
        chainInfo = payload.dataInfo
        periodicInterval = payload.syncInfo?.interval ?? 0
        return append(payload)
    }

    /// Whether an AUX_CHAIN_IND continues this packet, and not one of another advertiser or set, or with other data.
    func isContinued(by payload: LL.ExtendedAdvertisement, _ header: LL.AdvertisingHeader) -> Bool {
        guard payload.mode == .none, payload.dataInfo == chainInfo else { return false }
        guard let advertiser = payload.advertiser(header) else { return true }
        return advertiser == onAir
    }

    /// Takes the data of a PDU. Excessive data is not taken.
    mutating func append(_ payload: LL.ExtendedAdvertisement) -> Continuation {
        pduCount += 1
        guard data.count + payload.data.count <= LL.maximumExtendedAdvertisingData else { return .excessive }
        data.append(payload.data)
        if let txPower = payload.txPower { self.txPower = txPower }
        guard let pointer = payload.pointer else { return .complete }
        return pduCount < Self.mostPDUs ? .chain(pointer) : .excessive
    }

    // MARK: The duplicate filter

    func key(isTruncated: Bool) -> ReportedAdvertisers.SetKey {
        let isResponse = eventType.contains(.scanResponse)
        return ReportedAdvertisers.SetKey(
            reported, dataInfo,
            isTruncated
                ? isResponse ? .truncatedResponse : .truncatedAdvertisement
                : isResponse ? .scanResponse : .advertisement)
    }

    /// The key of the scan response to this packet.
    var responseKey: ReportedAdvertisers.SetKey { .init(reported, dataInfo, .scanResponse) }
}

extension LL.ExtendedAdvertisement {
    /// AdvA, with its type from the PDU's header.
    func advertiser(_ header: LL.AdvertisingHeader) -> DeviceAddress? {
        advertiser.map { header.transmitter($0) }
    }

    /// TargetA, with its type from the PDU's header.
    func target(_ header: LL.AdvertisingHeader) -> DeviceAddress? {
        target.map { header.receiver($0) }
    }
}
