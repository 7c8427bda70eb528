import BLEWire
import HeapModule

/// The beacons of a large radio: advertisers that neither listen nor have links.
///
/// The events of a beacon follow from its own random numbers, so all its transmissions of a slice of time are known at the beginning of the
/// slice. A beacon needs no timers. At the beginning of a slice, the lane computes which devices receive which transmissions, on several threads.
/// Only these receptions are events of the radio, ordered as the ends of other transmissions: by time, then by sender. So a run depends neither on
/// the lane nor on the number of threads. A call that changes what a beacon sends, or where, takes it out of the lane first.
struct BeaconEngine {
    struct Beacon {
        var device: Int32
        var cell: Int32
        var position: RadioPosition
        /// The transmit power in mW and dBm.
        var milliwatts: Double
        var power: Double
        /// The start of the next event that is not among the transmissions, and the random numbers after it was drawn.
        var eventStart: Instant
        var random: SeededRandom
        /// The start of the event before, and the random numbers before the next one was drawn.
        var lastStart = Instant(nanoseconds: -1_000_000_000)
        var lastRandom: SeededRandom
        /// The interval without the random delay.
        var interval: TimeSpan
        var channels: UInt8
        /// The length of the PDU on these in octets.
        var length: UInt8
        /// AUX_ADV_IND of extended advertising.
        var auxiliary: Auxiliary?

        /// Draws the event after the next one. Returns its start.
        mutating func drawNext() -> Instant {
            (lastStart, lastRandom) = (eventStart, random)
            eventStart = eventStart + interval + AdvertisingSet.randomDelay(&random)
            return eventStart
        }
    }

    struct Auxiliary {
        /// The advertising set of the controller.
        var slot: Int
        /// Of the event before the next one.
        var channels: AuxiliaryChannels
        var phy: LL.PHY
        /// The length of the PDU in octets.
        var length: UInt16
        /// From the end of the last ADV_EXT_IND to the start of AUX_ADV_IND.
        var space: TimeSpan

        /// Selects the channel of the next event.
        mutating func nextEvent() -> Auxiliary {
            channels = channels.event(1)
            return self
        }
    }

    /// Slices of 8.4 ms. The ring is longer than the longest interval of 10.25 s.
    static let sliceBits = 23
    static let sliceLength = TimeSpan(nanoseconds: 1 << 23)
    static let ringLength: Int64 = 2048

    /// The number of devices from which a radio has a lane.
    var minimumDevices = 256
    var threads = BeaconThreads.one
    var beacons: [Beacon] = []
    private var pdus: [[UInt8]] = []
    private var free: [Int32] = []
    /// By device; -1 for other devices.
    private var beaconOfDevice: [Int32] = []
    private(set) var count = 0
    /// The number of those with AUX_ADV_INDs.
    private(set) var auxiliaryCount = 0
    /// The beacons by the slices of their next events.
    var ring: [[Int32]] = []
    /// The next slice to prepare, and the end of the prepared one.
    var upcoming: Int64 = 0
    var preparedEnd: Int64 = 0
    /// The transmissions by cell and channel, ordered by end and sender: those of the prepared slice, and older ones that may overlap others. The
    /// secondary channels of a cell share a list.
    var lists: [[BeaconTransmission]] = []
    /// The receptions of the prepared slice, and their order.
    var receptions: [BeaconReception] = []
    var heap = Heap<ScheduledEvent>()
    /// Devices that listen since a moment ago. Their receptions have to be computed.
    private(set) var queue: [Int32] = []
    /// Whether all receptions have to be computed again.
    var needsRecomputation = false
    /// The storage of each thread.
    var workers: [BeaconWorker] = []

    /// Whether there are neither beacons nor transmissions that may interfere.
    var isEmpty: Bool { count == 0 && lists.isEmpty }

    static func slice(_ time: Instant) -> Int64 { time.nanoseconds >> sliceBits }
    static func slot(_ slice: Int64) -> Int { Int(slice & (ringLength - 1)) }
    static func list(_ cell: Int32, _ channel: UInt8) -> Int { Int(cell) * 4 + (channel < 37 ? 3 : Int(channel) - 37) }
    static func isSecondary(_ list: Int) -> Bool { list & 3 == 3 }

    func beacon(of device: Int32) -> Int32? {
        guard count > 0, Int(device) < beaconOfDevice.count, beaconOfDevice[Int(device)] >= 0 else { return nil }
        return beaconOfDevice[Int(device)]
    }

    /// The PDU of a beacon. With extended advertising, it depends on the secondary channels of the event.
    func pdu(of device: Int32) -> ([UInt8], Auxiliary?) {
        let beacon = Int(beaconOfDevice[Int(device)])
        return (pdus[beacon], beacons[beacon].auxiliary)
    }

    // MARK: Beacons

    /// Adds a beacon, whose next event is in a later slice than the present.
    mutating func add(_ beacon: Beacon, _ pdu: [UInt8]) {
        if ring.isEmpty { ring = Array(repeating: [], count: Int(Self.ringLength)) }
        let index: Int32
        if let reused = free.popLast() {
            index = reused
            beacons[Int(index)] = beacon
            pdus[Int(index)] = pdu
        } else {
            index = Int32(beacons.count)
            beacons.append(beacon)
            pdus.append(pdu)
        }
        while beaconOfDevice.count <= Int(beacon.device) { beaconOfDevice.append(-1) }
        beaconOfDevice[Int(beacon.device)] = index
        let slice = Self.slice(beacon.eventStart)
        if count == 0 || slice < upcoming { upcoming = slice }
        count += 1
        if beacon.auxiliary != nil { auxiliaryCount += 1 }
        ring[Self.slot(slice)].append(index)
    }

    /// What a controller needs to continue as an advertiser with timers.
    struct Departure {
        var random: SeededRandom
        var eventStart: Instant
        /// The transmission in progress, or the next one of an event that has begun.
        var current: BeaconTransmission?
        /// The secondary channels of the last event that has begun.
        var auxiliary: AuxiliaryChannels?
    }

    mutating func remove(_ index: Int32, now: Instant) -> Departure {
        let beacon = beacons[Int(index)]
        var departure = Departure(
            random: beacon.random, eventStart: beacon.eventStart, auxiliary: beacon.auxiliary?.channels)
        let slot = Self.slot(Self.slice(beacon.eventStart))
        if let place = ring[slot].firstIndex(of: index) {
            ring[slot].swapAt(place, ring[slot].count - 1)
            ring[slot].removeLast()
        }
        let first = Self.list(beacon.cell, 37)
        // The last list is that of AUX_ADV_IND.
        for list in first..<max(first, min(first + 4, lists.count)) {
            // Those that have ended stay, because they still interfere.
            let next = lists[list].firstIndex(endingAfter: now)
            guard let place = lists[list][next...].firstIndex(where: { $0.sender == beacon.device }) else { continue }
            let transmission = lists[list].remove(at: place)
            needsRecomputation = true
            (departure.random, departure.eventStart) = (beacon.lastRandom, beacon.lastStart)
            if beacon.lastStart > now {
                departure.auxiliary = beacon.auxiliary?.channels.event(-1)
            } else if departure.current == nil {
                departure.current = transmission
            }
        }
        beaconOfDevice[Int(beacon.device)] = -1
        pdus[Int(index)] = []
        free.append(index)
        count -= 1
        if beacon.auxiliary != nil { auxiliaryCount -= 1 }
        if count == 0 { heap = [] }
        return departure
    }

    /// Files the transmissions again after a change of the cells.
    mutating func refile(in cells: inout Cells) {
        let old = lists
        lists = []
        for index in beacons.indices { beacons[index].cell = cells.cell(at: beacons[index].position) }
        for list in old.indices {
            for transmission in old[list] {
                append(transmission, Self.list(cells.cell(at: transmission.position), transmission.channel))
            }
        }
        for list in lists.indices { lists[list].sort { $0.endsBefore($1) } }
        needsRecomputation = true
    }

    mutating func append(_ transmission: BeaconTransmission, _ list: Int) {
        while lists.count <= list { lists.append([]) }
        lists[list].append(transmission)
    }

    /// Notes a device whose receptions have to be computed.
    mutating func enqueue(_ device: Int32) { queue.append(device) }

    mutating func clearQueue() { queue.removeAll(keepingCapacity: true) }
}
