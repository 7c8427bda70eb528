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
            var payload = Int(octets)
            let limit = TimeSpan.microseconds(Int(time))
            while payload > LL.minimumDataLength && phy.airTime(pduLength: 2 + payload + 4) > limit { payload -= 1 }
            return payload
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

    var request: LL.LengthReq {
        LL.LengthReq(
            maxRxOctets: local.rx.octets, maxRxTime: local.rx.time, maxTxOctets: local.tx.octets,
            maxTxTime: local.tx.time)
    }

    var response: LL.LengthRsp {
        LL.LengthRsp(
            maxRxOctets: local.rx.octets, maxRxTime: local.rx.time, maxTxOctets: local.tx.octets,
            maxTxTime: local.tx.time)
    }
}
