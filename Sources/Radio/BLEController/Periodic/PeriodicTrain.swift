import BLEWire

/// The periodic advertising of one set (Vol 6, Part B, 4.4.2.12): AUX_SYNC_IND in each event, with AUX_CHAIN_INDs for long data. A value that takes
/// events and returns actions.
///
/// What the host sets during an event takes effect with the next event.
struct PeriodicTrain {
    enum State: Hashable {
        case off
        /// Between two events.
        case resting
        /// AUX_SYNC_IND (fragment 0) or an AUX_CHAIN_IND is being sent.
        case sending(fragment: Int)
    }

    enum Action: Hashable {
        case nothing
        case send(fragment: Int, channel: UInt8)
        /// The event has ended.
        case rest
    }

    /// The host's parameters.
    struct Settings: Hashable {
        /// In units of 1.25 ms, 6 to 65535.
        var intervals: ClosedRange<UInt16>
        /// 0 to 15.
        var setID: UInt8
        var phy: LL.PHY
        /// In dBm; nil leaves the field out.
        var txPower: Int8?
        /// Whether AUX_SYNC_IND has the ADI field.
        var includesDataInfo = false
    }

    /// What the PDUs of one event hold.
    private struct Content {
        var data: [UInt8] = []
        var dataInfo: LL.AdvertisingDataInfo?
        /// The AD structures of ACAD.
        var controllerData: [UInt8] = []
        var layout = FragmentedData(count: 0, afterHeader: 0)
    }

    /// A change of the channel map that has been announced.
    private struct MapChange {
        var map: LL.ChannelMap
        var instant: UInt16
        /// A change of the host during this one.
        var next: LL.ChannelMap?
    }

    /// The events from the first announcement of a channel map to its use. At least six events announce it (Vol 6, Part B, 4.4.2.12).
    static let mapChangeLead: UInt16 = 10
    /// This controller's clock: 0 to 20 ppm (Vol 6, Part B, 2.3.4.6).
    static let sleepClockAccuracy: UInt8 = 7

    let accessAddress: UInt32
    /// 24 bits.
    let crcInit: UInt32
    private(set) var settings: Settings
    private(set) var state = State.off
    /// The counter of the current or the next event. It wraps.
    private(set) var event: UInt16 = 0
    /// The start of that event.
    private(set) var anchor = Instant.zero
    /// In units of 1.25 ms.
    private(set) var interval: UInt16
    private(set) var data = AdvertisingPayload.complete([])
    /// Changes with the data, 0 to 0xFFF (Vol 6, Part B, 4.4.2.11).
    private(set) var dataID: UInt16 = 0
    private var content = Content()
    private(set) var map: LL.ChannelMap
    private var mapChange: MapChange?

    init(_ settings: Settings, accessAddress: UInt32, crcInit: UInt32, map: LL.ChannelMap) {
        self.settings = settings
        self.accessAddress = accessAddress
        self.crcInit = crcInit & 0xFF_FFFF
        self.map = map
        interval = settings.intervals.lowerBound
    }

    var isOn: Bool { state != .off }
    var intervalSpan: TimeSpan { LL.slot * Int(interval) }
    /// The start of the next event; nil while the train is off.
    var due: Instant? {
        switch state {
        case .off: nil
        case .resting: anchor
        case .sending: anchor + intervalSpan
        }
    }

    // MARK: The host

    /// Takes a fragment of the data (Vol 4, Part E, 7.8.62).
    mutating func setData(_ operation: HCI.DataOperation, _ fragment: Span<UInt8>) throws(HCI.ErrorCode) {
        guard operation.rawValue <= HCI.DataOperation.unchanged.rawValue,
            operation == .complete || operation == .unchanged || !fragment.isEmpty
        else { throw .invalidHCICommandParameters }
        if operation == .unchanged {
            guard isOn, fragment.isEmpty, !data.octets.isEmpty else { throw .invalidHCICommandParameters }
        } else {
            // Fragments must not change data that is being sent.
            guard !isOn || operation == .complete else { throw .commandDisallowed }
            guard !isOn || fits(fragment.count, interval) else { throw .packetTooLong }
            try data.take(operation, fragment)
        }
        dataID = (dataID + 1) & 0x0FFF
    }

    /// Changes the parameters of a train that is off (Vol 4, Part E, 7.8.61).
    mutating func set(_ settings: Settings) throws(HCI.ErrorCode) {
        guard !isOn else { throw .commandDisallowed }
        self.settings = settings
    }

    /// Includes ADI or leaves it out, also in a train that is on.
    mutating func includeDataInfo(_ isIncluded: Bool) { settings.includesDataInfo = isIncluded }

    /// Starts the train with an event at `time`. The data must be complete and have room in the host's longest interval (Vol 4, Part E,
    /// 7.8.63).
    mutating func start(at time: Instant) throws(HCI.ErrorCode) {
        guard !isOn else { return }
        guard data.isComplete else { throw .commandDisallowed }
        let (shortest, longest) = (settings.intervals.lowerBound, settings.intervals.upperBound)
        guard fits(data.octets.count, longest) else { throw .packetTooLong }
        interval = fits(data.octets.count, shortest) ? shortest : longest
        anchor = time
        state = .resting
    }

    mutating func stop() { state = .off }

    /// Changes the used channels (Vol 6, Part B, 4.4.2.12): at once while the train is off, otherwise after an announcement.
    mutating func use(_ map: LL.ChannelMap) {
        guard isOn else {
            self.map = map
            mapChange = nil
            return
        }
        if mapChange != nil {
            mapChange?.next = map
        } else if map != self.map {
            // The PDUs of the current event are fixed.
            let first = state == .resting ? event : event &+ 1
            mapChange = MapChange(map: map, instant: first &+ Self.mapChangeLead)
        }
    }

    private func fits(_ count: Int, _ interval: UInt16) -> Bool {
        layout(count).duration(on: settings.phy) + LL.minimumAuxiliaryFrameSpace <= LL.slot * Int(interval)
    }

    // MARK: Events

    /// Starts the event that is due.
    mutating func begin() -> Action {
        guard state == .resting else { return .nothing }
        applyMapChange()
        var acad = AD.Builder(capacity: Self.controllerDataRoom)
        if let mapChange {
            try? acad.append(AD.ChannelMapUpdate(channelMap: mapChange.map, instant: mapChange.instant))
        }
        content = Content(
            data: data.octets, dataInfo: settings.includesDataInfo ? dataInfo : nil, controllerData: acad.bytes,
            layout: layout(data.octets.count))
        state = .sending(fragment: 0)
        return .send(fragment: 0, channel: channel(of: 0))
    }

    /// A PDU has been sent.
    mutating func sent() -> Action {
        guard case .sending(let fragment) = state else { return .nothing }
        guard !content.layout.isLast(fragment) else {
            end()
            return .rest
        }
        state = .sending(fragment: fragment + 1)
        return .send(fragment: fragment + 1, channel: channel(of: fragment + 1))
    }

    /// The radio was not free for the event, or was taken from it.
    mutating func miss() { if isOn { end() } }

    private mutating func end() {
        event &+= 1
        anchor += intervalSpan
        state = .resting
    }

    private mutating func applyMapChange() {
        guard let change = mapChange, Int16(bitPattern: event &- change.instant) >= 0 else { return }
        map = change.map
        mapChange = nil
        if let next = change.next { use(next) }
    }

    /// The channel map of a coming event.
    private func map(of event: UInt16) -> LL.ChannelMap {
        guard let change = mapChange, Int16(bitPattern: event &- change.instant) >= 0 else { return map }
        return change.map
    }

    /// The channel of a PDU of the current event (algorithm #2: Vol 6, Part B, 4.5.8.3). Those of AUX_CHAIN_IND are free.
    private func channel(of fragment: Int) -> UInt8 {
        var selection = ChannelSelection.second(accessAddress: accessAddress)
        return selection.channel(event: event &+ UInt16(truncatingIfNeeded: fragment << 8), map: map)
    }

    // MARK: PDUs

    private var dataInfo: LL.AdvertisingDataInfo {
        LL.AdvertisingDataInfo(dataID: dataID, setID: settings.setID)
    }

    /// ACAD has room for a channel map update.
    private static let controllerDataRoom = 9

    private func layout(_ count: Int) -> FragmentedData {
        // Flags, ADI, power and ACAD.
        let info = settings.includesDataInfo ? 2 : 0
        let header = 1 + info + (settings.txPower == nil ? 0 : 1) + Self.controllerDataRoom
        return FragmentedData(count: count, afterHeader: header, inChain: 1 + info)
    }

    /// Appends AUX_SYNC_IND (Vol 6, Part B, 2.3.1.7) or an AUX_CHAIN_IND of the current event.
    func appendPDU(_ fragment: Int, to pdu: inout [UInt8]) {
        let (octets, acad) = (content.data, fragment == 0 ? content.controllerData : [])
        let fields = LL.ExtendedAdvertisement(
            mode: .none, dataInfo: content.dataInfo, pointer: pointer(after: fragment),
            txPower: fragment == 0 ? settings.txPower : nil,
            controllerData: acad.span,
            data: octets.span.extracting(content.layout.range(of: fragment)))
        try? pdu.append(encoding: LL.AdvertisingPDU.extended(LL.AdvertisingHeader(type: .extended), fields))
    }

    private func pointer(after fragment: Int) -> LL.AuxiliaryPointer? {
        guard !content.layout.isLast(fragment) else { return nil }
        let airTime = settings.phy.airTime(pduLength: length(of: fragment))
        let time = airTime + LL.minimumAuxiliaryFrameSpace
        return LL.AuxiliaryPointer(
            channel: channel(of: fragment + 1), isClockAccurate: true,
            offset: UInt16(truncatingIfNeeded: time.nanoseconds / 30_000), usesLongUnits: false,
            phyCode: settings.phy.isCoded ? 2 : settings.phy == .twoM ? 1 : 0)
    }

    /// The length of a PDU with a pointer. The room for ACAD may be empty.
    private func length(of fragment: Int) -> Int {
        let unused = fragment == 0 ? Self.controllerDataRoom - content.controllerData.count : 0
        return content.layout.pduLength(fragment) - unused
    }

    // MARK: SyncInfo

    /// Where the next event is, for AUX_ADV_IND (Vol 6, Part B, 2.3.4.6); nil while the train is off.
    ///
    /// - Parameters:
    ///   - start: The start of the PDU with the field.
    ///   - end: Its end.
    func syncInfo(from start: Instant, to end: Instant) -> LL.SyncInfo? {
        guard var (event, time) = nextEvent else { return nil }
        while time < end + LL.minimumAuxiliaryFrameSpace {
            event &+= 1
            time += intervalSpan
        }
        let offset = SyncOffset(time - start)
        return LL.SyncInfo(
            offset: offset.units, usesLongUnits: offset.usesLongUnits, adjustsOffset: offset.isAdjusted,
            interval: interval, channelMap: map(of: event), sleepClockAccuracy: Self.sleepClockAccuracy,
            accessAddress: accessAddress, crcInit: crcInit, eventCounter: event)
    }

    /// The event after the current one, or the next one.
    var nextEvent: (event: UInt16, time: Instant)? {
        guard let due else { return nil }
        return (state == .resting ? event : event &+ 1, due)
    }
}

/// The time to AUX_SYNC_IND in the units of SyncInfo (Vol 6, Part B, 2.3.4.6). It is rounded down, so that the PDU starts within one unit after it.
struct SyncOffset: Hashable {
    /// 0 to 0x1FFF; 0 if the time is too long or too short.
    let units: UInt16
    let usesLongUnits: Bool
    /// Whether `adjustment` is added.
    let isAdjusted: Bool

    static let adjustment = TimeSpan.microseconds(2_457_600)

    init(_ time: TimeSpan) {
        let isAdjusted = time >= Self.adjustment
        usesLongUnits = time >= .microseconds(245_700)
        let rest = isAdjusted ? time - Self.adjustment : time
        let count = rest.nanoseconds / (usesLongUnits ? 300_000 : 30_000)
        let fits = (0...0x1FFF).contains(count)
        units = fits ? UInt16(count) : 0
        self.isAdjusted = isAdjusted && fits
    }
}

extension LL.SyncInfo {
    /// From the reference to the earliest start of AUX_SYNC_IND; nil if the field names none.
    var offsetSpan: TimeSpan? {
        guard offset > 0 || adjustsOffset else { return nil }
        return offsetUnit * Int(offset) + (adjustsOffset ? SyncOffset.adjustment : .zero)
    }

    /// AUX_SYNC_IND starts at most this long after `offsetSpan`.
    var offsetUnit: TimeSpan { .microseconds(usesLongUnits ? 300 : 30) }
}
