import BLEWire

/// A device that listens to advertisers, as the lane computes its receptions.
struct BeaconListener {
    var device: Int32
    var epoch: UInt32
    var cell: Int32
    var channel: UInt8
    var phy: LL.PHY
    var position: RadioPosition
    var since: Instant
    /// Whether the device awaits an answer or AUX_ADV_IND, and so listens for a moment only.
    var awaitsAnswer: Bool
    /// Whether receptions without effect are needed too.
    var needsLost: Bool
}

/// What the receptions of beacons depend on besides the listeners.
struct BeaconScene {
    var cells: Cells
    var model: ReceptionModel
    /// Whether each transmission and all its receptions are needed, also those without an effect.
    var isObserved: Bool
    var longest: ByChannelKind<TimeSpan>
}

/// One thread's part of the work for a slice, with its storage. It reads the lane, which does not change meanwhile, and writes only here.
///
/// The dynamic checks of exclusive access are off, because they cost in the innermost loops: one thread at a time uses a worker, and no method
/// is called by what it calls.
final class BeaconWorker {
    /// The new transmissions of this part by list, and their number.
    @exclusivity(unchecked) private(set) var made: [[BeaconTransmission]] = []
    @exclusivity(unchecked) private(set) var madeCount = 0
    /// The beacons of this part, and the slots of their next events.
    @exclusivity(unchecked) private(set) var nextSlots: [(beacon: Int32, slot: Int32)] = []
    /// The receptions of this part.
    @exclusivity(unchecked) var receptions: [BeaconReception] = []
    /// Times in nanoseconds since a recent one, and what they belong to, to be sorted.
    @exclusivity(unchecked) private var keys: [UInt64] = []
    /// The transmissions of a channel in nine cells, ordered by ends. `keys` has the numbers of the cells and the places in their lists.
    @exclusivity(unchecked) private var near: [Int32] = []
    @exclusivity(unchecked) private var air: [BeaconTransmission] = []
    /// For each of them, the index of the first one that ends after its start.
    @exclusivity(unchecked) private var first: [Int32] = []
    /// The cells and the channel of `air`.
    @exclusivity(unchecked) private var built: (near: Set<Int32>, channel: UInt8)?
    /// The received powers and the interference of the transmissions at a listener, in mW.
    @exclusivity(unchecked) private var powers: [Double] = []
    @exclusivity(unchecked) private var noises: [Double] = []

    // MARK: Transmissions

    /// Creates the transmissions of the next events of beacons, and draws the events after these.
    func takeEvents(_ events: ArraySlice<Int32>, _ beacons: UnsafeMutableBufferPointer<BeaconEngine.Beacon>) {
        let beacons = beacons.baseAddress.unsafelyUnwrapped
        // Events in order make nearly ordered lists. All events are in one slice.
        keys.removeAll(keepingCapacity: true)
        for index in events {
            let start = beacons[Int(index)].eventStart.nanoseconds & (1 << BeaconEngine.sliceBits - 1)
            keys.append(UInt64(start) << 32 | UInt64(index))
        }
        keys.sort()
        nextSlots.removeAll(keepingCapacity: true)
        for key in keys {
            let beacon = beacons + Int(key & 0xFFFF_FFFF)
            var end = beacon.pointee.eventStart - LL.interFrameSpace
            for channel in UInt8(37)..<40 where beacon.pointee.channels >> (channel - 37) & 1 != 0 {
                end = transmit(
                    beacon, at: end + LL.interFrameSpace, on: channel, .oneM, length: UInt16(beacon.pointee.length))
            }
            if let auxiliary = beacon.pointee.auxiliary?.nextEvent() {
                _ = transmit(
                    beacon, at: end + auxiliary.space, on: auxiliary.channels[0], auxiliary.phy,
                    length: auxiliary.length)
            }
            nextSlots.append(
                (Int32(key & 0xFFFF_FFFF), Int32(BeaconEngine.slot(BeaconEngine.slice(beacon.pointee.drawNext())))))
        }
        for list in made.indices where made[list].count > 1 { made[list].sort { $0.endsBefore($1) } }
    }

    /// Returns the end of the transmission.
    @inline(__always)
    private func transmit(
        _ beacon: UnsafeMutablePointer<BeaconEngine.Beacon>, at start: Instant, on channel: UInt8, _ phy: LL.PHY,
        length: UInt16
    ) -> Instant {
        let list = BeaconEngine.list(beacon.pointee.cell, channel)
        while made.count <= list { made.append([]) }
        let end = start + phy.airTime(pduLength: Int(length))
        made[list].append(
            BeaconTransmission(
                start: start, end: end, position: beacon.pointee.position, milliwatts: beacon.pointee.milliwatts,
                power: beacon.pointee.power, sender: beacon.pointee.device, length: length, channel: channel, phy: phy))
        madeCount += 1
        return end
    }

    func clearMade() {
        for list in made.indices where !made[list].isEmpty { made[list].removeAll(keepingCapacity: true) }
        madeCount = 0
    }

    // MARK: Receptions

    /// Computes the receptions of transmissions on primary channels that end in `ends`. Listeners of one channel and cell follow each other.
    func compute(
        _ listeners: ArraySlice<BeaconListener>, ends: Range<Instant>, _ lists: [[BeaconTransmission]],
        _ scene: BeaconScene
    ) {
        let (cells, model) = (scene.cells, scene.model)
        receptions.removeAll(keepingCapacity: true)
        built = nil
        var cell: Int32 = -1
        for listener in listeners {
            if built?.channel != listener.channel || cell != listener.cell {
                cell = listener.cell
                let near = Set(cells[cell].neighbours)
                // All cells of a small world have the same neighbours.
                if built?.channel != listener.channel || built?.near != near {
                    // One that ended before cannot overlap one that ends in `ends`.
                    self.near = cells[cell].neighbours
                    build(listener.channel, lists, from: ends.lowerBound - scene.longest[listener.channel])
                    built = (near, listener.channel)
                }
            }
            compute(listener, ends, model, scene.longest[listener.channel])
        }
    }

    private func build(_ channel: UInt8, _ lists: [[BeaconTransmission]], from origin: Instant) {
        keys.removeAll(keepingCapacity: true)
        var parts = 0
        for (number, cell) in near.enumerated() {
            let list = BeaconEngine.list(cell, channel)
            guard list < lists.count else { continue }
            let start = lists[list].firstIndex(endingAfter: origin)
            guard start < lists[list].count else { continue }
            parts += 1
            // At most nine cells, and ends within two slices.
            for place in start..<lists[list].count {
                let end = UInt64((lists[list][place].end - origin).nanoseconds)
                keys.append(end << 36 | UInt64(number) << 32 | UInt64(place))
            }
        }
        if parts > 1 { keys.sort() }
        air.removeAll(keepingCapacity: true)
        first.removeAll(keepingCapacity: true)
        var candidate = 0
        for key in keys {
            let (list, place) = place(key, channel)
            let transmission = lists[list][place]
            // The starts are nearly in the order of the ends.
            while candidate > 0, air[candidate - 1].end > transmission.start { candidate -= 1 }
            while candidate < air.count, air[candidate].end <= transmission.start { candidate += 1 }
            air.append(transmission)
            first.append(Int32(candidate))
        }
        if powers.count < air.count {
            powers = Array(repeating: 0, count: air.count)
            noises = powers
        }
    }

    /// The list of a transmission, and its place in it.
    private func place(_ key: UInt64, _ channel: UInt8) -> (list: Int, place: Int) {
        (BeaconEngine.list(near[Int(key >> 32 & 15)], channel), Int(key & 0xFFFF_FFFF))
    }

    private func compute(
        _ listener: BeaconListener, _ ends: Range<Instant>, _ model: ReceptionModel, _ longest: TimeSpan
    ) {
        let count = air.count
        air.withUnsafeBufferPointer { air in
            powers.withUnsafeMutableBufferPointer { powers in
                noises.withUnsafeMutableBufferPointer { noises in
                    for index in 0..<count {
                        powers[index] = model.pathLoss.receivedMilliwatts(
                            power: air[index].milliwatts,
                            squaredDistance: air[index].position.squaredDistance(to: listener.position))
                        noises[index] = model.signals.interference(
                            ofReceived: powers[index], from: air[index].position, at: listener.position)
                    }
                    first.withUnsafeBufferPointer { first in
                        for index in 0..<count
                        where air[index].start >= listener.since && ends.contains(air[index].end) {
                            receive(index, listener, model, air, powers, noises, Int(first[index]), longest)
                        }
                    }
                }
            }
        }
    }

    @inline(__always)
    private func receive(
        _ index: Int, _ listener: BeaconListener, _ model: ReceptionModel,
        _ air: UnsafeBufferPointer<BeaconTransmission>, _ powers: UnsafeMutableBufferPointer<Double>,
        _ noises: UnsafeMutableBufferPointer<Double>, _ first: Int, _ longest: TimeSpan
    ) {
        var packet = air[index].packet
        // A constant saves the choice by PHY in the innermost loop.
        packet.phy = .oneM
        let result = model.reception(
            of: packet, power: powers[index], by: listener.device, at: listener.position,
            needsLost: listener.needsLost
        ) { limit in
            var sum = 0.0
            let (start, end) = (air[index].end, air[index].end + longest)
            var other = first
            // One that ends much later also starts later.
            while other < air.count, air[other].end < end {
                if air[other].start < start, other != index {
                    sum += noises[other]
                    if sum > limit { break }
                }
                other += 1
            }
            return sum
        }
        guard let result else { return }
        // Losses and other transmissions only lower the probability.
        guard listener.needsLost || result.success >= 1 || model.draw(of: packet, at: listener.device) < result.success
        else { return }
        let (list, place) = place(keys[index], listener.channel)
        receptions.append(
            BeaconReception(
                receiver: listener.device, epoch: listener.epoch, list: Int32(list), place: Int32(place),
                result: result))
    }
}
