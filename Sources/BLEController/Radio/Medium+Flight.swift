import BLEWire

extension Medium {
    /// The transmissions that have begun and not ended, in the order of their ends, then of their senders. One of a beacon has to be put into
    /// its slot first.
    ///
    /// It searches all transmissions, of which there are about as many as overlapped at the busiest time, so that beginnings cost nothing.
    var transmissionsInFlight: [(index: Int32, beacon: (transmission: BeaconTransmission, channel: UInt8)?)] {
        var flights: [(end: Instant, sender: Int32, index: Int32, beacon: (BeaconTransmission, UInt8)?)] = []
        for index in transmissions.indices {
            let transmission = transmissions[index]
            guard transmission.sender >= 0, !transmission.isCut, transmission.start <= now, transmission.end > now
            else { continue }
            flights.append((transmission.end, transmission.sender, Int32(index), nil))
        }
        for (transmission, channel) in lane.transmissionsInFlight(at: now) {
            let sender = lane.beacons[Int(transmission.beacon)].device
            flights.append((transmission.end, sender, beaconSlot, (transmission, channel)))
        }
        return flights.sorted { ($0.end, $0.sender) < ($1.end, $1.sender) }.map { ($0.index, $0.beacon) }
    }
}
