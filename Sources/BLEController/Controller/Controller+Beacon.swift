import BLEWire

/// A controller that only advertises, without answers, is a beacon: the lane of its medium sends its PDUs.
extension Controller {
    /// The shortest time between entering the lane and the next event. It covers the slices of the lane that are prepared.
    private static let leadTime = TimeSpan.milliseconds(8)

    /// Whether all that the controller does until the next call of its host follows from its own random numbers.
    ///
    /// In the lane, `random`, `owner`, and the state and times of `advertising` are stale. `quietUntil` reads none of them, and a beacon has no
    /// output, so the lane does not end the quiet.
    func isBeacon(at now: Instant) -> Bool {
        owner == .free && advertising.state == .resting && !advertising.expectsAnswers && !advertising.isWaiting
            && advertising.parameters.ownAddressType.rawValue <= HCI.OwnAddressType.random.rawValue
            && !scanning.isEnabled && !initiating.isEnabled && openLinks.isEmpty
            && advertising.due >= now + Self.leadTime
    }

    mutating func enterLane(_ medium: inout Medium) {
        chooseAdvertisingAddress()
        var pdu: [UInt8] = []
        appendAdvertisement(to: &pdu)
        medium.expectAdvertising(of: LL.PHY.oneM.airTime(pduLength: pdu.count))
        let sequence = cancel(.advertising, &medium)
        medium.lane.add(
            BeaconLane.Beacon(
                device: index, random: random, eventStart: advertising.due, sequence: sequence,
                interval: advertising.interval, channels: advertising.parameters.channelMap.rawValue, pdu: pdu))
    }

    /// Continues as an advertiser with timers, at the same place of the event.
    mutating func leaveLane(
        _ beacon: BeaconLane.Beacon, _ current: BeaconTransmission?, on channel: UInt8, _ medium: inout Medium
    ) {
        random = beacon.random
        guard let current else {
            advertising.due = beacon.eventStart
            return arm(.advertising, at: beacon.eventStart, sequence: beacon.sequence, &medium)
        }
        owner = .advertiser
        advertising.resume(from: beacon.eventStart, on: channel)
        medium.transmit(from: index, at: current.start, on: channel, sequence: beacon.sequence) { $0 = beacon.pdu }
    }
}
