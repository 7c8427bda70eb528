import BLEWire

/// The times of the subevents and the response slots of a train (Vol 6, Part B, 4.4.2.12).
///
/// A subevent is sent on one channel: AUX_SYNC_SUBEVENT_IND at its start, then AUX_SYNC_SUBEVENT_RSP of receivers in the response slots.
extension AD.PeriodicResponseTiming {
    var subeventSpan: TimeSpan { LL.slot * Int(subeventInterval) }
    var slotSpan: TimeSpan { .microseconds(125 * Int(responseSlotSpacing)) }
    /// From the start of a subevent to its first response slot.
    var slotDelaySpan: TimeSpan { LL.slot * Int(responseSlotDelay) }

    /// From the start of an event to the start of a subevent.
    func offset(of subevent: UInt8) -> TimeSpan { subeventSpan * Int(subevent) }
    /// From the start of a subevent to the start of a slot.
    func offset(ofSlot slot: Int) -> TimeSpan { slotDelaySpan + slotSpan * slot }

    /// Nil without subevents.
    var subevents: HCI.PeriodicSubevents? {
        HCI.PeriodicSubevents(
            received: subeventCount, interval: subeventInterval, slotDelay: responseSlotDelay,
            slotSpacing: responseSlotSpacing)
    }
    /// The response slots that end within the subevent.
    var slotLimit: Int { subevents?.room ?? 0 }

    /// Whether a response with this much data has room in a slot, with the space between two PDUs.
    func hasRoom(for data: Int, hasTxPower: Bool, on phy: LL.PHY) -> Bool {
        let length = LL.subeventPDULength(data: data, hasTxPower: hasTxPower)
        return phy.airTime(pduLength: length) + LL.interFrameSpace <= slotSpan
    }
}

extension LL {
    /// The length of AUX_SYNC_SUBEVENT_IND or AUX_SYNC_SUBEVENT_RSP with its header.
    static func subeventPDULength(data: Int, hasTxPower: Bool, controllerData: Int = 0) -> Int {
        let fields = (hasTxPower ? 1 : 0) + controllerData
        return AdvertisingHeader.encodedCount + 1 + (fields > 0 ? 1 + fields : 0) + data
    }
}

extension ChannelSelection {
    /// The channel of a subevent: the counter of algorithm #2 is the event counter, exclusive or the number of the subevent (Vol 6, Part B, 4.5.8.3).
    static func channel(
        accessAddress: UInt32, event: UInt16, subevent: UInt8, map: LL.ChannelMap
    ) -> UInt8 {
        var selection = second(accessAddress: accessAddress)
        return selection.channel(event: event ^ UInt16(subevent), map: map)
    }
}
