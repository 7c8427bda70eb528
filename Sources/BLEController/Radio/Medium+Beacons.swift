import BLEWire

extension Medium {
    /// The time of the next step of a beacon in the lane; nil without beacons.
    mutating func nextBeaconTime() -> Instant? {
        while true {
            switch lane.next() {
            case .none: return nil
            case .at(let time): return time
            case .inSlice(let slice):
                // A local variable changes while it reads the medium.
                var own = BeaconLane()
                swap(&own, &lane)
                own.prepare(slice, self)
                swap(&own, &lane)
            }
        }
    }

    /// Takes the transmission of a beacon that ends now, and determines its receivers, into `receipts`.
    ///
    /// - Parameter isShown: Whether the transmission is needed also if no device listens.
    /// - Returns: The transmission, and whether it is in `beaconSlot` until `clearBeaconSlot`.
    mutating func takeEndedBeacon(on channel: UInt8, isShown: Bool) -> (BeaconTransmission, isInSlot: Bool) {
        let transmission = lane.takeEnded(on: channel)
        receipts.removeAll(keepingCapacity: true)
        let home = devices[Int(lane.beacons[Int(transmission.beacon)].device)].cell
        let isNeeded = isShown || cells[home].neighbours.contains { !cells[$0].listeners[channel].isEmpty }
        guard isNeeded else { return (transmission, false) }
        fillBeaconSlot(transmission, channel)
        for position in cells[home].neighbours.indices {
            let cell = cells[home].neighbours[position]
            for listener in cells[cell].listeners[channel].indices {
                let receiver = cells[cell].listeners[channel][listener]
                consider(
                    receiver, for: beaconSlot,
                    lane.estimate(of: transmission, at: receiver, devices[Int(receiver)].position))
            }
        }
        return (transmission, true)
    }

    /// Makes a beacon's transmission an element of `transmissions`, which has no place in a cell and no timer.
    mutating func fillBeaconSlot(_ transmission: BeaconTransmission, _ channel: UInt8) {
        if beaconSlot < 0 { beaconSlot = reserve() }
        let slot = Int(beaconSlot)
        let beacon = Int(transmission.beacon)
        transmissions[slot].pdu = lane.beacons[beacon].pdu
        transmissions[slot].start = transmission.start
        transmissions[slot].end = transmission.end
        transmissions[slot].channel = channel
        transmissions[slot].phy = .oneM
        transmissions[slot].accessAddress = LL.advertisingAccessAddress
        transmissions[slot].crcInit = LL.advertisingCRCInit
        transmissions[slot].sender = lane.beacons[beacon].device
        transmissions[slot].position = transmission.position
        transmissions[slot].power = transmission.power
        transmissions[slot].milliwatts = transmission.milliwatts
    }

    mutating func clearBeaconSlot() { transmissions[Int(beaconSlot)].sender = -1 }
}
