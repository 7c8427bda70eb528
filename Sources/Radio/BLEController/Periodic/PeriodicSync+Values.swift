import BLEWire

extension PeriodicSync {
    /// A report whose data is not complete.
    struct Collection: Hashable {
        var report: Report
        var dataInfo: LL.AdvertisingDataInfo?
        var pduCount = 1
    }

    /// The data of one event.
    struct Report: Hashable {
        /// In dBm.
        var txPower: Int8?
        var rssi: Int8
        /// CTEInfo.
        var toneExtension: UInt8?
        /// Whether octets are missing at the end.
        var isTruncated = false
        var data: [UInt8] = []

        /// The parts of `data` for events with at most `room` octets, each with its status (Vol 4, Part E, 7.7.65.15). There is at least one.
        func pieces(room: Int = HCI.LEPeriodicAdvertisingReport.maximumData)
            -> [(range: Range<Int>, status: HCI.ExtendedAdvertisingEventType.DataStatus)]
        {
            let starts = Array(stride(from: 0, to: max(1, data.count), by: max(1, room)))
            return starts.map { start in
                let end = min(data.count, start + max(1, room))
                let status: HCI.ExtendedAdvertisingEventType.DataStatus =
                    end < data.count ? .moreToCome : isTruncated ? .truncated : .complete
                return (start..<end, status)
            }
        }
    }

    /// The host's wishes (Vol 4, Part E, 7.8.67, 7.8.88 and 7.8.91).
    struct Reception: Hashable {
        /// The events that may be skipped after a received one, 0 to 499.
        let skip: UInt16
        let timeout: TimeSpan
        let excluded: HCI.ExcludedToneExtensions
        var enable: HCI.PeriodicReceiveEnable

        /// - Parameter timeout: In units of 10 ms.
        init(
            skip: UInt16, timeout: UInt16, excluded: HCI.ExcludedToneExtensions, enable: HCI.PeriodicReceiveEnable
        ) throws(HCI.ErrorCode) {
            guard skip <= 0x01F3, (0x000A...0x4000).contains(timeout) else { throw .invalidHCICommandParameters }
            // The bits above are reserved.
            guard excluded.rawValue & 0x1F != 0x1F else { throw .commandDisallowed }
            self.skip = skip
            self.timeout = .milliseconds(10 * Int(timeout))
            self.excluded = excluded
            self.enable = enable
        }
    }

    /// Where and when to listen for AUX_SYNC_IND.
    struct Window: Hashable {
        let channel: UInt8
        let opens: Instant
        /// The latest start of the PDU.
        let closes: Instant
    }

    /// What does not change.
    struct Train: Hashable {
        let accessAddress: UInt32
        /// 24 bits.
        let crcInit: UInt32
        /// In units of 1.25 ms.
        let interval: UInt16
        let phy: LL.PHY
        /// The field SCA of the advertiser.
        let clockAccuracy: UInt8
        /// The subevents and response slots; nil for a train without responses.
        let responses: AD.PeriodicResponseTiming?

        var intervalSpan: TimeSpan { LL.slot * Int(interval) }

        /// Nil for a field that is reserved: a train has at least 7.5 ms between events and two channels.
        init?(_ sync: LL.SyncInfo, on phy: LL.PHY, _ responses: AD.PeriodicResponseTiming? = nil) {
            guard sync.interval >= 6, sync.channelMap.count >= 2, sync.accessAddress != LL.advertisingAccessAddress
            else { return nil }
            if let responses {
                // PDUs with the same access address could not be told apart.
                let others = [sync.accessAddress, LL.advertisingAccessAddress]
                guard responses.subevents?.isValid(with: sync.interval) == true,
                    !others.contains(responses.responseAccessAddress)
                else { return nil }
            }
            self.responses = responses
            accessAddress = sync.accessAddress
            crcInit = sync.crcInit
            interval = sync.interval
            self.phy = phy
            clockAccuracy = sync.sleepClockAccuracy
        }

        /// A train that this controller sends.
        init(_ train: PeriodicTrain) {
            accessAddress = train.accessAddress
            crcInit = train.crcInit
            interval = train.interval
            phy = train.carrier.phy
            clockAccuracy = train.clockAccuracy.rawValue
            responses = train.subevents?.timing
        }

        /// From the start of an event to a subevent.
        func offset(of subevent: UInt8) -> TimeSpan { responses?.offset(of: subevent) ?? .zero }

        /// The PHY without a coding.
        var phySet: LL.PHYSet { phy.isCoded ? .coded : phy == .twoM ? .twoM : .oneM }
    }

    /// The event from which the times of others follow.
    struct Reference: Hashable {
        var event: UInt16
        /// The earliest start of its PDU.
        var start: Instant
        /// How much later the PDU may start.
        var uncertainty: TimeSpan
        /// How far the clocks may deviate at that event, on either side.
        var drift: TimeSpan
        /// The subevent of the PDU.
        var subevent: UInt8 = 0
    }
}

extension HCI.ExcludedToneExtensions {
    /// Whether a PDU with this CTEInfo is excluded. The type is in its two upper bits (Vol 6, Part B, 2.5.2).
    func excludes(_ toneExtension: UInt8?) -> Bool {
        guard let toneExtension else { return contains(.withoutExtension) }
        return contains(Self(rawValue: 1 << (toneExtension >> 6)))
    }
}
