import BLEWire

/// The subevents of a train that this controller sends: their data, which the host gives for each, and the responses (Vol 6, Part B, 4.4.2.12; Vol
/// 4, Part E, 7.8.125, 7.7.65.36 and 7.7.65.37).
///
/// The controller requests the data of some subevents ahead. A subevent without data is sent empty, so that receivers keep the time of the train.
struct TrainSubevents: Hashable {
    /// The host's parameters (Vol 4, Part E, 7.8.61).
    struct Settings: Hashable {
        /// The access address is that of the train after its start.
        private let timing: AD.PeriodicResponseTiming
        let slotCount: UInt8

        /// Nil without subevents, when the other parameters have no meaning.
        init?(_ command: HCI.LESetPeriodicAdvertisingParametersV2) throws(HCI.ErrorCode) {
            guard command.subeventCount > 0 else { return nil }
            slotCount = command.responseSlotCount
            var subevents = HCI.PeriodicSubevents(
                count: command.subeventCount, interval: command.subeventInterval, slotDelay: command.responseSlotDelay,
                slotSpacing: command.responseSlotSpacing, slotCount: slotCount)
            if slotCount == 0 { (subevents.slotDelay, subevents.slotSpacing) = (0, 0) }
            // One slot has the rest of the subevent; its spacing is ignored.
            if slotCount == 1, subevents.slotDelay < subevents.interval {
                subevents.slotSpacing = UInt8(clamping: 10 * Int(subevents.interval - subevents.slotDelay))
            }
            guard subevents.isValid(with: command.intervalMinimum) else { throw .invalidHCICommandParameters }
            timing = AD.PeriodicResponseTiming(
                responseAccessAddress: 0, subeventCount: subevents.count, subeventInterval: subevents.interval,
                responseSlotDelay: subevents.slotDelay, responseSlotSpacing: subevents.slotSpacing)
        }

        func timing(responseAccessAddress: UInt32) -> AD.PeriodicResponseTiming {
            var timing = timing
            timing.responseAccessAddress = responseAccessAddress
            return timing
        }
    }

    /// What the host wants to send in one subevent.
    private struct Content: Hashable {
        var data: [UInt8] = []
        /// The response slots that the host expects to be used.
        var slots = 0..<0
    }

    /// What was received in a response slot.
    struct Response: Hashable {
        var txPower: Int8?
        var rssi: Int8
        /// CTEInfo.
        var toneExtension: UInt8?
        var data: [UInt8]
    }

    /// What the host learns about one subevent.
    struct Report: Hashable {
        let subevent: UInt8
        /// Whether AUX_SYNC_SUBEVENT_IND was sent.
        var wasSent: Bool
        let slots: Range<Int>
        /// By slot.
        var responses: [Int: Response] = [:]
    }

    /// The most subevents whose data is requested at a time: as many as one command takes.
    static let window = HCI.LESetPeriodicAdvertisingSubeventData.maximumSubevents

    let timing: AD.PeriodicResponseTiming
    let slotCount: UInt8
    /// The subevent that is sent now or next.
    private(set) var current: UInt8 = 0
    /// The coming subevents, in their order, whose data is requested.
    private var requested = 0
    private var contents: [UInt8: Content] = [:]
    /// Whether `current` has begun.
    private var hasBegun = false
    /// What `current` sends, and its ACAD.
    private var sent = Content()
    private var controllerData: [UInt8] = []
    private var report: Report?

    init(_ settings: Settings, responseAccessAddress: UInt32) {
        timing = settings.timing(responseAccessAddress: responseAccessAddress)
        slotCount = settings.slotCount
    }

    // MARK: Times

    /// From the start of the event to the start of `current`.
    var offset: TimeSpan { timing.offset(of: current) }
    /// From the start of the event to the start of the next subevent; nil for the last one.
    var nextOffset: TimeSpan? { isLast ? nil : timing.offset(of: current + 1) }
    private var isLast: Bool { current + 1 >= timing.subeventCount }

    /// From the start of `current` to the end of its last slot, or of the packet without slots.
    ///
    /// - Parameter acad: The octets of ACAD that a packet has which has not begun.
    func length(acad: Int, hasTxPower: Bool, on phy: LL.PHY) -> TimeSpan {
        let content = hasBegun ? sent : contents[current] ?? Content()
        if !content.slots.isEmpty { return timing.offset(ofSlot: content.slots.upperBound) }
        return phy.airTime(
            pduLength: LL.subeventPDULength(
                data: content.data.count, hasTxPower: hasTxPower,
                controllerData: hasBegun ? controllerData.count : acad))
    }

    // MARK: The host

    /// Requests the data of further subevents. Nil if all that are near are requested.
    mutating func requestData() -> (start: UInt8, count: UInt8)? {
        let count = Int(timing.subeventCount)
        let (first, most) = (nextSubevent + requested, min(Self.window, count))
        guard requested < most else { return nil }
        defer { requested = most }
        return (UInt8(first % count), UInt8(most - requested))
    }

    /// Takes the data of subevents: all of it, or none after an error.
    mutating func setData(
        _ entries: [HCI.LESetPeriodicAdvertisingSubeventData.Entry], hasTxPower: Bool, on phy: LL.PHY
    ) throws(HCI.ErrorCode) {
        guard !entries.isEmpty, Set(entries.map(\.subevent)).count == entries.count else {
            throw .invalidHCICommandParameters
        }
        for entry in entries { try check(entry, hasTxPower: hasTxPower, on: phy) }
        for entry in entries {
            let start = Int(entry.responseSlotStart)
            contents[entry.subevent] = Content(
                data: entry.data, slots: start..<start + Int(entry.responseSlotCount))
        }
    }

    private func check(
        _ entry: HCI.LESetPeriodicAdvertisingSubeventData.Entry, hasTxPower: Bool, on phy: LL.PHY
    ) throws(HCI.ErrorCode) {
        let end = Int(entry.responseSlotStart) + Int(entry.responseSlotCount)
        guard entry.subevent < 128, entry.responseSlotCount == 0 || end <= Int(slotCount) else {
            throw .invalidHCICommandParameters
        }
        if hasBegun, entry.subevent == current { throw .tooLate }
        guard entry.subevent < timing.subeventCount, isRequested(entry.subevent) else { throw .commandDisallowed }
        // The response slots follow the packet.
        let room = entry.responseSlotCount > 0 ? timing.slotDelaySpan : timing.subeventSpan
        let length = LL.subeventPDULength(data: entry.data.count, hasTxPower: hasTxPower)
        guard length <= LL.AdvertisingHeader.encodedCount + 255,
            phy.airTime(pduLength: length) + LL.interFrameSpace <= room
        else { throw .packetTooLong }
    }

    /// The first subevent that has not begun.
    private var nextSubevent: Int { Int(current) + (hasBegun ? 1 : 0) }

    /// The requested subevents are the next ones.
    private func isRequested(_ subevent: UInt8) -> Bool {
        let count = Int(timing.subeventCount)
        let distance = (Int(subevent) - nextSubevent + count) % count
        return distance < requested
    }

    // MARK: Events

    /// Begins `current`.
    ///
    /// - Parameters:
    ///   - acad: AD structures of ACAD, which are left out if there is no room for them.
    ///   - room: The time that the packet may have; nil without a limit.
    /// - Returns: False if there is no time for the packet.
    mutating func begin(acad: [UInt8], hasTxPower: Bool, room: TimeSpan?, on phy: LL.PHY) -> Bool {
        let content = contents[current] ?? Content()
        // As for the data by itself: ACAD takes nothing of the space before the next packet.
        let longest = (content.slots.isEmpty ? timing.subeventSpan : timing.slotDelaySpan) - LL.interFrameSpace
        let most = min(room ?? longest, longest)
        func fits(_ acad: [UInt8]) -> Bool {
            let length = LL.subeventPDULength(
                data: content.data.count, hasTxPower: hasTxPower, controllerData: acad.count)
            return length <= LL.AdvertisingHeader.encodedCount + 255 && phy.airTime(pduLength: length) <= most
        }
        guard fits([]) else { return false }
        sent = content
        controllerData = fits(acad) ? acad : []
        contents[current] = nil
        requested = max(0, requested - 1)
        hasBegun = true
        report = content.slots.isEmpty ? nil : Report(subevent: current, wasSent: false, slots: content.slots)
        return true
    }

    /// Appends AUX_SYNC_SUBEVENT_IND (Vol 6, Part B, 2.3.1). It has no chain.
    func appendPDU(txPower: Int8?, to pdu: inout [UInt8]) {
        let (data, acad) = (sent.data, controllerData)
        let fields = LL.ExtendedAdvertisement(
            mode: .none, txPower: txPower, controllerData: acad.span, data: data.span)
        try? pdu.append(encoding: LL.AdvertisingPDU.extended(LL.AdvertisingHeader(type: .extended), fields))
    }

    /// AUX_SYNC_SUBEVENT_IND has been sent. Returns whether response slots follow.
    mutating func indicationSent() -> Bool {
        report?.wasSent = true
        return report != nil
    }

    /// A packet was received in the response slots.
    ///
    /// - Parameter time: Its start, from the start of the subevent.
    mutating func received(_ payload: LL.ExtendedAdvertisement, at time: TimeSpan, rssi: Int8) {
        guard let slots = report?.slots, payload.mode == .none, timing.slotSpan > .zero else { return }
        // The nearest slot: the clocks of both sides may deviate.
        let distance = time - timing.slotDelaySpan + TimeSpan(nanoseconds: timing.slotSpan.nanoseconds / 2)
        guard distance >= .zero else { return }
        let slot = Int(distance.nanoseconds / timing.slotSpan.nanoseconds)
        guard slots.contains(slot), report?.responses[slot] == nil else { return }
        report?.responses[slot] = Response(
            txPower: payload.txPower, rssi: rssi, toneExtension: payload.toneExtension, data: [UInt8](payload.data))
    }

    /// Ends `current`, also one that was not sent. Returns whether it was the last one of the event.
    mutating func end() -> Bool {
        if !hasBegun {
            // What was not sent is not sent later.
            let content = contents.removeValue(forKey: current)
            requested = max(0, requested - 1)
            if let slots = content?.slots, !slots.isEmpty {
                report = Report(subevent: current, wasSent: false, slots: slots)
            }
        }
        hasBegun = false
        defer { current = isLast ? 0 : current + 1 }
        return isLast
    }

    /// What the host has to learn about the last subevent.
    mutating func takeReport() -> Report? {
        guard !hasBegun else { return nil }
        return report.take()
    }
}
