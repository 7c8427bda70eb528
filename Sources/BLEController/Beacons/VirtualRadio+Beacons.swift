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

    /// The number of steps of beacons so far.
    var beaconSteps: Int { medium.lane.steps }

    /// The number of beacons in the lane.
    var beaconCount: Int { medium.lane.count }

    /// The number of transmissions that the lane stores.
    var storedBeaconTransmissions: Int { medium.lane.air.reduce(0) { $0 + $1.count } }

    /// Gives a beacon timers before a call that concerns it.
    func leaveLane(_ box: ControllerBox) {
        guard let number = medium.lane.beacon(of: box.controller.index) else { return }
        let (beacon, current, channel) = medium.lane.remove(number)
        box.controller.leaveLane(beacon, current, on: channel, &medium)
    }

    /// Processes the next step of a beacon at `time`. Returns false if another event comes before it.
    func stepBeacon(at time: Instant) -> Bool {
        let (sequence, step) = medium.lane.nextStep(at: time)
        if let other = medium.scheduler.nextTime(),
            other < time || other == time && medium.scheduler.nextSequence.map({ $0 < sequence }) ?? false
        {
            return false
        }
        medium.now = max(medium.now, time)
        switch step {
        case .eventStart(let beacon): medium.lane.beginEvent(beacon, sequence: medium.scheduler.takeSequence())
        case .end(let channel): endBeaconTransmission(on: channel)
        }
        return true
    }

    private func endBeaconTransmission(on channel: UInt8) {
        let (transmission, isInSlot) = medium.takeEndedBeacon(
            on: channel, isShown: airObserver != nil || tamper != nil)
        var pdu: [UInt8] = []
        if isInSlot {
            pdu = medium.transmissions[Int(medium.beaconSlot)].pdu
            tamper?(&pdu)
            if let airObserver { show(medium.beaconSlot, pdu, to: airObserver) }
            medium.clearBeaconSlot()
        }
        medium.lane.advance(after: transmission, now: medium.now, sequence: medium.scheduler.takeSequence())
        if !medium.receipts.isEmpty { deliver(pdu, start: transmission.start, channel: channel, phy: .oneM) }
    }
}
