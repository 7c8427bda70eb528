import BLEWire

extension BeaconLane {
    // MARK: Transmissions in progress

    /// The power of all beacons but one that overlap a transmission, in mW.
    ///
    /// - Parameters:
    ///   - excluded: The index of the transmission itself on its channel; -1 for one of another controller.
    ///   - others: The power of other transmissions, which the result includes.
    ///   - limit: The sum that ends the search.
    func interference(
        on channel: UInt8, from start: Instant, to end: Instant, except excluded: Int, at position: RadioPosition,
        with others: Double, upTo limit: Double, _ model: SignalModel
    ) -> Double {
        air[Int(channel) - 37].withUnsafeBufferPointer {
            Self.interference(
                of: $0, from: start, to: end, except: excluded, at: position, with: others, upTo: limit, model)
        }
    }

    private static func interference(
        of air: UnsafeBufferPointer<BeaconTransmission>, from start: Instant, to end: Instant, except excluded: Int,
        at position: RadioPosition, with others: Double = 0, upTo limit: Double, _ model: SignalModel
    ) -> Double {
        var sum = others
        // The list is ordered by ends. One that ends much later also starts later.
        let last = end + BeaconTransmission.longest
        var place = firstIndex(endingAfter: start, in: air)
        while place < air.count, air[place].end < last {
            defer { place += 1 }
            guard air[place].start < end, place != excluded else { continue }
            sum += model.interference(
                of: air[place].milliwatts, from: air[place].position, at: position)
            if sum > limit { break }
        }
        return sum
    }

    private static func firstIndex(
        endingAfter time: Instant, in air: UnsafeBufferPointer<BeaconTransmission>
    ) -> Int {
        var (low, high) = (0, air.count)
        while low < high {
            let middle = (low + high) / 2
            if air[middle].end > time { high = middle } else { low = middle + 1 }
        }
        return low
    }

    func transmissionsInFlight(at now: Instant) -> [(BeaconTransmission, UInt8)] {
        (0..<3).flatMap { channel in
            air[channel][nextEnd[channel]...].filter { $0.start <= now && $0.end > now }
                .map { ($0, UInt8(37 + channel)) }
        }
    }

    /// The last end of the beacons' transmissions that a device at `position` is receiving with this tuning; nil if there is none.
    func endOfPacketBeingReceived(
        at position: RadioPosition, _ tuning: Medium.Tuning, now: Instant, _ model: SignalModel
    )
        -> Instant?
    {
        guard tuning.channel >= 37, !air[Int(tuning.channel) - 37].isEmpty, tuning.phy.hears(.oneM) else { return nil }
        let channel = Int(tuning.channel) - 37
        var first = nextEnd[channel]
        while first > 0, air[channel][first - 1].end >= now { first -= 1 }
        // One that ends much later has not begun.
        return air[channel][first...].prefix { $0.end < now + BeaconTransmission.longest }.last {
            $0.start < now && $0.start >= tuning.since
                && model.pathLoss.isDetectable(model.signal($0.power, from: $0.position, at: position), phy: .oneM)
        }?.end
    }

    // MARK: Estimates

    /// Computes the receptions of all transmissions that end before `time`, by the devices that listen now.
    ///
    /// All transmissions that begin before `time` are in `air`, so the interference of beacons is complete.
    mutating func estimate(before time: Instant, _ medium: borrowing Medium) {
        estimates.removeAll(keepingCapacity: true)
        // Fading draws a random number for each reception, in the order of the receptions.
        guard medium.configuration.fading <= 0 else { return }
        for channel in 0..<3 {
            for place in nextEnd[channel]..<air[channel].count where air[channel][place].end < time {
                collect(place, on: UInt8(37 + channel), medium)
            }
        }
        guard !estimates.isEmpty else { return }
        let parts = min(threads.count, max(1, estimates.count / threads.minimumWork))
        let (count, model) = (estimates.count, medium.model)
        let (run, air) = (threads.run, air)
        estimates.withUnsafeMutableBufferPointer { estimates in
            // The threads read `air`, which does not change meanwhile, and each writes estimates of its own.
            nonisolated(unsafe) let estimates = estimates
            let compute = { @Sendable (part: Int) in
                for index in part * count / parts..<(part + 1) * count / parts {
                    let estimate = estimates[index]
                    air[Int(estimate.channel) - 37].withUnsafeBufferPointer {
                        estimates[index] = Self.completed(estimate, $0, model)
                    }
                }
            }
            if parts == 1 { compute(0) } else { run(parts, compute) }
        }
    }

    private mutating func collect(_ place: Int, on channel: UInt8, _ medium: borrowing Medium) {
        let beacon = air[Int(channel) - 37][place].beacon
        air[Int(channel) - 37][place].firstEstimate = Int32(estimates.count)
        let home = medium.devices[Int(beacons[Int(beacon)].device)].cell
        for cell in medium.cells[home].neighbours {
            for listener in medium.cells[cell].listeners[channel] {
                estimates.append(
                    ReceptionEstimate(
                        receiver: listener, channel: channel, transmission: Int32(place),
                        position: medium.devices[Int(listener)].position))
            }
        }
        air[Int(channel) - 37][place].estimateCount =
            Int32(estimates.count) - air[Int(channel) - 37][place].firstEstimate
    }

    private static func completed(
        _ estimate: ReceptionEstimate, _ air: UnsafeBufferPointer<BeaconTransmission>, _ model: SignalModel
    ) -> ReceptionEstimate {
        var estimate = estimate
        let place = Int(estimate.transmission)
        let transmission = air[place]
        let distance = transmission.position.squaredDistance(to: estimate.position)
        let power = model.pathLoss.receivedMilliwatts(power: transmission.milliwatts, squaredDistance: distance)
        guard power >= model.pathLoss.faintestMilliwatts else { return estimate }
        let received = model.signal(transmission.power, from: transmission.position, at: estimate.position)
        guard model.pathLoss.isDetectable(received, phy: .oneM) else { return estimate }
        estimate.received = received
        let limit = model.pathLoss.hopelessInterference(
            received: model.hasWalls ? Mathematics.ratio(decibels: received) : power, phy: .oneM)
        estimate.limit = limit
        estimate.interference = interference(
            of: air, from: transmission.start, to: transmission.end, except: place, at: estimate.position, upTo: limit,
            model)
        estimate.success =
            estimate.interference > limit
            ? 0
            : model.pathLoss.success(
                received: received, phy: .oneM, bits: 8 * (Int(transmission.length) + 8),
                interference: estimate.interference)
        return estimate
    }

    /// The estimate of a reception of a transmission; nil if the receiver did not listen or has moved.
    func estimate(of transmission: BeaconTransmission, at receiver: Int32, _ position: RadioPosition)
        -> ReceptionEstimate?
    {
        guard transmission.estimateCount > 0 else { return nil }
        let first = Int(transmission.firstEstimate)
        return estimates[first..<first + Int(transmission.estimateCount)].first {
            $0.receiver == receiver && $0.position == position
        }
    }
}
