import BLEWire

/// A link's events, as the fields of LL_PERIODIC_SYNC_IND count them (Vol 6, Part B, 5.1.13).
struct TransferLink: Hashable {
    /// The counter of the current or the last connection event.
    let event: UInt16
    /// The anchor of that event.
    let anchor: Instant
    /// In units of 1.25 ms, 6 to 3200.
    let interval: UInt16

    var intervalSpan: TimeSpan { LL.slot * Int(max(1, interval)) }

    /// The last event whose anchor is before `time`. It is not more than 2^14 events away, because a train's interval is at most 81.92 s.
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
    let advertiser: DeviceAddress
    let setID: UInt8
    let train: PeriodicSync.Train
    let map: LL.ChannelMap
    /// The last event that this device received or sent.
    let lastEvent: UInt16
    /// A later event and its time.
    let event: UInt16
    let time: Instant

    /// Of a train that this controller sends; nil while it is off.
    init?(_ train: PeriodicTrain, of advertiser: DeviceAddress) {
        guard let next = train.nextEvent,
            let sync = train.syncInfo(from: next.time - train.intervalSpan, to: next.time - train.intervalSpan),
            let fixed = PeriodicSync.Train(sync, on: train.settings.phy)
        else { return nil }
        self.advertiser = advertiser
        setID = train.settings.setID
        self.train = fixed
        map = sync.channelMap
        lastEvent = next.event &- 1
        (event, time) = next
    }

    /// Of a train that this controller receives.
    init(_ sync: PeriodicSync, advertiser: DeviceAddress) {
        self.advertiser = advertiser
        setID = sync.setID
        train = sync.train
        (lastEvent, event, time, map) = sync.position
    }

    /// The PDU for the peer.
    ///
    /// - Parameter identifier: The value of the host for the peer's host.
    func pdu(_ identifier: UInt16, on link: TransferLink) -> LL.PeriodicSyncInd {
        // The event that is at least one unit of the offset before AUX_SYNC_IND: an offset of 0 names none.
        let (connectionEvent, anchor) = link.lastEvent(before: time - .microseconds(30))
        let offset = SyncOffset(time - anchor)
        return LL.PeriodicSyncInd(
            identifier: identifier,
            syncInfo: LL.SyncInfo(
                offset: offset.units, usesLongUnits: offset.usesLongUnits, adjustsOffset: offset.isAdjusted,
                interval: train.interval, channelMap: map, sleepClockAccuracy: train.clockAccuracy,
                accessAddress: train.accessAddress, crcInit: train.crcInit, eventCounter: event),
            connectionEvent: connectionEvent, lastPeriodicEvent: lastEvent,
            advertiserInfo: LL.PeriodicAdvertiserInfo(
                setID: setID, isRandom: advertiser.kind == .random,
                sleepClockAccuracy: PeriodicTrain.sleepClockAccuracy),
            phy: train.phy.isCoded ? .coded : train.phy == .twoM ? .twoM : .oneM, advertiser: advertiser.value,
            syncConnectionEvent: link.event)
    }
}

extension LL.PeriodicSyncInd {
    /// AdvA with its type.
    var advertiserAddress: DeviceAddress {
        DeviceAddress(kind: advertiserInfo.isRandom ? .random : .public, value: advertiser)
    }
}

extension PeriodicSync {
    /// The train that a peer tells (Vol 6, Part B, 5.1.13). Nil if the fields name none that can be received.
    ///
    /// - Parameters:
    ///   - advertiser: The advertiser for the host.
    ///   - supported: The controller's PHYs.
    init?(
        _ transfer: LL.PeriodicSyncInd, on link: TransferLink, of advertiser: DeviceAddress, supported: LL.PHYSet,
        _ reception: Reception, now: Instant
    ) {
        let phy: LL.PHY
        switch transfer.phy {
        case .oneM: phy = .oneM
        case .twoM: phy = .twoM
        case .coded: phy = .codedS8
        default: return nil
        }
        let sync = transfer.syncInfo
        guard supported.contains(transfer.phy), let offset = sync.offsetSpan, let train = Train(sync, on: phy) else {
            return nil
        }
        // The clocks of the advertiser since the sender last heard it, of the sender since it wrote the PDU, and of this device.
        let unheard = train.intervalSpan * Int(sync.eventCounter &- transfer.lastPeriodicEvent)
        let counted = Int16(bitPattern: transfer.connectionEvent &- transfer.syncConnectionEvent)
        let written = link.intervalSpan * Int(counted)
        let start = link.anchor(of: transfer.connectionEvent) + offset
        let drift =
            Self.drift(over: unheard, parts: Self.accuracy(sync.sleepClockAccuracy))
            + Self.drift(over: written, parts: Self.accuracy(transfer.advertiserInfo.sleepClockAccuracy))
            + Self.drift(over: start - link.anchor, parts: Self.ownAccuracy)
        let reference = Reference(
            event: sync.eventCounter, start: start, uncertainty: sync.offsetUnit, drift: drift)
        self.init(
            train, of: advertiser, setID: transfer.advertiserInfo.setID, reception, map: sync.channelMap,
            at: reference, announced: now, now: now)
    }
}
