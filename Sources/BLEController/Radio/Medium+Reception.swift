import BLEWire

extension Medium {
    // MARK: Reception

    /// The last end of the transmissions that `device` is receiving; nil if there is none.
    func endOfPacketBeingReceived(by device: Int32, now: Instant) -> Instant? {
        guard let tuning = devices[Int(device)].tuning else { return nil }
        if tuning.accessAddress != LL.advertisingAccessAddress {
            // Only devices of the same link send with its access address, at any distance.
            for other in subscribers[tuning.accessAddress] ?? [] where other != device {
                let index = devices[Int(other)].sending
                if index >= 0, isBeingReceived(index, by: device, tuning, now) { return transmissions[Int(index)].end }
            }
            return nil
        }
        var last = lane.endOfPacketBeingReceived(at: devices[Int(device)].position, tuning, now: now, model)
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
            signal(of: index, at: devices[Int(device)].position), phy: transmissions[index].phy)
    }

    /// Determines the receivers of a transmission that ends now, into `receipts`.
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
    }

    /// - Parameter estimate: The arithmetic of this reception, if it was done before.
    mutating func consider(_ receiver: Int32, for index: Int32, _ estimate: ReceptionEstimate? = nil) {
        lookUps += 1
        guard let tuning = devices[Int(receiver)].tuning, tuning.channel == transmissions[Int(index)].channel,
            tuning.accessAddress == transmissions[Int(index)].accessAddress,
            tuning.phy.hears(transmissions[Int(index)].phy), tuning.since <= transmissions[Int(index)].start
        else { return }
        let device = devices[Int(receiver)]
        let phy = transmissions[Int(index)].phy
        let bits = 8 * (transmissions[Int(index)].pdu.count + 8)
        var received: Double
        var success: Double
        if let estimate {
            received = estimate.received
            guard received > -.infinity else { return }
            success = estimate.success
            let others = success > 0 ? interferenceOfControllers(with: index, at: device) : 0
            if others > 0 {
                let interference = estimate.interference + others
                success =
                    interference > estimate.limit
                    ? 0 : pathLoss.success(received: received, phy: phy, bits: bits, interference: interference)
            }
        } else {
            // Most receivers of a large radio are out of range, which needs no logarithm. Walls only attenuate further.
            let power = milliwatts(of: index, at: device.position)
            if configuration.fading <= 0, power < pathLoss.faintestMilliwatts { return }
            received = signal(of: Int(index), at: device.position)
            if configuration.fading > 0 { received += configuration.fading * normal() }
            guard pathLoss.isDetectable(received, phy: phy) else { return }
            let isPowerExact = configuration.fading <= 0 && !model.hasWalls
            let limit = pathLoss.hopelessInterference(
                received: isPowerExact ? power : Mathematics.ratio(decibels: received), phy: phy)
            let interference = interference(with: index, at: device, upTo: limit)
            success =
                interference > limit
                ? 0 : pathLoss.success(received: received, phy: phy, bits: bits, interference: interference)
        }
        if configuration.loss > 0 { success *= 1 - min(1, configuration.loss) }
        if device.loss > 0 { success *= 1 - device.loss }
        let sender = Int(transmissions[Int(index)].sender)
        if devices[sender].loss > 0 { success *= 1 - devices[sender].loss }
        var outcome = AirPacket.Outcome.received
        if success < 1 {
            let draw = random.unit()
            if draw >= success {
                // A bit error in the preamble or the access address hides the packet. A later one corrupts it.
                let rest = (draw - success) / (1 - success)
                outcome = rest * Double(bits) < 40 ? .missed : .corrupted
            }
        }
        receipts.append(
            Receipt(receiver: receiver, rssi: Int8(max(-127, min(20, received.rounded()))), outcome: outcome))
    }

    /// The power in mW without walls.
    private func milliwatts(of index: Int32, at position: RadioPosition) -> Double {
        pathLoss.receivedMilliwatts(
            power: transmissions[Int(index)].milliwatts,
            squaredDistance: transmissions[Int(index)].position.squaredDistance(to: position))
    }

    private func signal(of index: Int, at position: RadioPosition) -> Double {
        model.signal(transmissions[index].power, from: transmissions[index].position, at: position)
    }

    /// The power of all other transmissions on the channel during a transmission, in mW.
    ///
    /// - Parameter limit: The sum that ends the search, because more makes no difference. In a crowd, a few transmissions reach it.
    mutating func interference(with index: Int32, at device: Device, upTo limit: Double = .infinity) -> Double {
        let sum = interferenceOfControllers(with: index, at: device, upTo: limit)
        let channel = transmissions[Int(index)].channel
        guard sum <= limit, channel >= 37, !lane.air[Int(channel) - 37].isEmpty else { return sum }
        return lane.interference(
            on: channel, from: transmissions[Int(index)].start, to: transmissions[Int(index)].end,
            except: index == beaconSlot ? lane.lastEnded(on: channel) : -1, at: device.position,
            with: sum, upTo: limit, model)
    }

    /// The same without the beacons in the lane.
    private mutating func interferenceOfControllers(
        with index: Int32, at device: Device, upTo limit: Double = .infinity
    ) -> Double {
        var sum = 0.0
        let (channel, start, end) = (
            transmissions[Int(index)].channel, transmissions[Int(index)].start, transmissions[Int(index)].end
        )
        for near in cells[device.cell].neighbours {
            lookUps += cells[near].transmissions[channel].count
            for other in cells[near].transmissions[channel]
            where other.start < end && other.end > start && other.index != index && other.channel == channel {
                sum += model.interference(
                    of: transmissions[Int(other.index)].milliwatts, from: transmissions[Int(other.index)].position,
                    at: device.position)
                if sum > limit { return sum }
            }
        }
        return sum
    }

    /// A sample of an approximate normal distribution with mean 0, deviation 1 and limits of 6.
    private mutating func normal() -> Double {
        var sum = -6.0
        for _ in 0..<12 { sum += random.unit() }
        return sum
    }
}
