import BLEWire

/// What a controller acts on: time, timers and the medium. Handed to it with each call.
struct Air {
    var now = Instant.zero
    var scheduler = Scheduler()
    var medium: Medium

    init(medium: Medium) { self.medium = medium }

    /// Sends a PDU, written by `write` into an empty buffer, from `start` on; returns when it ends. The sender hears of the
    /// end, and whoever listens then receives it.
    @discardableResult
    mutating func transmit(
        from device: Int32, at start: Instant, on channel: UInt8, phy: LL.PHY = .oneM,
        accessAddress: UInt32 = LL.advertisingAccessAddress, crcInit: UInt32 = LL.advertisingCRCInit,
        _ write: (inout [UInt8]) -> Void
    ) -> Instant {
        let index = medium.reserve()
        if medium.transmissions[Int(index)].timer == .none {
            medium.transmissions[Int(index)].timer = scheduler.makeTimer(for: .transmission(index))
        }
        write(&medium.transmissions[Int(index)].pdu)
        let tuning = Medium.Tuning(channel: channel, phy: phy, accessAddress: accessAddress, since: start)
        let end = medium.begin(index, from: device, at: start, on: tuning, crcInit: crcInit)
        scheduler.arm(medium.transmissions[Int(index)].timer, at: end)
        return end
    }

    /// Tunes a receiver, from now on.
    mutating func listen(
        _ device: Int32, to channel: UInt8, phy: LL.PHY = .oneM, accessAddress: UInt32 = LL.advertisingAccessAddress
    ) {
        medium.listen(
            device,
            to: Medium.Tuning(channel: channel, phy: phy, accessAddress: accessAddress, since: now))
    }
}
