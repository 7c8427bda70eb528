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
        // An announcement that is later than its event.
        let late = (now - reference.start).nanoseconds
        if late > 0 { event &+= UInt16(truncatingIfNeeded: late / train.intervalSpan.nanoseconds + 1) }
    }

    /// The train of AUX_ADV_IND (Vol 6, Part B, 4.4.3.4). Nil if the field names none that can be received.
    ///
    /// - Parameter start: The start of the PDU with the field.
    init?(
        _ sync: LL.SyncInfo, from start: Instant, on phy: LL.PHY, of advertiser: PeerAddress, setID: UInt8,
        _ reception: Reception, accuracy: HCI.ClockAccuracy = .ppm20, now: Instant
    ) {
        guard let offset = sync.offsetSpan(mayAdjust: false), let train = Train(sync, on: phy) else { return nil }
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
        let span = train.intervalSpan * Int(event &- reference.event)
        let drift = Self.drift(over: span, between: train.clockAccuracy, and: ownAccuracy)
        // Each event may be 16 µs early or late. A window is never wider than the time between two events.
        let widening = min(
            reference.drift + drift + .microseconds(16),
            TimeSpan(nanoseconds: train.intervalSpan.nanoseconds / 2) - LL.interFrameSpace)
        let start = reference.start + span
        return Window(
            channel: channel, opens: start - widening, closes: start + reference.uncertainty + widening)
    }

    /// The channel of `event` (algorithm #2: Vol 6, Part B, 4.5.8.3).
    private var channel: UInt8 {
        var selection = ChannelSelection.second(accessAddress: train.accessAddress)
        return selection.channel(event: event, map: map)
    }

    /// The longest time from the last received event to the one that a transfer names, unless they are neighbours.
    static let longestGap = TimeSpan.seconds(5)

    /// The last received event, and the first one after `now` with its time and channel map. With an interval of more than `longestGap`, the
    /// event is the last received one itself.
    func position(at now: Instant) -> (lastEvent: UInt16, event: UInt16, time: Instant, map: LL.ChannelMap) {
        let elapsed = max(0, (now - reference.start).nanoseconds)
        let steps = train.intervalSpan > Self.longestGap ? 0 : elapsed / train.intervalSpan.nanoseconds + 1
        let next = reference.event &+ UInt16(truncatingIfNeeded: steps)
        let change = mapChange.flatMap { Int16(bitPattern: next &- $0.instant) >= 0 ? $0.channelMap : nil }
        return (reference.event, next, reference.start + train.intervalSpan * Int(steps), change ?? map)
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
        reference = Reference(event: event, start: start, uncertainty: .zero, drift: .zero)
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
        case .establishing, .waiting:
            reference = Reference(event: event, start: start, uncertainty: .zero, drift: .zero)
        case .chained, .ended: break
        }
        return missed()
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
        case .waiting: advance(wasHeard: false)
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
        guard pointer.channel < 37, let phy = pointer.phy, phy.hears(train.phy),
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
        var step = 1
        if wasHeard, mapChange == nil {
            let most = reception.timeout.nanoseconds / train.intervalSpan.nanoseconds - 1
            step += max(0, min(Int(reception.skip), Int(most) - Self.mostMissedAtFirst))
        }
        event &+= UInt16(truncatingIfNeeded: step)
        if let change = mapChange, Int16(bitPattern: event &- change.instant) >= 0 {
            map = change.channelMap
            mapChange = nil
        }
    }

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

    /// Whether the data of an event is reported. Without ADI, data is no duplicate.
    private func isWanted(_ info: LL.AdvertisingDataInfo?) -> Bool {
        guard reception.enable.contains(.reports) else { return false }
        return !reception.enable.contains(.filtersDuplicates) || info == nil || info != reported
    }
}
