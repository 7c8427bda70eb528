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
        advertising.prepare(slot, shared)
        advertising.chooseAddress(of: slot, shared)
        let set = advertising[slot]
        var pdu: [UInt8] = []
        set.appendAdvertisement(on: 37, to: &pdu)
        medium.expect(LL.PHY.oneM.airTime(pduLength: pdu.count), on: 37)
        shared.radio.cancel(.advertising, &medium)
        let device = medium.devices[Int(shared.radio.index)]
        var beacon = BeaconEngine.Beacon(
            device: shared.radio.index, cell: device.cell, position: device.position, milliwatts: device.milliwatts,
            power: device.power, eventStart: set.due, random: shared.random, lastRandom: shared.random,
            interval: set.interval, channels: set.parameters.primaryChannelMap.rawValue,
            length: UInt8(truncatingIfNeeded: pdu.count))
        if !set.isLegacy {
            // The channel in the PDUs changes from event to event.
            pdu = []
            let length = set.auxiliary.advertisementLayout.pduLength(0)
            beacon.auxiliary = BeaconEngine.Auxiliary(
                slot: slot, channels: set.auxiliary.channels.event(-1), phy: set.secondaryPHY, length: UInt16(length),
                space: set.auxiliarySpace)
            medium.expect(set.secondaryPHY.airTime(pduLength: length), on: 0)
        }
        medium.lane.add(beacon, pdu)
    }

    /// The PDU that the lane sends on a channel.
    mutating func beaconPDU(on channel: UInt8, at start: Instant, _ auxiliary: BeaconEngine.Auxiliary) -> [UInt8] {
        var pdu: [UInt8] = []
        advertising[auxiliary.slot].auxiliary.channels = auxiliary.channels
        advertising[auxiliary.slot].appendBeaconPDU(on: channel, at: start, to: &pdu)
        return pdu
    }

    /// Continues as an advertiser with timers, at the same place of the event.
    mutating func leaveLane(_ departure: BeaconEngine.Departure, _ medium: inout Medium) {
        guard let slot = advertising.beacon else { return }
        shared.random = departure.random
        if let channels = departure.auxiliary { advertising[slot].auxiliary.channels = channels }
        guard let transmission = departure.current else {
            advertising[slot].due = departure.eventStart
            return shared.radio.arm(.advertising, at: departure.eventStart, &medium)
        }
        shared.radio.owner = .advertiser(slot)
        advertising[slot].resume(from: departure.eventStart, on: transmission.channel)
        medium.transmit(
            from: shared.radio.index, at: transmission.start, on: transmission.channel, phy: transmission.phy
        ) { advertising[slot].appendBeaconPDU(on: transmission.channel, at: transmission.start, to: &$0) }
    }
}

extension AdvertisingSet {
    fileprivate func appendBeaconPDU(on channel: UInt8, at start: Instant, to pdu: inout [UInt8]) {
        if channel < 37 { appendAuxiliary(0, at: start, to: &pdu) } else { appendAdvertisement(on: channel, to: &pdu) }
    }
}
