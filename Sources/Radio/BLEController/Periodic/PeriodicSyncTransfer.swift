import BLEWire

/// A link's events, as the fields of LL_PERIODIC_SYNC_IND count them (Vol 6, Part B, 5.1.13).
struct TransferLink: Hashable {
    /// The counter of a connection event in which a PDU was received.
    let event: UInt16
    /// The anchor of that event.
    let anchor: Instant
    /// In units of 1.25 ms, 6 to 3200.
    let interval: UInt16

    var intervalSpan: TimeSpan { LL.slot * Int(max(1, interval)) }

    /// The last event whose anchor is before `time`, which is at most a train's interval away: 81.92 s, fewer than 2^14 events.
    fileprivate func lastEvent(before time: Instant) -> (event: UInt16, anchor: Instant) {
        let (distance, span) = ((time - anchor).nanoseconds, intervalSpan.nanoseconds)
        let count = distance >= 0 ? distance / span : (distance - span + 1) / span
        return (event &+ UInt16(truncatingIfNeeded: count), anchor + intervalSpan * Int(count))
    }

    /// The anchor of an event before or after the current one.
    fileprivate func anchor(of event: UInt16) -> Instant {
        anchor + intervalSpan * Int(Int16(bitPattern: event &- self.event))
    }
}

/// The knowledge of a train that a device passes to the peer of a link (Vol 6, Part B, 5.1.13).
struct PeriodicSyncTransfer: Hashable {
    /// The address on the air.
    let advertiser: DeviceAddress
    let setID: UInt8
    let train: PeriodicSync.Train
    let map: LL.ChannelMap
    /// The last event that this device received or sent.
    let lastEvent: UInt16
    /// A later event and its time.
    let event: UInt16
    let time: Instant

    /// Of a train that this controller sends; nil while it does not run.
    init?(_ train: PeriodicTrain, of advertiser: DeviceAddress) {
        guard let next = train.nextEvent else { return nil }
        self.advertiser = advertiser
        setID = train.carrier.setID
        self.train = PeriodicSync.Train(train)
        map = train.nextMap
        lastEvent = next.event &- 1
        (event, time) = next
    }

    /// Of a train that this controller receives.
    init(_ sync: PeriodicSync, at now: Instant) {
        advertiser = sync.advertiser.onAir
        setID = sync.setID
        train = sync.train
        (lastEvent, event, time, map) = sync.position(at: now)
    }

    /// The PDU for the peer.
    ///
    /// - Parameters:
    ///   - identifier: The value of the host for the peer's host.
    ///   - accuracy: Of this controller's clock.
    func pdu(
        _ identifier: UInt16, on link: TransferLink, accuracy: HCI.ClockAccuracy = .ppm20
    ) -> LL.PeriodicSyncInd {
        var (event, time) = (event, time)
        // The event that is at least one unit of the offset before AUX_SYNC_IND: an offset of 0 names none.
        var (connectionEvent, anchor) = link.lastEvent(before: time - .microseconds(30))
        var offset = SyncOffset(time - anchor, mayAdjust: true)
        if offset.units == 0 {
            // An adjusted offset of 0 would be taken for none. The next periodic event has another one, unless the intervals agree.
            event &+= 1
            time += train.intervalSpan
            (connectionEvent, anchor) = link.lastEvent(before: time - .microseconds(30))
            offset = SyncOffset(time - anchor, mayAdjust: true)
        }
        return LL.PeriodicSyncInd(
            identifier: identifier,
            syncInfo: LL.SyncInfo(
                offset: offset.units, usesLongUnits: offset.usesLongUnits, adjustsOffset: offset.isAdjusted,
                interval: train.interval, channelMap: map, sleepClockAccuracy: train.clockAccuracy,
                accessAddress: train.accessAddress, crcInit: train.crcInit, eventCounter: event),
            connectionEvent: connectionEvent, lastPeriodicEvent: lastEvent,
            advertiserInfo: LL.PeriodicAdvertiserInfo(
                setID: setID, isRandom: advertiser.kind == .random,
                sleepClockAccuracy: accuracy.rawValue),
            phy: train.phySet, advertiser: advertiser.value, syncConnectionEvent: link.event)
    }
}

/// LL_PERIODIC_SYNC_IND, or LL_PERIODIC_SYNC_WR_IND of a train with responses (Vol 6, Part B, 2.4.2.27 and 2.4.2.43).
struct TrainIndication: Hashable {
    var sync: LL.PeriodicSyncInd
    var responses: AD.PeriodicResponseTiming?

    init(_ sync: LL.PeriodicSyncInd, _ responses: AD.PeriodicResponseTiming? = nil) {
        self.sync = sync
        self.responses = responses
    }

    init(_ indication: LL.PeriodicSyncWRInd) {
        sync = LL.PeriodicSyncInd(
            identifier: indication.identifier, syncInfo: indication.syncInfo,
            connectionEvent: indication.connectionEvent, lastPeriodicEvent: indication.lastPeriodicEvent,
            advertiserInfo: indication.advertiserInfo, phy: indication.phy, advertiser: indication.advertiser,
            syncConnectionEvent: indication.syncConnectionEvent)
        responses = AD.PeriodicResponseTiming(
            responseAccessAddress: indication.responseAccessAddress, subeventCount: indication.subeventCount,
            subeventInterval: indication.subeventInterval, responseSlotDelay: indication.responseSlotDelay,
            responseSlotSpacing: indication.responseSlotSpacing)
    }

    /// Nil for a train without responses.
    var withResponses: LL.PeriodicSyncWRInd? {
        responses.map { timing in
            LL.PeriodicSyncWRInd(
                identifier: sync.identifier, syncInfo: sync.syncInfo, connectionEvent: sync.connectionEvent,
                lastPeriodicEvent: sync.lastPeriodicEvent, advertiserInfo: sync.advertiserInfo, phy: sync.phy,
                advertiser: sync.advertiser, syncConnectionEvent: sync.syncConnectionEvent,
                responseAccessAddress: timing.responseAccessAddress, subeventCount: timing.subeventCount,
                subeventInterval: timing.subeventInterval, responseSlotDelay: timing.responseSlotDelay,
                responseSlotSpacing: timing.responseSlotSpacing)
        }
    }
}

extension LL.PeriodicSyncInd {
    /// AdvA with its type.
    var advertiserAddress: DeviceAddress {
        DeviceAddress(kind: advertiserInfo.isRandom ? .random : .public, value: advertiser)
    }
}

extension PeriodicSync {
    /// The train that a peer tells (Vol 6, Part B, 5.1.13). Nil if the fields name none that can be received, or times that no device names.
    ///
    /// - Parameters:
    ///   - responses: The response timing that a peer tells with it.
    ///   - advertiser: The advertiser, identified by the host's resolving list.
    ///   - supported: The controller's PHYs.
    ///   - accuracy: Of this controller's clock.
    ///   - expectsDrift: Whether a clock of the medium is not exact.
    init?(
        _ transfer: LL.PeriodicSyncInd, _ responses: AD.PeriodicResponseTiming? = nil, on link: TransferLink,
        of advertiser: PeerAddress, supported: LL.PHYSet, _ reception: Reception,
        accuracy: HCI.ClockAccuracy = .ppm20, expectsDrift: Bool = false, now: Instant
    ) {
        let sync = transfer.syncInfo
        guard supported.contains(transfer.phy), let phy = LL.PHY(transfer.phy),
            let offset = sync.offsetSpan(mayAdjust: true), let train = Train(sync, on: phy, responses)
        else { return nil }
        let start = link.anchor(of: transfer.connectionEvent) + offset
        // The sender counted the time since it last heard the advertiser by its own clock.
        let unheard = train.intervalSpan * Self.distance(sync.eventCounter, transfer.lastPeriodicEvent)
        let unsent = link.intervalSpan * Self.distance(link.event, transfer.syncConnectionEvent)
        guard Self.distance(transfer.connectionEvent, link.event) < 0x4000,
            unheard <= max(Self.longestGap, train.intervalSpan), unsent <= Self.longestWait,
            start <= now + max(Self.longestGap, train.intervalSpan),
            now <= start + train.intervalSpan * 0x7FFF
        else { return nil }
        let sender = transfer.advertiserInfo.sleepClockAccuracy
        var drift =
            Self.drift(over: unheard, between: sync.sleepClockAccuracy, and: HCI.ClockAccuracy(rawValue: sender))
            + Self.drift(over: unsent, between: sender, and: accuracy)
        if expectsDrift {
            // The sender measured the time from the anchor point to the event by its clock, and this device measures it again.
            drift = drift + Self.drift(over: start - link.anchor, between: sender, and: accuracy)
        }
        let reference = Reference(
            event: sync.eventCounter, start: start, uncertainty: sync.offsetUnit, drift: drift)
        self.init(
            train, of: advertiser, setID: transfer.advertiserInfo.setID, reception, map: sync.channelMap,
            at: reference, accuracy: accuracy, announced: now, now: now)
    }

    /// The longest time for which a PDU waits, with its retransmissions: the procedure response timeout (Vol 6, Part B, 5.2) is longer than any
    /// supervision timeout.
    private static let longestWait = TimeSpan.seconds(40)

    /// The number of events between two, whose counters wrap.
    private static func distance(_ one: UInt16, _ other: UInt16) -> Int {
        Int(Int16(bitPattern: one &- other).magnitude)
    }
}
