import BLEWire

/// The data length of a link in both directions (Vol 6, Part B, 4.5.10).
struct DataLength {
    struct Limits: Hashable {
        /// The payload in octets, 27 to 251.
        var octets: UInt16
        /// The air time in microseconds, at least 328.
        var time: UInt16

        static let minimum = Limits(octets: 27, time: 328)

        func limited(to other: Limits) -> Limits {
            Limits(octets: min(octets, other.octets), time: min(time, other.time))
        }

        /// The longest payload within both limits on `phy`. As in the specification, the time includes a MIC of four octets.
        func payload(on phy: LL.PHY) -> Int {
            let fits = phy.pduLength(within: .microseconds(Int(on(phy).time))) - 2 - LL.micLength
            return min(Int(octets), max(LL.minimumDataLength, fits))
        }

        /// The limits on `phy`. The Coded PHY always has time for 27 octets. The other PHYs never need more time than 251 octets on
        /// 1M.
        func on(_ phy: LL.PHY) -> Limits {
            Limits(octets: octets, time: phy.isCoded ? max(2704, time) : min(2120, time))
        }
    }

    /// The limits that this side supports. A change applies from the next exchange on.
    var local: (tx: Limits, rx: Limits)
    /// The effective limits for PDUs to the peer and from it.
    private(set) var effectiveTx = Limits.minimum
    private(set) var effectiveRx = Limits.minimum

    init(tx: Limits, rx: Limits) { local = (tx, rx) }

    /// Takes the peer's limits unless they are out of range (Vol 6, Part B, 2.4.2.21). Returns whether the effective
    /// limits changed.
    mutating func receive(rxOctets: UInt16, rxTime: UInt16, txOctets: UInt16, txTime: UInt16) -> Bool {
        guard rxOctets >= 27, txOctets >= 27, rxTime >= 328, txTime >= 328 else { return false }
        let before = (effectiveTx, effectiveRx)
        effectiveTx = local.tx.limited(to: Limits(octets: rxOctets, time: rxTime))
        effectiveRx = local.rx.limited(to: Limits(octets: txOctets, time: txTime))
        return before != (effectiveTx, effectiveRx)
    }

    /// The limits for the peer. A peer without the Coded PHY must not receive times beyond those of the other PHYs.
    func request(isCoded: Bool) -> LL.LengthReq {
        let (tx, rx) = (isCoded ? local.tx : local.tx.on(.oneM), isCoded ? local.rx : local.rx.on(.oneM))
        return LL.LengthReq(
            maxRxOctets: rx.octets, maxRxTime: rx.time, maxTxOctets: tx.octets, maxTxTime: tx.time)
    }

    func response(isCoded: Bool) -> LL.LengthRsp {
        let request = request(isCoded: isCoded)
        return LL.LengthRsp(
            maxRxOctets: request.maxRxOctets, maxRxTime: request.maxRxTime, maxTxOctets: request.maxTxOctets,
            maxTxTime: request.maxTxTime)
    }
}
