import BLEWire

/// A controller that only advertises, without answers, is a beacon: the lane of its medium sends its PDUs.
extension Controller {
    /// Whether all that the controller does until the next call of its host follows from its own random numbers.
    ///
    /// In the lane, the random numbers, the owner of the radio, and the state and times of `advertising` are stale. `quietUntil` reads none of them,
    /// and a beacon has no output, so the lane does not end the quiet.
    func isBeacon(at now: Instant) -> Bool {
        guard shared.radio.owner == .free, let slot = advertising.beacon else { return false }
        return !discovery.scanning.isEnabled && !discovery.initiating.isEnabled && discovery.syncs.isEmpty
            && !advertising.hasTrain && shared.connections.links.openSlots.isEmpty
            // The slice of the present is prepared.
            && advertising[slot].due >= now + BeaconEngine.sliceLength
    }

    mutating func enterLane(_ medium: inout Medium) {
        guard let slot = advertising.beacon else { return }
        advertising.chooseAddress(of: slot, shared)
        var pdu: [UInt8] = []
        advertising[slot].appendAdvertisement(on: 37, to: &pdu)
        medium.expectAdvertising(of: LL.PHY.oneM.airTime(pduLength: pdu.count))
        shared.radio.cancel(.advertising, &medium)
        let device = medium.devices[Int(shared.radio.index)]
        medium.lane.add(
            BeaconEngine.Beacon(
                device: shared.radio.index, cell: device.cell, position: device.position, milliwatts: device.milliwatts,
                power: device.power, eventStart: advertising[slot].due, random: shared.random,
                lastRandom: shared.random, interval: advertising[slot].interval,
                channels: advertising[slot].parameters.primaryChannelMap.rawValue,
                length: UInt8(truncatingIfNeeded: pdu.count)),
            pdu)
    }

    /// Continues as an advertiser with timers, at the same place of the event.
    mutating func leaveLane(_ departure: BeaconEngine.Departure, _ medium: inout Medium) {
        guard let slot = advertising.beacon else { return }
        shared.random = departure.random
        guard let (transmission, channel) = departure.current else {
            advertising[slot].due = departure.eventStart
            return shared.radio.arm(.advertising, at: departure.eventStart, &medium)
        }
        shared.radio.owner = .advertiser(slot)
        advertising[slot].resume(from: departure.eventStart, on: channel)
        medium.transmit(from: shared.radio.index, at: transmission.start, on: channel) { $0 = departure.pdu }
    }
}
