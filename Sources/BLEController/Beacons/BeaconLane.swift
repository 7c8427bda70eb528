import BLEWire

/// The beacons of a large radio: advertisers that neither listen nor have links.
///
/// The events of a beacon follow from its own random numbers, so all its transmissions of a slice of time are known at the beginning of the
/// slice. A beacon needs no timers, and the arithmetic of receptions is done for a whole slice at once, on several threads. The radio processes
/// the transmissions in the same order as those of other controllers: by time, then by sequence number. So a run does not depend on the lane,
/// nor on the number of threads. Any call that concerns a beacon takes it out of the lane first.
struct BeaconLane {
    struct Beacon {
        var device: Int32
        /// The random numbers of its controller.
        var random: SeededRandom
        /// The start of the current or the next event.
        var eventStart: Instant
        /// The sequence number of its next step: the start of its event, or the end of its transmission.
        var sequence: UInt64
        /// The interval without the random delay.
        var interval: TimeSpan
        var channels: UInt8
        var pdu: [UInt8]
    }

    /// The next step of a beacon.
    enum Step {
        case eventStart(Int32)
        /// The end of the next transmission on a channel.
        case end(channel: UInt8)
    }

    private struct Start {
        var time: Instant
        var beacon: Int32
    }

    /// Slices of 2.1 ms. The ring is longer than the longest interval of 10.25 s.
    private static let sliceBits = 21
    private static let ringLength: Int64 = 8192

    /// The number of devices from which a radio has a lane.
    var minimumDevices = 256
    var threads = BeaconThreads.one
    private(set) var beacons: [Beacon] = []
    private var free: [Int32] = []
    /// By device; -1 for other devices.
    private var beaconOfDevice: [Int32] = []
    private(set) var count = 0
    /// The number of event starts and transmissions so far.
    private(set) var steps = 0
    /// The beacons by the slices of their next events.
    private var ring: [[Int32]] = []
    /// The last slice whose events are in `starts` and `air`.
    private var prepared: Int64 = -1
    private var starts: [Start] = []
    private var nextStart = 0
    /// The transmissions on channels 37, 38 and 39 by their ends, from those that may overlap a current one to the end of the slice.
    var air: [[BeaconTransmission]] = [[], [], []]
    /// The first transmission on each channel that has not ended.
    var nextEnd = [0, 0, 0]
    var estimates: [ReceptionEstimate] = []

    private static func slice(_ time: Instant) -> Int64 { time.nanoseconds >> sliceBits }

    func beacon(of device: Int32) -> Int32? {
        guard count > 0, Int(device) < beaconOfDevice.count, beaconOfDevice[Int(device)] >= 0 else { return nil }
        return beaconOfDevice[Int(device)]
    }

    // MARK: Beacons

    mutating func add(_ beacon: Beacon) {
        if ring.isEmpty { ring = Array(repeating: [], count: Int(Self.ringLength)) }
        // The prepared slice may lie in the future while no transmission is in progress.
        if Self.slice(beacon.eventStart) <= prepared { takeBack(before: beacon.eventStart) }
        let index: Int32
        if let reused = free.popLast() {
            index = reused
            beacons[Int(index)] = beacon
        } else {
            index = Int32(beacons.count)
            beacons.append(beacon)
        }
        while beaconOfDevice.count <= Int(beacon.device) { beaconOfDevice.append(-1) }
        beaconOfDevice[Int(beacon.device)] = index
        if count == 0 { prepared = Self.slice(beacon.eventStart) - 1 }
        count += 1
        file(index)
    }

    /// Removes a beacon. Returns it with the transmission in progress and its channel, if there is one.
    mutating func remove(_ index: Int32) -> (Beacon, BeaconTransmission?, channel: UInt8) {
        let beacon = beacons[Int(index)]
        var current: (BeaconTransmission, channel: UInt8)?
        let slot = Int(Self.slice(beacon.eventStart) & (Self.ringLength - 1))
        if let place = ring[slot].firstIndex(of: index) {
            ring[slot].swapAt(place, ring[slot].count - 1)
            ring[slot].removeLast()
        } else {
            let start = starts.indices.dropFirst(nextStart).first { starts[$0].beacon == index }
            if let start { starts.remove(at: start) }
            for channel in 0..<3 {
                // The ended transmissions stay, because they still interfere.
                for place in (nextEnd[channel]..<air[channel].count).reversed()
                where air[channel][place].beacon == index {
                    let transmission = air[channel].remove(at: place)
                    if start == nil, current.map({ transmission.end < $0.0.end }) ?? true {
                        current = (transmission, UInt8(37 + channel))
                    }
                }
            }
            forgetEstimates()
        }
        beaconOfDevice[Int(beacon.device)] = -1
        beacons[Int(index)].pdu = []
        free.append(index)
        count -= 1
        return (beacon, current?.0, current?.channel ?? 0)
    }

    private mutating func file(_ index: Int32) {
        ring[Int(Self.slice(beacons[Int(index)].eventStart) & (Self.ringLength - 1))].append(index)
    }

    // MARK: Steps

    /// What is known of the next step.
    enum Next {
        case none
        case at(Instant)
        /// This slice has to be prepared first.
        case inSlice(Int64)
    }

    mutating func next() -> Next {
        guard count > 0 else { return .none }
        let pending = firstPending()
        if let pending, Self.slice(pending) <= prepared { return .at(pending) }
        var slice = prepared + 1
        // A transmission in progress ends in the following slice.
        if pending == nil {
            while ring[Int(slice & (Self.ringLength - 1))].isEmpty { slice += 1 }
        }
        return .inSlice(slice)
    }

    /// The sequence number of the next step at `time`, the result of `next`, and the step.
    mutating func nextStep(at time: Instant) -> (sequence: UInt64, step: Step) {
        var best: (sequence: UInt64, step: Step) = (.max, .eventStart(-1))
        if nextStart < starts.count, starts[nextStart].time == time {
            // The smallest sequence number of equal times goes first.
            var place = nextStart
            var first = place
            while place < starts.count, starts[place].time == time {
                if sequence(starts[place].beacon) < best.sequence {
                    best = (sequence(starts[place].beacon), .eventStart(starts[place].beacon))
                    first = place
                }
                place += 1
            }
            starts.swapAt(nextStart, first)
        }
        for channel in 0..<3 {
            let next = nextEnd[channel]
            guard next < air[channel].count, air[channel][next].end == time else { continue }
            var place = next
            var first = next
            var least = UInt64.max
            while place < air[channel].count, air[channel][place].end == time {
                let beacon = air[channel][place].beacon
                if sequence(beacon) < least { (least, first) = (sequence(beacon), place) }
                place += 1
            }
            air[channel].swapAt(next, first)
            if least < best.sequence { best = (least, .end(channel: UInt8(37 + channel))) }
        }
        return best
    }

    private func sequence(_ beacon: Int32) -> UInt64 { beacons[Int(beacon)].sequence }

    private func firstPending() -> Instant? {
        var first = nextStart < starts.count ? starts[nextStart].time : nil
        for channel in 0..<3 {
            guard nextEnd[channel] < air[channel].count else { continue }
            let end = air[channel][nextEnd[channel]].end
            first = first.map { min($0, end) } ?? end
        }
        return first
    }

    /// Begins the event of the step. Its first transmission ends with this sequence number.
    mutating func beginEvent(_ beacon: Int32, sequence: UInt64) {
        steps += 1
        nextStart += 1
        beacons[Int(beacon)].sequence = sequence
    }

    /// Takes the transmission of the step.
    mutating func takeEnded(on channel: UInt8) -> BeaconTransmission {
        let channel = Int(channel) - 37
        steps += 1
        defer { nextEnd[channel] += 1 }
        return air[channel][nextEnd[channel]]
    }

    /// The index of the transmission that `takeEnded` returned last.
    func lastEnded(on channel: UInt8) -> Int { nextEnd[Int(channel) - 37] - 1 }

    /// Continues after a transmission: with the next one, or with the next event.
    mutating func advance(after transmission: BeaconTransmission, now: Instant, sequence: UInt64) {
        let index = Int(transmission.beacon)
        beacons[index].sequence = sequence
        guard transmission.isLast else { return }
        let delay = AdvertisingRole.randomDelay(&beacons[index].random)
        let next = beacons[index].eventStart + beacons[index].interval + delay
        beacons[index].eventStart = max(next, now + .microseconds(1))
        file(transmission.beacon)
    }

    // MARK: Slices

    /// Adds the events of a slice, and the estimates of its receptions.
    mutating func prepare(_ slice: Int64, _ medium: borrowing Medium) {
        prepared = slice
        starts.removeFirst(nextStart)
        nextStart = 0
        for channel in 0..<3 {
            // Ended transmissions may overlap one that ends later.
            let old = air[channel].prefix(nextEnd[channel])
                .firstIndex { $0.end + BeaconTransmission.longest > medium.now }
            let count = old ?? nextEnd[channel]
            air[channel].removeFirst(count)
            nextEnd[channel] -= count
        }
        let slot = Int(slice & (Self.ringLength - 1))
        for index in ring[slot] { addEvent(of: index, medium) }
        ring[slot].removeAll(keepingCapacity: true)
        starts.sort { $0.time < $1.time }
        for channel in 0..<3 { air[channel][nextEnd[channel]...].sort { $0.end < $1.end } }
        estimate(before: Instant(nanoseconds: (slice + 1) << Self.sliceBits), medium)
    }

    private mutating func addEvent(of index: Int32, _ medium: borrowing Medium) {
        let beacon = beacons[Int(index)]
        let device = medium.devices[Int(beacon.device)]
        starts.append(Start(time: beacon.eventStart, beacon: index))
        let airTime = LL.PHY.oneM.airTime(pduLength: beacon.pdu.count)
        var start = beacon.eventStart
        for channel in 0..<3 where beacon.channels >> channel & 1 != 0 {
            air[channel].append(
                BeaconTransmission(
                    start: start, end: start + airTime, position: device.position, milliwatts: device.milliwatts,
                    power: device.power, beacon: index, length: UInt8(truncatingIfNeeded: beacon.pdu.count),
                    isLast: beacon.channels >> (channel + 1) == 0))
            start = start + airTime + LL.interFrameSpace
        }
    }

    /// Takes back a slice that was prepared before its time, because an earlier event was added.
    private mutating func takeBack(before time: Instant) {
        for start in starts[nextStart...] { file(start.beacon) }
        starts.removeAll(keepingCapacity: true)
        nextStart = 0
        for channel in 0..<3 { air[channel].removeLast(air[channel].count - nextEnd[channel]) }
        forgetEstimates()
        prepared = Self.slice(time) - 1
    }

    /// Makes the estimates void after a change of the beacons in the slice, or of the path loss.
    mutating func forgetEstimates() {
        estimates.removeAll(keepingCapacity: true)
        for channel in 0..<3 {
            for place in nextEnd[channel]..<air[channel].count { air[channel][place].estimateCount = 0 }
        }
    }
}
