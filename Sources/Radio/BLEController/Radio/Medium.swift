import BLEWire
import DequeModule

/// One value for the primary channels and one for the others, whose longest packets differ (Vol 6, Part B, 2.3 and 2.4).
struct ByChannelKind<Value: Sendable>: Sendable {
    var primary: Value
    var secondary: Value

    subscript(channel: UInt8) -> Value {
        get { channel >= 37 ? primary : secondary }
        _modify {
            if channel >= 37 { yield &primary } else { yield &secondary }
        }
    }
}

/// The shared radio medium: the time and its timers, the devices with their positions and tunings, and the transmissions.
struct Medium {
    /// The channel, PHY and access address that a receiver listens to.
    struct Tuning {
        var channel: UInt8
        var phy: LL.PHY
        var accessAddress: UInt32
        /// The receiver misses transmissions that started before.
        var since: Instant
        /// Whether packets with errors have no effect: in the background listening of a scanner or an initiator.
        var ignoresErrors = false
    }

    struct Device {
        var position: RadioPosition
        var cell: Int32
        var power: Double
        /// `power` in mW.
        var milliwatts: Double
        /// The share of lost packets to and from the device, 0 to 1.
        var loss = 0.0
        var tuning: Tuning?
        /// The index of its current transmission, or -1.
        var sending: Int32 = -1
        var isPresent = true
        /// The number of changes of the tuning and the position. A reception that was computed before one is void.
        var epoch: UInt32 = 0
        /// Whether `lane` has to compute its receptions.
        var isInLaneQueue = false
    }

    struct Transmission {
        var pdu: [UInt8] = []
        var start = Instant.zero
        var end = Instant.zero
        var channel: UInt8 = 0
        var phy = LL.PHY.oneM
        var accessAddress: UInt32 = 0
        var crcInit: UInt32 = 0
        var sender: Int32 = -1
        var position = RadioPosition.origin
        var power = 0.0
        /// `power` in mW.
        var milliwatts = 0.0
        var cell: Int32 = 0
        /// Its place in the list of its cell.
        var place: Int32 = 0
        var timer = TimerID.none
        /// Whether its sender stopped before the end. Such a transmission interferes, but no device receives it.
        var isCut = false
    }

    /// The outcome of a transmission at one receiver.
    struct Receipt {
        var receiver: Int32
        var rssi: Int8
        var outcome: AirPacket.Outcome
    }

    /// The current time.
    private(set) var time = Instant.zero
    /// The current time by the clock of the controller that is being called.
    private(set) var now = Instant.zero
    /// The clocks that are not exact.
    var clocks = DeviceClocks()
    var scheduler = Scheduler()
    var devices: [Device] = []
    var transmissions: [Transmission] = []
    private var freeTransmissions: [Int32] = []
    /// Transmissions that have ended and may overlap a current one, in the order of their ends.
    private var ended = ByChannelKind(primary: Deque<Int32>(), secondary: Deque<Int32>())
    /// The durations of the longest transmissions so far.
    private(set) var longest = ByChannelKind(primary: TimeSpan.zero, secondary: TimeSpan.zero)
    var cells: Cells
    private(set) var model: ReceptionModel
    var pathLoss: PathLoss { model.pathLoss }
    private(set) var configuration: RadioConfiguration
    /// Beacons of a large radio, which need no timers.
    var lane = BeaconEngine()
    /// Whether each transmission and all its receptions are needed, also those without an effect.
    var isObserved = false {
        didSet { if isObserved != oldValue { lane.needsRecomputation = true } }
    }
    /// Determines the random numbers of receptions.
    private let key: UInt64
    /// The devices of each link, by access address.
    var subscribers: [UInt32: [Int32]] = [:]
    private var greatestPower = 0.0
    /// The result of the last `evaluate`, in reused storage.
    var receipts: [Receipt] = []
    /// The number of devices and transmissions examined for receptions. `cells` keeps it small.
    var lookUps = 0

    init(configuration: RadioConfiguration, random: SeededRandom) {
        self.configuration = configuration
        var random = random
        key = random.next()
        model = ReceptionModel(configuration, key: key)
        cells = Cells(width: 1)
        rebuild()
    }

    /// Advances the time. A time in the past has no effect.
    mutating func advance(to instant: Instant) {
        time = max(time, instant)
        now = time
    }

    /// Reads the clock of the controller that is called next.
    @inline(__always)
    mutating func readClock(of device: Int32) {
        now = clocks.isEmpty ? time : clocks.reading(of: device, at: time)
    }

    mutating func configure(_ configuration: RadioConfiguration) {
        let needsNewCells =
            configuration.pathLossExponent != self.configuration.pathLossExponent
            || configuration.referenceLoss != self.configuration.referenceLoss
            || configuration.sensitivity != self.configuration.sensitivity
            || configuration.fading != self.configuration.fading
        self.configuration = configuration
        model = ReceptionModel(configuration, key: key)
        lane.needsRecomputation = true
        if needsNewCells { rebuild() }
    }

    /// Rebuilds the cells for another range.
    private mutating func rebuild() {
        cells = Cells(width: pathLoss.range(power: greatestPower + 3 * max(0, configuration.fading)))
        for index in devices.indices where devices[index].isPresent {
            devices[index].cell = cells.cell(at: devices[index].position)
            if let tuning = devices[index].tuning, tuning.accessAddress == LL.advertisingAccessAddress {
                cells[devices[index].cell].listeners[tuning.channel].append(Int32(index))
            }
        }
        for index in transmissions.indices where transmissions[index].sender >= 0 {
            transmissions[index].cell = cells.cell(at: transmissions[index].position)
            place(index)
        }
        if !lane.isEmpty { lane.refile(in: &cells) }
    }

    /// Appends a transmission to the list of its cell.
    private mutating func place(_ index: Int) {
        let (cell, channel) = (transmissions[index].cell, transmissions[index].channel)
        transmissions[index].place = Int32(cells[cell].transmissions[channel].count)
        cells[cell].transmissions[channel].append(
            Cells.Presence(
                start: transmissions[index].start, end: transmissions[index].end, index: Int32(index),
                channel: channel))
    }

    /// Removes a transmission from the list of its cell. The last one takes its place.
    private mutating func displace(_ index: Int) {
        let (cell, channel) = (transmissions[index].cell, transmissions[index].channel)
        let place = transmissions[index].place
        let last = cells[cell].transmissions[channel].removeLast()
        guard last.index != index else { return }
        cells[cell].transmissions[channel][Int(place)] = last
        transmissions[Int(last.index)].place = place
    }

    // MARK: Devices

    /// - Parameter index: The index of a removed device to reuse; nil adds a device.
    mutating func addDevice(at position: RadioPosition, power: Double, reusing index: Int32? = nil) -> Int32 {
        if power > greatestPower {
            greatestPower = power
            rebuild()
        }
        let device = Device(
            position: position, cell: cells.cell(at: position), power: power,
            milliwatts: Mathematics.ratio(decibels: power))
        if let index {
            let old = devices[Int(index)]
            devices[Int(index)] = device
            devices[Int(index)].epoch = old.epoch &+ 1
            devices[Int(index)].isInLaneQueue = old.isInLaneQueue
            return index
        }
        devices.append(device)
        return Int32(devices.count - 1)
    }

    mutating func removeDevice(_ device: Int32) {
        cutTransmission(of: device)
        stopListening(device)
        devices[Int(device)].isPresent = false
    }

    mutating func move(_ device: Int32, to position: RadioPosition) {
        let cell = cells.cell(at: position)
        let old = devices[Int(device)].cell
        devices[Int(device)].position = position
        devices[Int(device)].epoch &+= 1
        if devices[Int(device)].tuning != nil { queueInLane(device) }
        guard cell != old else { return }
        devices[Int(device)].cell = cell
        if let tuning = devices[Int(device)].tuning, tuning.accessAddress == LL.advertisingAccessAddress {
            cells[old].listeners[tuning.channel].swapRemove(device)
            cells[cell].listeners[tuning.channel].append(device)
        }
    }

    mutating func setLoss(_ loss: Double, of device: Int32) { devices[Int(device)].loss = min(max(loss, 0), 1) }

    mutating func subscribe(_ device: Int32, to accessAddress: UInt32) {
        subscribers[accessAddress, default: []].append(device)
    }

    mutating func unsubscribe(_ device: Int32, from accessAddress: UInt32) {
        subscribers[accessAddress]?.swapRemove(device)
        if subscribers[accessAddress]?.isEmpty == true { subscribers[accessAddress] = nil }
    }

    mutating func listen(_ device: Int32, to tuning: Tuning) {
        let old = devices[Int(device)].tuning
        devices[Int(device)].tuning = tuning
        devices[Int(device)].epoch &+= 1
        if tuning.accessAddress == LL.advertisingAccessAddress { queueInLane(device) }
        let was = old?.accessAddress == LL.advertisingAccessAddress ? old?.channel : nil
        let will = tuning.accessAddress == LL.advertisingAccessAddress ? tuning.channel : nil
        guard was != will else { return }
        let cell = devices[Int(device)].cell
        if let was { cells[cell].listeners[was].swapRemove(device) }
        if let will { cells[cell].listeners[will].append(device) }
    }

    mutating func stopListening(_ device: Int32) {
        guard let tuning = devices[Int(device)].tuning else { return }
        devices[Int(device)].tuning = nil
        devices[Int(device)].epoch &+= 1
        if tuning.accessAddress == LL.advertisingAccessAddress {
            cells[devices[Int(device)].cell].listeners[tuning.channel].swapRemove(device)
        }
    }

    /// Tunes the receiver of `device` from now on.
    mutating func listen(
        _ device: Int32, to channel: UInt8, phy: LL.PHY = .oneM, accessAddress: UInt32 = LL.advertisingAccessAddress,
        ignoringErrors ignoresErrors: Bool = false
    ) {
        listen(
            device,
            to: Tuning(
                channel: channel, phy: phy, accessAddress: accessAddress, since: time, ignoresErrors: ignoresErrors))
    }

    // MARK: Transmissions

    /// Keeps ended transmissions as long as one with this air time may overlap them.
    mutating func expect(_ airTime: TimeSpan, on channel: UInt8) {
        if airTime > longest[channel] { longest[channel] = airTime }
    }

    /// Sends a PDU from `start` on and returns the end of the transmission.
    ///
    /// At the end, the sender is notified first, then each device that received the PDU.
    ///
    /// - Parameters:
    ///   - start: By the clock of `device`.
    ///   - write: Writes the PDU into an empty buffer.
    @discardableResult
    mutating func transmit(
        from device: Int32, at start: Instant, on channel: UInt8, phy: LL.PHY = .oneM,
        accessAddress: UInt32 = LL.advertisingAccessAddress, crcInit: UInt32 = LL.advertisingCRCInit,
        _ write: (inout [UInt8]) -> Void
    ) -> Instant {
        let index = reserve()
        if transmissions[Int(index)].timer == .none {
            transmissions[Int(index)].timer = scheduler.makeTimer(for: .transmission(index))
        }
        write(&transmissions[Int(index)].pdu)
        let start = clocks.isEmpty ? start : clocks.time(of: device, showing: start, notBefore: time)
        let tuning = Tuning(channel: channel, phy: phy, accessAddress: accessAddress, since: start)
        let end = begin(index, from: device, at: start, on: tuning, crcInit: crcInit)
        scheduler.arm(transmissions[Int(index)].timer, at: end, sender: device)
        return end
    }

    /// Reserves a transmission for `begin`. Its PDU buffer is empty.
    mutating func reserve() -> Int32 {
        if let index = freeTransmissions.popLast() { return index }
        transmissions.append(Transmission())
        return Int32(transmissions.count - 1)
    }

    /// Starts a reserved transmission, whose PDU is complete, at `start`. Returns its end.
    mutating func begin(
        _ index: Int32, from device: Int32, at start: Instant, on tuning: Tuning, crcInit: UInt32
    ) -> Instant {
        stopListening(device)
        let airTime = tuning.phy.airTime(pduLength: transmissions[Int(index)].pdu.count)
        let sender = devices[Int(device)]
        transmissions[Int(index)].start = start
        transmissions[Int(index)].end = start + airTime
        transmissions[Int(index)].channel = tuning.channel
        transmissions[Int(index)].phy = tuning.phy
        transmissions[Int(index)].accessAddress = tuning.accessAddress
        transmissions[Int(index)].crcInit = crcInit
        transmissions[Int(index)].sender = device
        transmissions[Int(index)].position = sender.position
        transmissions[Int(index)].power = sender.power
        transmissions[Int(index)].milliwatts = sender.milliwatts
        transmissions[Int(index)].cell = sender.cell
        transmissions[Int(index)].isCut = false
        place(Int(index))
        devices[Int(device)].sending = index
        expect(airTime, on: tuning.channel)
        return start + airTime
    }

    /// Reduces the power of the current transmission of `device`, in dBm. It is at most the power of the device: the cells are as wide as that
    /// one reaches.
    mutating func limitPower(of device: Int32, to power: Double) {
        let index = Int(devices[Int(device)].sending)
        guard index >= 0, power < transmissions[index].power else { return }
        transmissions[index].power = power
        transmissions[index].milliwatts = Mathematics.ratio(decibels: power)
    }

    /// Ends the current transmission of `device` without receivers.
    mutating func cutTransmission(of device: Int32) {
        let index = devices[Int(device)].sending
        guard index >= 0 else { return }
        transmissions[Int(index)].isCut = true
        devices[Int(device)].sending = -1
    }

    /// The part of an ended transmission that its receivers need.
    struct Ended {
        var start: Instant
        var channel: UInt8
        var phy: LL.PHY
        var sender: Int32
        var isCut: Bool
        /// Whether `receipts` is not empty.
        var hasReceipts: Bool
    }

    /// Ends a transmission: determines its receivers and moves its octets to `pdu` until `retire`.
    mutating func takeEnded(_ index: Int32, pdu: inout [UInt8]) -> Ended {
        evaluate(index)
        let position = Int(index)
        swap(&transmissions[position].pdu, &pdu)
        let (sender, isCut) = (transmissions[position].sender, transmissions[position].isCut)
        if !isCut { devices[Int(sender)].sending = -1 }
        return Ended(
            start: transmissions[position].start, channel: transmissions[position].channel,
            phy: transmissions[position].phy, sender: sender, isCut: isCut, hasReceipts: !receipts.isEmpty)
    }

    /// Returns the octets after the receipts were handled. Recycles transmissions that cannot overlap a current one.
    mutating func retire(_ index: Int32, pdu: inout [UInt8], now: Instant) {
        swap(&transmissions[Int(index)].pdu, &pdu)
        let channel = transmissions[Int(index)].channel
        ended[channel].append(index)
        while let oldest = ended[channel].first, transmissions[Int(oldest)].end + longest[channel] <= now {
            ended[channel].removeFirst()
            displace(Int(oldest))
            transmissions[Int(oldest)].sender = -1
            transmissions[Int(oldest)].pdu.removeAll(keepingCapacity: true)
            freeTransmissions.append(oldest)
        }
    }
}
