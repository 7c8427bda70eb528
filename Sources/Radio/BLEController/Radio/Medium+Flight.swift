import BLEWire

/// A transmission, as an observer sees it.
struct Flight {
    var start: Instant
    var end: Instant
    var channel: UInt8
    var phy: LL.PHY
    var accessAddress: UInt32
    var crcInit: UInt32
    var sender: Int32

    init(_ transmission: Medium.Transmission) {
        start = transmission.start
        end = transmission.end
        channel = transmission.channel
        phy = transmission.phy
        accessAddress = transmission.accessAddress
        crcInit = transmission.crcInit
        sender = transmission.sender
    }

    init(_ transmission: BeaconTransmission) {
        start = transmission.start
        end = transmission.end
        channel = transmission.channel
        phy = transmission.phy
        accessAddress = LL.advertisingAccessAddress
        crcInit = LL.advertisingCRCInit
        sender = transmission.sender
    }
}

extension Medium {
    /// The transmissions that have begun and not ended, in the order of their ends, then of their senders, with their PDUs.
    ///
    /// It searches all transmissions, of which there are about as many as overlapped at the busiest time, so that beginnings cost nothing.
    ///
    /// - Parameter beaconPDU: Returns the PDU of a beacon.
    func transmissionsInFlight(_ beaconPDU: (BeaconTransmission) -> [UInt8]) -> [(Flight, pdu: [UInt8])] {
        var flights: [(Flight, pdu: [UInt8])] = []
        for transmission in transmissions
        where transmission.sender >= 0 && !transmission.isCut && transmission.start <= time && transmission.end > time {
            flights.append((Flight(transmission), transmission.pdu))
        }
        for transmission in lane.transmissionsInFlight(at: time) {
            flights.append((Flight(transmission), beaconPDU(transmission)))
        }
        return flights.sorted { ($0.0.end, $0.0.sender) < ($1.0.end, $1.0.sender) }
    }
}
