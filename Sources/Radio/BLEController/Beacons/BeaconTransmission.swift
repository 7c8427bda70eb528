import BLEWire

/// One PDU of a beacon: ADV_NONCONN_IND, ADV_EXT_IND, or AUX_ADV_IND. Its times are known before it is sent.
struct BeaconTransmission {
    var start: Instant
    var end: Instant
    var position: RadioPosition
    /// The transmit power in mW.
    var milliwatts: Double
    /// The transmit power in dBm.
    var power: Double
    var sender: Int32
    /// The length of the PDU in octets.
    var length: UInt16
    var channel: UInt8
    var phy: LL.PHY

    var packet: ReceptionModel.Packet {
        ReceptionModel.Packet(
            start: start, position: position, power: power, sender: sender, phy: phy, bits: 8 * (Int(length) + 8))
    }

    /// The order of the ends.
    func endsBefore(_ other: BeaconTransmission) -> Bool { (end, sender) < (other.end, other.sender) }
}

extension [BeaconTransmission] {
    /// The index of the first transmission that ends after `time`, in a list ordered by ends.
    func firstIndex(endingAfter time: Instant) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle].end > time { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

/// A reception of a beacon's PDU that was computed before its time.
struct BeaconReception {
    /// The receiver; -1 if the PDU is shown to an observer.
    var receiver: Int32
    /// `Medium.Device.epoch` of the receiver. The reception is void after a change of it.
    var epoch: UInt32
    /// The list of the transmission, and its place in it; -1 if not a reception, but the end of a moment up to which the receptions were computed.
    var list: Int32
    var place: Int32
    /// The interference is that of the beacons only.
    var result: ReceptionModel.Result
}
