import BLEWire

extension VirtualRadio {
    /// The threads that compute the receptions of beacons. They change no result.
    package var threads: BeaconThreads {
        get { medium.lane.threads }
        set { medium.lane.threads = newValue }
    }

    /// The number of devices from which beacons need no timers. It changes no result.
    var minimumLaneDevices: Int {
        get { medium.lane.minimumDevices }
        set { medium.lane.minimumDevices = newValue }
    }

    /// The number of beacons in the lane.
    var beaconCount: Int { medium.lane.count }

    /// The number of transmissions that the lane stores.
    var storedBeaconTransmissions: Int { medium.lane.lists.reduce(0) { $0 + $1.count } }

    /// Gives a beacon timers before a call that concerns it.
    func leaveLane(_ box: ControllerBox) {
        guard let number = medium.lane.beacon(of: box.controller.shared.radio.index) else { return }
        box.controller.leaveLane(medium.lane.remove(number, now: medium.time), &medium)
    }

    /// Processes the next event of the lane if it comes at or before `limit` and before all other events. Returns false if it does not.
    func stepBeacons(through limit: Instant) -> Bool {
        guard let event = medium.nextBeaconEvent(), event.time <= limit.nanoseconds else { return false }
        if let other = medium.scheduler.next(), (other.time, other.sequence) < (event.time, event.sequence) {
            return false
        }
        medium.advance(to: Instant(nanoseconds: event.time))
        if medium.lane.isSliceNext {
            medium.beginBeaconSlice()
        } else if let transmission = medium.takeBeaconEvent() {
            var pdu = beaconPDU(transmission)
            tamper?(&pdu)
            if let airObserver { show(Flight(transmission), pdu, medium.receipts, to: airObserver) }
            if !medium.receipts.isEmpty {
                deliver(pdu, start: transmission.start, channel: transmission.channel, phy: transmission.phy)
            }
        }
        return true
    }

    /// The PDU of a transmission of the lane.
    func beaconPDU(_ transmission: BeaconTransmission) -> [UInt8] {
        let (pdu, auxiliary) = medium.lane.pdu(of: transmission.sender)
        guard let auxiliary, let box = boxes[Int(transmission.sender)] else { return pdu }
        return box.controller.beaconPDU(on: transmission.channel, at: transmission.start, auxiliary)
    }
}
