import BLEWire

/// The length of a connection event: what fits before the radio must be free (Vol 6, Part B, 4.5.6).
extension LinkLayerConnection {
    /// The air time of a PDU that starts at `start`, such that its answer ends an inter frame space before the limit.
    func roomForPacket(at start: Instant) -> TimeSpan {
        let gap = LL.interFrameSpace
        let left = (active?.limit ?? start) - start - gap
        let room = isCentral ? left - expectedAnswer() - gap : left
        return active?.sent == 0 ? max(room, indispensableRoom) : room
    }

    /// The room of the first PDU of an event, even at the cost of another link's event. Otherwise that link could silence this one: a peripheral
    /// always answers, and a control PDU, which is longer than the shortest data, is not held up by data for which there is room.
    private var indispensableRoom: TimeSpan {
        let control = procedures.outgoing.first?.count ?? 0
        guard control > 0 || !isCentral else { return .zero }
        let count = isCentral ? control : max(LL.minimumDataLength, control)
        return phys.tx.airTime(pduLength: 2 + count + micLength)
    }

    /// The expected air time of the peripheral's next PDU. Without more data it is empty; the peripheral itself checks whether new
    /// data fits.
    private func expectedAnswer() -> TimeSpan {
        let phy = phys.rx
        guard let active else { return phy.airTime(pduLength: 2) }
        if active.errors > 0 { return active.receivedAirTime }
        return active.peerMore ? longestAnswer : phy.airTime(pduLength: 2)
    }

    /// Whether one PDU in each direction, with the inter frame spaces, fits before the link's next anchor.
    func fitsAnotherExchange(after end: Instant) -> Bool {
        let empties = phys.tx.airTime(pduLength: 2) + phys.rx.airTime(pduLength: 2)
        return end + empties + LL.interFrameSpace * 3 <= followingStart
    }

    /// The start of the event after the current one, even after skipped events. A peripheral listens before the anchor if clocks drift.
    var followingStart: Instant {
        let anchor = timing.anchor + timing.intervalSpan
        return isCentral || !timing.expectsDrift ? anchor : anchor - timing.widening(at: anchor)
    }

    /// The time before the authenticated payload timeout at which the controller sends LL_PING_REQ: enough for a retransmission of the request and
    /// of the response, at most half of the timeout (Vol 6, Part B, 5.4).
    var payloadReserve: TimeSpan {
        let response = timing.longestSleep * 4
        return min(response, TimeSpan(nanoseconds: payloadTimeoutSpan.nanoseconds / 2))
    }

    /// The power of this end on its PHY in dBm; nil at the maximum.
    @inline(__always)
    var reducedPower: Int8? {
        let power = procedures.power.power(on: phys.tx)
        return power < procedures.power.range.upperBound ? power : nil
    }

    /// Whether the events of the link are measured: their received power or their losses.
    @inline(__always)
    var isMonitored: Bool { signal.pathLoss.isOn || procedures.power.isActive || channels.reporter != nil }

    var payloadTimeoutSpan: TimeSpan { .milliseconds(10 * Int(encryption.payloadTimeout)) }
}
