import BLEWire

extension Medium {
    // MARK: Reception

    /// The end of the transmission that `device` is receiving; nil if there is none.
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
        for cell in cells[devices[Int(device)].cell].neighbours {
            for other in cells[cell].transmissions[tuning.channel]
            where other.start < now && other.end >= now && other.start >= tuning.since
                && isBeingReceived(other.index, by: device, tuning, now)
            {
                return other.end
            }
        }
        return nil
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
            signal(of: Int32(index), at: devices[Int(device)].position), phy: transmissions[index].phy)
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

    private mutating func consider(_ receiver: Int32, for index: Int32) {
        lookUps += 1
        guard let tuning = devices[Int(receiver)].tuning, tuning.channel == transmissions[Int(index)].channel,
            tuning.accessAddress == transmissions[Int(index)].accessAddress,
            tuning.phy.hears(transmissions[Int(index)].phy), tuning.since <= transmissions[Int(index)].start
        else { return }
        let device = devices[Int(receiver)]
        // Most receivers of a large radio are out of range, which needs no logarithm. Walls only attenuate further.
        if configuration.fading <= 0, milliwatts(of: index, at: device.position) < pathLoss.faintestMilliwatts {
            return
        }
        var received = signal(of: index, at: device.position)
        if configuration.fading > 0 { received += configuration.fading * normal() }
        let phy = transmissions[Int(index)].phy
        guard pathLoss.isDetectable(received, phy: phy) else { return }
        let bits = 8 * (transmissions[Int(index)].pdu.count + 8)
        var success = pathLoss.success(
            received: received, phy: phy, bits: bits,
            interference: interference(
                with: index, at: device,
                upTo: pathLoss.hopelessInterference(received: Mathematics.ratio(decibels: received), phy: phy)))
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

    private func attenuation(between one: RadioPosition, and other: RadioPosition) -> Double {
        configuration.walls.reduce(0) { $1.stands(between: one, and: other) ? $0 + $1.attenuation : $0 }
    }

    /// The power in mW without walls.
    private func milliwatts(of index: Int32, at position: RadioPosition) -> Double {
        pathLoss.receivedMilliwatts(
            power: transmissions[Int(index)].milliwatts,
            squaredDistance: transmissions[Int(index)].position.squaredDistance(to: position))
    }

    private func signal(of index: Int32, at position: RadioPosition) -> Double {
        let source = transmissions[Int(index)].position
        var power = pathLoss.received(
            power: transmissions[Int(index)].power, squaredDistance: source.squaredDistance(to: position))
        if hasWalls { power -= attenuation(between: source, and: position) }
        return power
    }

    /// The power of all other transmissions on the channel during a transmission, in mW.
    ///
    /// - Parameter limit: The sum that ends the search, because more makes no difference. In a crowd, a few transmissions reach it.
    mutating func interference(with index: Int32, at device: Device, upTo limit: Double = .infinity) -> Double {
        var sum = 0.0
        let (channel, start, end) = (
            transmissions[Int(index)].channel, transmissions[Int(index)].start, transmissions[Int(index)].end
        )
        for near in cells[device.cell].neighbours {
            lookUps += cells[near].transmissions[channel].count
            for other in cells[near].transmissions[channel]
            where other.start < end && other.end > start && other.index != index && other.channel == channel {
                var power = milliwatts(of: other.index, at: device.position)
                guard power >= pathLoss.floorMilliwatts else { continue }
                if hasWalls {
                    let source = transmissions[Int(other.index)].position
                    power *= Mathematics.ratio(decibels: -attenuation(between: source, and: device.position))
                    guard power >= pathLoss.floorMilliwatts else { continue }
                }
                sum += power
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
