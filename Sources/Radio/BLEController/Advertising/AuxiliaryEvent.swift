import BLEWire

/// What an extended advertising event sends on the secondary channels. It does not change during the event, because the pointers in its PDUs
/// announce it.
struct AuxiliaryEvent {
    /// The octets that the chain of AUX_ADV_IND and the chain of AUX_SCAN_RSP carry.
    private(set) var data: [UInt8] = []
    private(set) var response: [UInt8] = []
    private(set) var dataInfo = LL.AdvertisingDataInfo(rawValue: 0)
    /// Whether the event has AUX_ADV_IND.
    private(set) var isPresent = false
    /// Whether AUX_ADV_IND has SyncInfo.
    private(set) var announcesTrain = false
    /// ACAD of AUX_ADV_IND: the response timing of the train.
    private(set) var controllerData: [UInt8] = []
    /// What the event announces of the sleep clock.
    private(set) var clockAccuracy = HCI.ClockAccuracy.ppm20
    /// From the start of the event to its end after the longest answer.
    private(set) var eventLength = TimeSpan.zero
    /// How `data` and `response` are divided.
    private(set) var advertisementLayout = FragmentedData(count: 0, afterHeader: 0)
    private(set) var responseLayout = FragmentedData(count: 0, afterHeader: 0)
    /// The time at which a link needs the radio that cannot lose another event, if this may be before the end; otherwise nil.
    private var limit: Instant?
    var channels = AuxiliaryChannels()

    mutating func begin(
        data: [UInt8], response: [UInt8], _ dataInfo: LL.AdvertisingDataInfo, isPresent: Bool, announcesTrain: Bool,
        controllerData: [UInt8] = [], length: TimeSpan,
        _ layouts: (advertisement: FragmentedData, response: FragmentedData), map: LL.ChannelMap,
        clockAccuracy: HCI.ClockAccuracy
    ) {
        self.controllerData = controllerData
        (self.data, self.response, self.dataInfo) = (data, response, dataInfo)
        (self.isPresent, eventLength) = (isPresent, length)
        (self.announcesTrain, self.clockAccuracy) = (announcesTrain, clockAccuracy)
        (advertisementLayout, responseLayout) = layouts
        limit = nil
        channels = channels.event(1)
        channels.map = map
    }

    /// Shortens the event so that it ends before `limit`.
    ///
    /// - Parameter room: The time for the data.
    /// - Returns: False if there is no time for AUX_ADV_IND without data.
    mutating func shorten(to limit: Instant, room: TimeSpan, on phy: LL.PHY) -> Bool {
        guard let layout = advertisementLayout.fitting(into: room, on: phy) else { return false }
        advertisementLayout = layout
        self.limit = limit
        return true
    }

    /// Shortens the response that begins at `start`. Returns false if there is no time for AUX_SCAN_RSP without data.
    mutating func shortenResponse(from start: Instant, on phy: LL.PHY) -> Bool {
        guard let limit else { return true }
        guard let layout = responseLayout.fitting(into: limit - start, on: phy) else { return false }
        responseLayout = layout
        return true
    }
}

/// The secondary channels of a set's events (algorithm #2: Vol 6, Part B, 4.5.8.3).
struct AuxiliaryChannels {
    fileprivate(set) var map = LL.ChannelMap.all
    private var identifier: UInt16 = 0
    private var counter: UInt16 = 0

    /// The most PDUs of a chain of 1650 octets.
    static let longestChain = 8

    /// Selects other channels than the sets of other devices.
    mutating func reseed(_ random: inout SeededRandom) { identifier = UInt16(truncatingIfNeeded: random.next()) }

    /// The channels of a following event, or of an earlier one.
    func event(_ difference: Int) -> AuxiliaryChannels {
        var channels = self
        channels.counter &+= UInt16(truncatingIfNeeded: Self.longestChain * difference)
        return channels
    }

    /// The channel of a PDU, 0 for AUX_ADV_IND and AUX_SCAN_RSP.
    subscript(fragment: Int) -> UInt8 {
        var selection = ChannelSelection.two(identifier: identifier)
        return selection.channel(event: counter &+ UInt16(truncatingIfNeeded: fragment), map: map)
    }
}
