import BLEWire

extension Medium {
    // MARK: Reception

    /// The last end of the transmissions that `device` is receiving, by its clock; nil if there is none.
    ///
    /// It is mutating, because the call of a nonmutating method would copy the medium.
    mutating func endOfPacketBeingReceived(by device: Int32) -> Instant? {
        guard let end = endOfPacketBeingReceived(by: device, now: time) else { return nil }
        return clocks.reading(of: device, at: end)
    }

    private mutating func endOfPacketBeingReceived(by device: Int32, now: Instant) -> Instant? {
        guard let tuning = devices[Int(device)].tuning else { return nil }
        if tuning.accessAddress != LL.advertisingAccessAddress {
            // Only devices of the same link send with its access address, at any distance.
            for other in subscribers[tuning.accessAddress] ?? [] where other != device {
                let index = devices[Int(other)].sending
                if index >= 0, isBeingReceived(index, by: device, tuning, now) { return transmissions[Int(index)].end }
            }
            return nil
        }
        var last = endOfBeaconBeingReceived(by: device, tuning, now: now)
        for cell in cells[devices[Int(device)].cell].neighbours {
            for other in cells[cell].transmissions[tuning.channel]
            where other.start < now && other.end >= last ?? now && other.start >= tuning.since
                && isBeingReceived(other.index, by: device, tuning, now)
            {
                last = other.end
            }
        }
        return last
    }

    /// Whether `device` with this tuning is receiving a transmission.
    private func isBeingReceived(_ index: Int32, by device: Int32, _ tuning: Tuning, _ now: Instant) -> Bool {
        let index = Int(index)
        guard transmissions[index].channel == tuning.channel,
            transmissions[index].accessAddress == tuning.accessAddress,
            transmissions[index].start >= tuning.since, transmissions[index].start < now,
            transmissions[index].end >= now,
            tuning.phy.hears(transmissions[index].phy), !transmissions[index].isCut
        else { return false }
        return pathLoss.isDetectable(
            model.signals.signal(
                transmissions[index].power, from: transmissions[index].position, at: devices[Int(device)].position),
            phy: transmissions[index].phy)
    }

    /// Determines the receivers of a transmission that ends now, into `receipts`, in the order of their numbers.
    mutating func evaluate(_ index: Int32) {
        receipts.removeAll(keepingCapacity: true)
        guard !transmissions[Int(index)].isCut else { return }
        if transmissions[Int(index)].accessAddress == LL.advertisingAccessAddress {
            let (home, channel) = (transmissions[Int(index)].cell, transmissions[Int(index)].channel)
            for position in cells[home].neighbours.indices {
                let cell = cells[home].neighbours[position]
                for listener in cells[cell].listeners[channel].indices {
                    consider(cells[cell].listeners[channel][listener], for: index)
                }
            }
        } else if let listeners = subscribers[transmissions[Int(index)].accessAddress] {
            for listener in listeners { consider(listener, for: index) }
        }
        if receipts.count > 1 { receipts.sort { $0.receiver < $1.receiver } }
    }

    private mutating func consider(_ receiver: Int32, for index: Int32) {
        lookUps += 1
        guard let tuning = devices[Int(receiver)].tuning, tuning.channel == transmissions[Int(index)].channel,
            tuning.accessAddress == transmissions[Int(index)].accessAddress,
            tuning.phy.hears(transmissions[Int(index)].phy), tuning.since <= transmissions[Int(index)].start
        else { return }
        let position = devices[Int(receiver)].position
        let packet = ReceptionModel.Packet(
            start: transmissions[Int(index)].start, position: transmissions[Int(index)].position,
            power: transmissions[Int(index)].power, sender: transmissions[Int(index)].sender,
            phy: transmissions[Int(index)].phy, bits: 8 * (transmissions[Int(index)].pdu.count + 8))
        let power = pathLoss.receivedMilliwatts(
            power: transmissions[Int(index)].milliwatts, squaredDistance: packet.position.squaredDistance(to: position))
        var examined = 0
        let result = model.reception(
            of: packet, power: power, by: receiver, at: position, needsLost: isObserved || !tuning.ignoresErrors
        ) { interference(with: index, at: receiver, upTo: $0, &examined) }
        lookUps += examined
        if let result { conclude(result, packet, at: receiver) }
    }

    /// Draws the outcome of a reception and appends its receipt.
    mutating func conclude(
        _ result: ReceptionModel.Result, _ packet: ReceptionModel.Packet, at receiver: Int32
    ) {
        var success = result.success
        if configuration.loss > 0 { success *= 1 - min(1, configuration.loss) }
        if devices[Int(receiver)].loss > 0 { success *= 1 - devices[Int(receiver)].loss }
        if devices[Int(packet.sender)].loss > 0 { success *= 1 - devices[Int(packet.sender)].loss }
        var outcome = AirPacket.Outcome.received
        if success < 1 {
            let draw = model.draw(of: packet, at: receiver)
            if draw >= success {
                // A bit error in the preamble or the access address hides the packet. A later one corrupts it.
                let rest = (draw - success) / (1 - success)
                outcome = rest * Double(packet.bits) < 40 ? .missed : .corrupted
            }
        }
        receipts.append(
            Receipt(receiver: receiver, rssi: Int8(max(-127, min(20, result.received.rounded()))), outcome: outcome))
    }

    /// The power of all other transmissions on the channel during a transmission, in mW.
    ///
    /// - Parameters:
    ///   - limit: The sum that ends the search, because more makes no difference. In a crowd, a few transmissions reach it.
    ///   - examined: Counts the transmissions that were examined.
    func interference(
        with index: Int32, at receiver: Int32, upTo limit: Double = .infinity, _ examined: inout Int
    ) -> Double {
        let (channel, start, end) = (
            transmissions[Int(index)].channel, transmissions[Int(index)].start, transmissions[Int(index)].end
        )
        let sum = interferenceOfTransmissions(
            on: channel, from: start, to: end, except: index, at: receiver, upTo: limit, &examined)
        guard sum <= limit, !lane.isEmpty else { return sum }
        return interferenceOfBeacons(
            on: channel, from: start, to: end, at: receiver, with: sum, upTo: limit)
    }

    /// The same without the beacons in the lane.
    func interferenceOfTransmissions(
        on channel: UInt8, from start: Instant, to end: Instant, except index: Int32, at receiver: Int32,
        upTo limit: Double, _ examined: inout Int
    ) -> Double {
        var sum = 0.0
        for near in cells[devices[Int(receiver)].cell].neighbours {
            examined += cells[near].transmissions[channel].count
            for other in cells[near].transmissions[channel]
            where other.start < end && other.end > start && other.index != index && other.channel == channel {
                sum += model.signals.interference(
                    of: transmissions[Int(other.index)].milliwatts, from: transmissions[Int(other.index)].position,
                    at: devices[Int(receiver)].position)
                if sum > limit { return sum }
            }
        }
        return sum
    }
}
