import BLEWire

/// One advertising PDU of a beacon. Its times are known before it is sent.
struct BeaconTransmission {
    var start: Instant
    var end: Instant
    var position: RadioPosition
    /// The transmit power in mW.
    var milliwatts: Double
    /// The transmit power in dBm.
    var power: Double
    var beacon: Int32
    /// The length of the PDU in octets.
    var length: UInt8
    /// Whether it is the last one of its advertising event.
    var isLast: Bool
    /// The range of its estimates in `BeaconLane.estimates`.
    var firstEstimate: Int32 = 0
    var estimateCount: Int32 = 0

    /// The longest advertising PDU on 1M, with a payload of 37 octets (Vol 6, Part B, 2.3).
    static let longest = LL.PHY.oneM.airTime(pduLength: 39)
}

/// The arithmetic of one possible reception of a beacon's PDU. It depends on the positions, the path loss and the beacons only, so it is done
/// before the reception, beside other receptions.
struct ReceptionEstimate {
    var receiver: Int32
    var channel: UInt8
    /// The index of the transmission in the list of its channel.
    var transmission: Int32
    /// The position of the receiver. The estimate is void after a move.
    var position: RadioPosition
    /// The received power in dBm; minus infinity for a packet that the receiver does not detect.
    var received = -Double.infinity
    /// The power of the other beacons' transmissions in mW. A sum that exceeds `PathLoss.hopelessInterference` may be incomplete.
    var interference = 0.0
    /// `PathLoss.hopelessInterference`.
    var limit = 0.0
    /// The probability of a reception without errors if only beacons interfere.
    var success = 0.0
}
