import BLEWire

/// The reception of one train of periodic advertising (Vol 6, Part B, 4.4.3.4 and 4.4.5). A value that takes events and returns actions.
///
/// The owner listens as `window` says, and calls `received` or `missed` for each event.
struct PeriodicSync {
    enum State: Hashable {
        /// No PDU of the train has been received; this many events have been missed.
        case establishing(missed: Int)
        /// Waits for the next event.
        case waiting
        /// Waits for AUX_CHAIN_IND.
        case chained(Collection)
        /// The sync has failed or is lost.
        case ended
    }

    enum Action: Hashable {
        case establish
        /// The train could not be received.
        case fail(HCI.ErrorCode)
        /// The next PDU of the event is at a pointer's place.
        case follow(LL.AuxiliaryPointer)
        case report(Report)
        /// The packet of a subevent that the host wants was not received.
        case reportMissed(event: UInt16, subevent: UInt8)
        /// Nothing was received for the sync timeout.
        case lose
    }

    /// The events without a PDU after which the sync fails (Vol 6, Part B, 4.4.5).
    static let mostMissedAtFirst = 6

    /// The advertiser, with its address on the air.
    let advertiser: PeerAddress
    let setID: UInt8
    let train: Train
    /// The accuracy of this controller's clock.
    var ownAccuracy: HCI.ClockAccuracy
    private(set) var state = State.establishing(missed: 0)
    private(set) var reception: Reception
    /// The event for which the owner listens next. It wraps.
    private(set) var event: UInt16
    private var reference: Reference
    /// The last received PDU; at first the time at which the train was announced.
    private var lastHeard: Instant
    private var map: LL.ChannelMap
    private var mapChange: AD.ChannelMapUpdate?
    /// The ADI of the last complete report, for the filter of duplicates.
    private var reported: LL.AdvertisingDataInfo?
    /// Of a train with responses.
    private(set) var subevents: SyncSubevents?

    /// - Parameters:
    ///   - accuracy: Of this controller's clock.
    ///   - announced: The time at which the train was announced.
    ///   - now: Events before it are passed over.
    init(
        _ train: Train, of advertiser: PeerAddress, setID: UInt8, _ reception: Reception, map: LL.ChannelMap,
        at reference: Reference, accuracy: HCI.ClockAccuracy, announced: Instant, now: Instant
    ) {
        self.train = train
        ownAccuracy = accuracy
        self.advertiser = advertiser
        self.setID = setID
        self.reception = reception
        self.map = map
        self.reference = reference
        event = reference.event
        lastHeard = announced
        subevents = train.responses.map { _ in SyncSubevents() }
        // An announcement that is later than its event.
        let late = (now - reference.start).nanoseconds
        if late > 0 { event &+= UInt16(truncatingIfNeeded: late / train.intervalSpan.nanoseconds + 1) }
    }

    /// The train of AUX_ADV_IND (Vol 6, Part B, 4.4.3.4). Nil if the field names none that can be received.
    ///
    /// - Parameters:
    ///   - responses: What ACAD of that PDU says.
    ///   - start: The start of the PDU with the field.
    init?(
        _ sync: LL.SyncInfo, _ responses: AD.PeriodicResponseTiming? = nil, from start: Instant, on phy: LL.PHY,
        of advertiser: PeerAddress, setID: UInt8, _ reception: Reception, accuracy: HCI.ClockAccuracy = .ppm20,
        now: Instant
    ) {
        guard let offset = sync.offsetSpan(mayAdjust: false), let train = Train(sync, on: phy, responses) else {
            return nil
        }
        let reference = Reference(
            event: sync.eventCounter, start: start + offset, uncertainty: sync.offsetUnit,
            drift: Self.drift(over: offset, between: sync.sleepClockAccuracy, and: accuracy))
        self.init(
            train, of: advertiser, setID: setID, reception, map: sync.channelMap, at: reference, accuracy: accuracy,
            announced: start, now: now)
    }

    var hasEnded: Bool { state == .ended }
    var isEstablished: Bool {
        switch state {
        case .waiting, .chained: true
        case .establishing, .ended: false
        }
    }

    // MARK: Times

    /// The most that two clocks deviate over `time`, rounded up. The times of a train are at most 2^16 intervals of 82 s.
    ///
    /// - Parameter code: The field SCA of the other clock (Vol 6, Part B, 2.3.4.6).
    static func drift(over time: TimeSpan, between code: UInt8, and accuracy: HCI.ClockAccuracy) -> TimeSpan {
        let parts = Int64(HCI.ClockAccuracy(rawValue: code).partsPerMillion + accuracy.partsPerMillion)
        return TimeSpan(nanoseconds: (abs(time.nanoseconds) * parts + 999_999) / 1_000_000)
    }

    /// The window of `event` (window widening: Vol 6, Part B, 4.2.4).
    var window: Window {
        let current = subevents?.current ?? 0
        let span =
            train.intervalSpan * Int(event &- reference.event) + train.offset(of: current)
            - train.offset(of: reference.subevent)
        let drift = Self.drift(over: span, between: train.clockAccuracy, and: ownAccuracy)
        // Each event may be 16 µs early or late. A window is never wider than the time between two events or subevents.
        let distance = train.responses?.subeventSpan ?? train.intervalSpan
        let widening = min(
            reference.drift + drift + .microseconds(16),
            TimeSpan(nanoseconds: distance.nanoseconds / 2) - LL.interFrameSpace)
        let start = reference.start + span
        return Window(
            channel: channel(of: event, subevent: current), opens: start - widening,
            closes: start + reference.uncertainty + widening)
    }

    /// The channel of an event (algorithm #2: Vol 6, Part B, 4.5.8.3), or of a subevent and its response slots.
    func channel(of event: UInt16, subevent: UInt8) -> UInt8 {
        ChannelSelection.channel(
            accessAddress: train.accessAddress, event: event, subevent: subevent, map: map(of: event))
    }

    /// The channel map of the current or a coming event.
    private func map(of event: UInt16) -> LL.ChannelMap {
        guard let mapChange, Int16(bitPattern: event &- mapChange.instant) >= 0 else { return map }
        return mapChange.channelMap
    }

    /// The start of the event of the reference.
    private var eventStart: Instant { reference.start - train.offset(of: reference.subevent) }

    /// The start of an event near that of the reference.
    func start(of event: UInt16) -> Instant {
        eventStart + train.intervalSpan * Int(Int16(bitPattern: event &- reference.event))
    }

    /// The event at a time after the last received one, and the time since its start.
    func place(at now: Instant) -> (event: UInt16, elapsed: TimeSpan) {
        let elapsed = max(0, (now - eventStart).nanoseconds)
        let (events, rest) = elapsed.quotientAndRemainder(dividingBy: train.intervalSpan.nanoseconds)
        return (reference.event &+ UInt16(truncatingIfNeeded: events), TimeSpan(nanoseconds: rest))
    }

    /// The event of the last received packet, and its subevent if the train has responses.
    var heard: (event: UInt16, subevent: UInt8?) {
        (reference.event, train.responses == nil ? nil : reference.subevent)
    }

    /// The longest time from the last received event to the one that a transfer names, unless they are neighbours.
    static let longestGap = TimeSpan.seconds(5)

    /// The last received event, and the first one after `now` with its time and channel map. With an interval of more than `longestGap`, the
    /// event is the last received one itself.
    func position(at now: Instant) -> (lastEvent: UInt16, event: UInt16, time: Instant, map: LL.ChannelMap) {
        let elapsed = max(0, (now - eventStart).nanoseconds)
        let steps = train.intervalSpan > Self.longestGap ? 0 : elapsed / train.intervalSpan.nanoseconds + 1
        let next = reference.event &+ UInt16(truncatingIfNeeded: steps)
        return (reference.event, next, eventStart + train.intervalSpan * Int(steps), map(of: next))
    }

    /// The time at which the sync is lost if nothing is received; nil before it is established.
    var deadline: Instant? { isEstablished ? lastHeard + reception.timeout : nil }

    // MARK: Events

    /// AUX_SYNC_IND was received.
    mutating func received(_ pdu: LL.ExtendedAdvertisement, at start: Instant, rssi: Int8) -> [Action] {
        var actions: [Action] = []
        switch state {
        case .establishing:
            // A train with another Constant Tone Extension is not received (Vol 4, Part E, 7.8.67).
            guard !reception.excluded.excludes(pdu.toneExtension) else {
                state = .ended
                return [.fail(.unsupportedRemoteFeature)]
            }
            actions.append(.establish)
        case .waiting: break
        case .chained, .ended: return []
        }
        setReference(start)
        subevents?.received(in: event)
        lastHeard = start
        learnMap(pdu.controllerData)
        let collection = Collection(
            report: Report(txPower: pdu.txPower, rssi: rssi, toneExtension: pdu.toneExtension), dataInfo: pdu.dataInfo)
        guard isWanted(pdu.dataInfo) else {
            advance(wasHeard: true)
            return actions
        }
        return actions + append(pdu, to: collection, at: start)
    }

    /// AUX_SYNC_IND was received with an invalid CRC. It sets the anchor nevertheless.
    mutating func corrupted(at start: Instant) -> [Action] {
        switch state {
        case .establishing, .waiting: setReference(start)
        case .chained, .ended: break
        }
        return missed()
    }

    private mutating func setReference(_ start: Instant) {
        reference = Reference(
            event: event, start: start, uncertainty: .zero, drift: .zero, subevent: subevents?.current ?? 0)
    }

    /// AUX_ADV_IND of the train's set was received. A receiver that skips events may not have received the announcement of a channel map.
    mutating func refresh(_ sync: LL.SyncInfo) {
        guard sync.accessAddress == train.accessAddress, sync.interval == train.interval, mapChange == nil,
            sync.channelMap.count >= 2
        else { return }
        map = sync.channelMap
    }

    /// AUX_CHAIN_IND was received at the place of the last `follow`.
    mutating func receivedChain(_ pdu: LL.ExtendedAdvertisement, at start: Instant) -> [Action] {
        guard case .chained(var collection) = state else { return [] }
        guard pdu.mode == .none, pdu.dataInfo == collection.dataInfo else { return chainMissed() }
        collection.pduCount += 1
        return append(pdu, to: collection, at: start)
    }

    /// No AUX_CHAIN_IND was received, or the owner does not listen for it.
    mutating func chainMissed() -> [Action] {
        guard case .chained(var collection) = state else { return [] }
        collection.report.isTruncated = true
        return finish(collection)
    }

    /// No AUX_SYNC_IND was received in the window.
    mutating func missed() -> [Action] {
        switch state {
        case .establishing(let missed) where missed + 1 >= Self.mostMissedAtFirst:
            state = .ended
            return [.fail(.connectionFailedToBeEstablished)]
        case .establishing(let missed):
            state = .establishing(missed: missed + 1)
            event &+= 1
        case .waiting:
            let (event, subevent) = (event, subevents?.current)
            advance(wasHeard: false)
            guard let subevent, isReporting else { break }
            return [.reportMissed(event: event, subevent: subevent)]
        case .chained, .ended: break
        }
        return []
    }

    /// `deadline` may have come.
    mutating func timedOut(at now: Instant) -> [Action] {
        guard let deadline, now >= deadline else { return [] }
        state = .ended
        return [.lose]
    }

    private mutating func append(
        _ pdu: LL.ExtendedAdvertisement, to collection: Collection, at start: Instant
    ) -> [Action] {
        var collection = collection
        let room = LL.maximumExtendedAdvertisingData - collection.report.data.count
        guard pdu.data.count <= room else {
            collection.report.isTruncated = true
            return finish(collection)
        }
        collection.report.data.append(pdu.data)
        guard let pointer = pdu.pointer else { return finish(collection) }
        // A pointer that names no PDU says that the rest is not sent (Vol 6, Part B, 2.3.4.5).
        guard isUsable(pointer, from: start), collection.pduCount < CollectedPacket.mostPDUs else {
            collection.report.isTruncated = true
            return finish(collection)
        }
        state = .chained(collection)
        return [.follow(pointer)]
    }

    /// Whether a pointer names a PDU of the same event, which ends before the next one.
    private func isUsable(_ pointer: LL.AuxiliaryPointer, from start: Instant) -> Bool {
        // A subevent has no chain.
        guard train.responses == nil, pointer.channel < 37, let phy = pointer.phy, phy.hears(train.phy),
            pointer.span >= LL.minimumAuxiliaryFrameSpace
        else { return false }
        return start + pointer.span + LL.minimumAuxiliaryFrameSpace < reference.start + train.intervalSpan
    }

    private mutating func finish(_ collection: Collection) -> [Action] {
        if !collection.report.isTruncated { reported = collection.dataInfo }
        advance(wasHeard: true)
        // The host may have turned reports off during the chain.
        return reception.enable.contains(.reports) ? [.report(collection.report)] : []
    }

    /// Moves to the next event, past some more after a received one, so that six events remain before the sync timeout. While a change of the
    /// channel map is known, the receiver skips none. It may skip the whole announcement of one; `refresh` helps then.
    private mutating func advance(wasHeard: Bool) {
        state = .waiting
        guard subevents?.advance() != true else { return }
        var step = 1
        if wasHeard, mapChange == nil {
            let most = reception.timeout.nanoseconds / train.intervalSpan.nanoseconds - 1
            step += max(0, min(Int(reception.skip), Int(most) - Self.mostMissedAtFirst))
        }
        move(to: event &+ UInt16(truncatingIfNeeded: step))
    }

    private mutating func move(to next: UInt16) {
        event = next
        if let change = mapChange, Int16(bitPattern: event &- change.instant) >= 0 {
            map = change.channelMap
            mapChange = nil
        }
    }

    /// Follows subevents from an event on, or from the next one if none of them is ahead.
    mutating func follow(
        _ wanted: [UInt8], _ includesTxPower: Bool, from event: UInt16, where isAhead: (UInt8) -> Bool
    ) {
        let isInEvent = subevents?.choose(wanted, includesTxPower: includesTxPower, where: isAhead) ?? true
        move(to: isInEvent ? event : event &+ 1)
    }

    /// Queues a response for its slot.
    mutating func queue(_ response: SyncSubevents.Response) throws(HCI.ErrorCode) {
        try subevents?.add(response)
    }

    /// Removes the response whose time has come.
    mutating func takeResponse(at now: Instant) -> SyncSubevents.Response? { subevents?.takeResponse(at: now) }

    private mutating func learnMap(_ controllerData: Span<UInt8>) {
        var structures = AD.Structures(controllerData)
        while let structure = structures.next() {
            guard let change: AD.ChannelMapUpdate = structure.content(), change.channelMap.count >= 2,
                Int16(bitPattern: change.instant &- event) > 0
            else { continue }
            mapChange = change
        }
    }

    // MARK: Reports

    /// Turns reports and the filter of duplicates on or off (Vol 4, Part E, 7.8.88). The filter begins anew.
    mutating func enable(_ enable: HCI.PeriodicReceiveEnable) {
        reception.enable = enable
        reported = nil
    }

    /// Whether the host wants data. Of a train with responses it wants that of the subevents that it has chosen.
    private var isReporting: Bool { reception.enable.contains(.reports) && subevents?.isChosen ?? true }

    /// Whether the data of an event is reported. Without ADI, data is no duplicate.
    private func isWanted(_ info: LL.AdvertisingDataInfo?) -> Bool {
        guard isReporting else { return false }
        return !reception.enable.contains(.filtersDuplicates) || info == nil || info != reported
    }
}
