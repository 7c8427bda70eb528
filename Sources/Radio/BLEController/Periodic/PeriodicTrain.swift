import BLEWire

/// The periodic advertising of one set (Vol 6, Part B, 4.4.2.12): AUX_SYNC_IND in each event, with AUX_CHAIN_INDs for long data, or subevents with
/// AUX_SYNC_SUBEVENT_IND and response slots. A value that takes events and returns actions.
///
/// What the host sets during an event takes effect with the next event.
struct PeriodicTrain {
    enum State: Hashable {
        case off
        /// The host wants the train, which begins with the set's advertising (Vol 4, Part E, 7.8.63).
        case armed
        /// Between two events.
        case resting
        /// AUX_SYNC_IND (fragment 0) or an AUX_CHAIN_IND is being sent.
        case sending(fragment: Int)
        /// AUX_SYNC_SUBEVENT_IND has been sent, and receivers may respond.
        case listening
    }

    enum Action: Hashable {
        case nothing
        case send(fragment: Int, channel: UInt8)
        /// Receives the responses of the subevent.
        case listen
        /// The event or the subevent has ended.
        case rest
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

    /// The events from the first announcement of a channel map to its use. At least six events announce it (Vol 6, Part B, 4.4.2.12), and more serve
    /// receivers that skip events.
    static let mapChangeLead: UInt16 = 20

    /// Another one with each start, so that no receiver takes the new train for the old one.
    private(set) var accessAddress: UInt32 = 0
    /// 24 bits.
    private(set) var crcInit: UInt32 = 0
    private(set) var settings: Settings
    private(set) var carrier: Carrier
    /// What the advertiser announces of its sleep clock.
    var clockAccuracy = HCI.ClockAccuracy.ppm20
    /// Whether AUX_SYNC_IND has the ADI field.
    private var includesDataInfo = false
    private(set) var state = State.off
    /// The counter of the current or the next event. It wraps.
    private(set) var event: UInt16 = 0
    /// The start of that event.
    private(set) var anchor = Instant.zero
    /// In units of 1.25 ms.
    private(set) var interval: UInt16
    private(set) var data = AdvertisingPayload.complete([])
    /// Changes with the data, 0 to 0xFFF (Vol 6, Part B, 4.4.2.11).
    private(set) var dataID: UInt16
    /// The events in a row that were not sent, because the radio was busy.
    private(set) var missed = 0
    private var content = Content()
    private(set) var map: LL.ChannelMap
    private var mapChange: MapChange?
    /// Of a train with responses after its start.
    var subevents: TrainSubevents?

    init(_ settings: Settings, _ carrier: Carrier, map: LL.ChannelMap, dataID: UInt16 = 0) {
        self.settings = settings
        self.carrier = carrier
        self.map = map
        self.dataID = dataID & 0x0FFF
        interval = settings.intervals.lowerBound
    }

    /// Whether the host has turned the train on.
    var isOn: Bool { state != .off }
    var isArmed: Bool { state == .armed }
    /// Whether the train is on the air.
    var isRunning: Bool { due != nil }
    var intervalSpan: TimeSpan { LL.slot * Int(interval) }
    /// The start of the next event; nil while the train does not run.
    var due: Instant? {
        switch state {
        case .off, .armed: nil
        case .resting: eventStart
        case .sending, .listening: anchor + (subevents?.nextOffset ?? intervalSpan)
        }
    }
    /// The start of the current or the next event or subevent.
    var eventStart: Instant { anchor + (subevents?.offset ?? .zero) }

    // MARK: The host

    /// Takes a fragment of the data. Data that is too long for the interval is discarded (Vol 4, Part E, 7.8.62).
    mutating func setData(_ operation: HCI.DataOperation, _ fragment: Span<UInt8>) throws(HCI.ErrorCode) {
        guard operation.rawValue <= HCI.DataOperation.unchanged.rawValue,
            operation == .complete || operation == .unchanged || !fragment.isEmpty
        else { throw .invalidHCICommandParameters }
        if operation == .unchanged {
            guard isOn, fragment.isEmpty, !data.octets.isEmpty else { throw .invalidHCICommandParameters }
        } else {
            // Fragments must not change data that is being sent.
            guard !isOn || operation == .complete else { throw .commandDisallowed }
            try data.take(operation, fragment)
        }
        dataID = (dataID + 1) & 0x0FFF
        guard data.isComplete, !fits(isRunning ? interval : settings.intervals.upperBound) else { return }
        data = .complete([])
        throw .packetTooLong
    }

    /// Changes the parameters of a train that is off. The data that it has must fit (Vol 4, Part E, 7.8.61).
    mutating func set(_ settings: Settings) throws(HCI.ErrorCode) {
        guard !isOn else { throw .commandDisallowed }
        let before = self.settings
        self.settings = settings
        guard !data.isComplete || fits(settings.intervals.upperBound) else {
            self.settings = before
            throw .packetTooLong
        }
    }

    /// The set has other parameters. The PHY of a train that is on does not change.
    mutating func use(_ carrier: Carrier) { self.carrier = carrier }

    /// Turns the train on. The data must be complete and have room in the host's longest interval. Of a train that is on, only ADI changes (Vol
    /// 4, Part E, 7.8.63).
    mutating func enable(includesDataInfo: Bool = false) throws(HCI.ErrorCode) {
        guard data.isComplete else { throw .commandDisallowed }
        let before = self.includesDataInfo
        self.includesDataInfo = includesDataInfo
        guard fits(isRunning ? interval : settings.intervals.upperBound) else {
            self.includesDataInfo = before
            throw .packetTooLong
        }
        if !isOn { state = .armed }
    }

    /// Starts a train that is turned on with an event at `time`.
    ///
    /// - Parameter responseAccessAddress: Of the responses, if the train has them.
    mutating func start(
        at time: Instant, accessAddress: UInt32, crcInit: UInt32, responseAccessAddress: UInt32 = 0
    ) {
        guard isArmed else { return }
        let shortest = settings.intervals.lowerBound
        subevents = settings.subevents.map {
            TrainSubevents($0, responseAccessAddress: responseAccessAddress)
        }
        interval = subevents != nil || fits(shortest) ? shortest : settings.intervals.upperBound
        self.accessAddress = accessAddress
        self.crcInit = crcInit & 0xFF_FFFF
        (event, missed, anchor) = (0, 0, time)
        // No receiver knows the map of the train before.
        if let mapChange { map = mapChange.next ?? mapChange.map }
        mapChange = nil
        state = .resting
    }

    mutating func stop() {
        state = .off
        subevents = nil
    }

    /// Changes the used channels (Vol 6, Part B, 4.4.2.12): at once while the train does not run, otherwise after an announcement.
    mutating func use(_ map: LL.ChannelMap) {
        guard isRunning else {
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

    /// Whether the data has room in an interval.
    private func fits(_ interval: UInt16) -> Bool {
        layout(data.octets.count).duration(on: carrier.assumedPHY) + LL.minimumAuxiliaryFrameSpace
            <= LL.slot * Int(interval)
    }

    // MARK: Events

    /// From the start of the next event or subevent to its end, with the present data.
    var eventLength: TimeSpan {
        subevents?.length(acad: controllerData.count, hasTxPower: settings.txPower != nil, on: carrier.phy)
            ?? layout(data.octets.count).duration(on: carrier.phy)
    }

    /// Starts the event that is due.
    ///
    /// - Parameter room: The time that it may have; nil without a limit. Data beyond it is not sent in this event.
    /// - Returns: `.nothing` if there is no time for AUX_SYNC_IND without data.
    mutating func begin(room: TimeSpan? = nil) -> Action {
        guard state == .resting else { return .nothing }
        if subevents != nil { return beginSubevent(room: room) }
        var layout = layout(data.octets.count)
        if let room {
            guard let shorter = layout.fitting(into: room, on: carrier.phy) else { return .nothing }
            layout = shorter
        }
        applyMapChange()
        let acad = controllerData
        layout.unused = Self.controllerDataRoom - acad.count
        content = Content(
            data: data.octets, dataInfo: includesDataInfo ? dataInfo : nil, controllerData: acad, layout: layout)
        state = .sending(fragment: 0)
        return .send(fragment: 0, channel: channel(of: 0))
    }

    private mutating func beginSubevent(room: TimeSpan?) -> Action {
        applyMapChange()
        let (acad, hasTxPower) = (controllerData, settings.txPower != nil)
        guard subevents?.begin(acad: acad, hasTxPower: hasTxPower, room: room, on: carrier.phy) == true else {
            return .nothing
        }
        state = .sending(fragment: 0)
        return .send(fragment: 0, channel: channel(of: 0))
    }

    /// ACAD of the current event.
    private var controllerData: [UInt8] {
        var acad = AD.Builder(capacity: Self.controllerDataRoom)
        if let mapChange {
            try? acad.append(AD.ChannelMapUpdate(channelMap: mapChange.map, instant: mapChange.instant))
        }
        return acad.bytes
    }

    /// A PDU has been sent.
    mutating func sent() -> Action {
        guard case .sending(let fragment) = state else { return .nothing }
        if subevents?.indicationSent() == true {
            state = .listening
            return .listen
        }
        guard subevents == nil, !content.layout.isLast(fragment) else {
            end()
            missed = 0
            return .rest
        }
        state = .sending(fragment: fragment + 1)
        return .send(fragment: fragment + 1, channel: channel(of: fragment + 1))
    }

    /// The response slots are over.
    mutating func responsesEnded() {
        guard state == .listening else { return }
        end()
        missed = 0
    }

    /// The radio was not free for the event, or was taken from it.
    mutating func miss() {
        guard isRunning else { return }
        end()
        missed += 1
    }

    private mutating func end() {
        state = .resting
        // An event ends with its last subevent.
        guard subevents?.end() ?? true else { return }
        event &+= 1
        anchor += intervalSpan
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
    func channel(of fragment: Int) -> UInt8 {
        if let subevents {
            return ChannelSelection.channel(
                accessAddress: accessAddress, event: event, subevent: subevents.current, map: map)
        }
        var selection = ChannelSelection.second(accessAddress: accessAddress)
        return selection.channel(event: event &+ UInt16(truncatingIfNeeded: fragment << 8), map: map)
    }

    // MARK: PDUs

    private var dataInfo: LL.AdvertisingDataInfo {
        LL.AdvertisingDataInfo(dataID: dataID, setID: carrier.setID)
    }

    /// ACAD has room for a channel map update.
    private static let controllerDataRoom = 9

    private func layout(_ count: Int) -> FragmentedData {
        // Flags, ADI, power and ACAD.
        let info = includesDataInfo ? 2 : 0
        let header = 1 + info + (settings.txPower == nil ? 0 : 1) + Self.controllerDataRoom
        return FragmentedData(count: count, afterHeader: header, inChain: 1 + info)
    }

    /// Appends AUX_SYNC_IND (Vol 6, Part B, 2.3.1.7) or an AUX_CHAIN_IND of the current event.
    func appendPDU(_ fragment: Int, to pdu: inout [UInt8]) {
        if let subevents { return subevents.appendPDU(txPower: settings.txPower, to: &pdu) }
        let (octets, acad) = (content.data, fragment == 0 ? content.controllerData : [])
        let fields = LL.ExtendedAdvertisement(
            mode: .none, dataInfo: content.dataInfo, pointer: pointer(after: fragment),
            txPower: fragment == 0 ? settings.txPower : nil,
            controllerData: acad.span,
            data: octets.span.extracting(content.layout.range(of: fragment)))
        try? pdu.append(encoding: LL.AdvertisingPDU.extended(LL.AdvertisingHeader(type: .extended), fields))
    }

    private func pointer(after fragment: Int) -> LL.AuxiliaryPointer? {
        let isLast = content.layout.isLast(fragment)
        guard !isLast || content.layout.isCut else { return nil }
        // An offset of zero says that the chain ends before the data (Vol 6, Part B, 2.3.4.5).
        let time = isLast ? .zero : content.layout.step(after: fragment, on: carrier.phy)
        return LL.AuxiliaryPointer(
            channel: channel(of: fragment + 1), isClockAccurate: clockAccuracy.isWithin50, after: time, on: carrier.phy)
    }

    /// From the end of the PDU before a fragment, which is not the first, to its start.
    func space(before fragment: Int) -> TimeSpan { content.layout.space(before: fragment, on: carrier.phy) }

    // MARK: SyncInfo

    /// Where the next event is, for AUX_ADV_IND (Vol 6, Part B, 2.3.4.6). The offset is 0 if the event is too far away, or if the train does not run
    /// any more.
    ///
    /// - Parameters:
    ///   - start: The start of the PDU with the field.
    ///   - end: Its end.
    func syncInfo(from start: Instant, to end: Instant) -> LL.SyncInfo {
        var (event, time) = nextEvent ?? (event, start)
        while isRunning, time < end + LL.minimumAuxiliaryFrameSpace {
            event &+= 1
            time += intervalSpan
        }
        let offset = SyncOffset(time - start, mayAdjust: false)
        return LL.SyncInfo(
            offset: offset.units, usesLongUnits: offset.usesLongUnits, adjustsOffset: offset.isAdjusted,
            interval: interval, channelMap: map(of: event), sleepClockAccuracy: clockAccuracy.rawValue,
            accessAddress: accessAddress, crcInit: crcInit, eventCounter: event)
    }

    /// The event after the current one, or the next one; nil while the train does not run.
    var nextEvent: (event: UInt16, time: Instant)? {
        guard isRunning else { return nil }
        // SyncInfo names the first subevent of an event.
        let isAhead = state == .resting && subevents?.current ?? 0 == 0
        return isAhead ? (event, anchor) : (event &+ 1, anchor + intervalSpan)
    }

    /// The channel map of `nextEvent`.
    var nextMap: LL.ChannelMap { map(of: nextEvent?.event ?? event) }
}
