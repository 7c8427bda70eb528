import BLEWire

/// How long the packets of a link may be, in both directions (Vol 6, Part B, 4.5.10).
struct DataLength {
    struct Limits: Hashable {
        /// Payload octets, 27 to 251.
        var octets: UInt16
        /// Microseconds on the air, 328 and more.
        var time: UInt16

        static let minimum = Limits(octets: 27, time: 328)

        func limited(to other: Limits) -> Limits {
            Limits(octets: min(octets, other.octets), time: min(time, other.time))
        }

        /// The longest payload within both limits on `phy`. A MIC of four octets is counted in, as the specification's
        /// figures do.
        func payload(on phy: LL.PHY) -> Int {
            let fits = phy.pduLength(within: .microseconds(Int(on(phy).time))) - 2 - LL.micLength
            return min(Int(octets), max(LL.minimumDataLength, fits))
        }

        /// The limits as they are on `phy`: the Coded PHY always gets time for 27 octets, the others never need more than
        /// 251 octets take on 1M.
        func on(_ phy: LL.PHY) -> Limits {
            Limits(octets: octets, time: phy.isCoded ? max(2704, time) : min(2120, time))
        }
    }

    /// What this side would send and can take. A change holds from the next exchange on.
    var local: (tx: Limits, rx: Limits)
    /// What holds for packets to the peer and from it.
    private(set) var effectiveTx = Limits.minimum
    private(set) var effectiveRx = Limits.minimum

    init(tx: Limits, rx: Limits) { local = (tx, rx) }

    /// Takes the peer's numbers, unless they are out of range. Tells whether something changed.
    mutating func receive(rxOctets: UInt16, rxTime: UInt16, txOctets: UInt16, txTime: UInt16) -> Bool {
        guard rxOctets >= 27, txOctets >= 27, rxTime >= 328, txTime >= 328 else { return false }
        let before = (effectiveTx, effectiveRx)
        effectiveTx = local.tx.limited(to: Limits(octets: rxOctets, time: rxTime))
        effectiveRx = local.rx.limited(to: Limits(octets: txOctets, time: txTime))
        return before != (effectiveTx, effectiveRx)
    }

    /// This side's numbers for a peer that has the Coded PHY, or has it not and must not hear of times beyond the others'.
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
