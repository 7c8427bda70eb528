import BLEWire

/// The air: who is where, who listens to what, and what is being sent.
struct Medium {
    /// What a receiver is tuned to.
    struct Tuning {
        var channel: UInt8
        var phy: LL.PHY
        var accessAddress: UInt32
        /// Packets that began before are not heard.
        var since: Instant
    }

    struct Device {
        var position: Position
        var cell: Int32
        var power: Double
        /// The share of all packets to and from it that get lost, 0 to 1.
        var loss = 0.0
        var tuning: Tuning?
        /// The transmission it is busy with, or -1.
        var sending: Int32 = -1
        var isPresent = true
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
        var position = Position.origin
        var power = 0.0
        var cell: Int32 = 0
        var timer = TimerID.none
        /// Its sender stopped before the end: nobody receives it, but it disturbed.
        var isCut = false
    }

    /// What became of a transmission at one receiver.
    struct Receipt {
        var receiver: Int32
        var rssi: Int8
        var outcome: AirPacket.Outcome
    }

    var devices: [Device] = []
    var transmissions: [Transmission] = []
    private var freeTransmissions: [Int32] = []
    /// Ended, but perhaps on the air together with one that has not: two queues by the kind of channel, since their
    /// longest packets differ.
    private var ended: [[Int32]] = [[], []]
    private var endedHead = [0, 0]
    private var longest = [TimeSpan.zero, TimeSpan.zero]
    var cells: Cells
    private var pathLoss: PathLoss
    private var configuration: RadioConfiguration
    private var hasWalls: Bool
    private var random: SeededRandom
    /// Who waits for a data channel's access address.
    private var subscribers: [UInt32: [Int32]] = [:]
    private var greatestPower = 0.0
    /// The result of the latest `evaluate`, kept for its storage.
    private(set) var receipts: [Receipt] = []
    /// How many devices and transmissions were looked at to find who received something: the work that `cells` keeps small.
    private(set) var lookUps = 0

    init(configuration: RadioConfiguration, random: SeededRandom) {
        self.configuration = configuration
        hasWalls = !configuration.walls.isEmpty
        self.random = random
        pathLoss = PathLoss(configuration)
        cells = Cells(width: 1)
        rebuild()
    }

    mutating func configure(_ configuration: RadioConfiguration) {
        let needsNewCells =
            configuration.pathLossExponent != self.configuration.pathLossExponent
            || configuration.referenceLoss != self.configuration.referenceLoss
            || configuration.sensitivity != self.configuration.sensitivity
            || configuration.fading != self.configuration.fading
        self.configuration = configuration
        hasWalls = !configuration.walls.isEmpty
        pathLoss = PathLoss(configuration)
        if needsNewCells { rebuild() }
    }

    /// Lays the cells anew, for another range.
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
            cells[transmissions[index].cell].transmissions[transmissions[index].channel].append(Int32(index))
        }
    }

    // MARK: Devices

    /// - Parameter index: that of a device that was removed, which the new one gets; nil: one more.
    mutating func addDevice(at position: Position, power: Double, reusing index: Int32? = nil) -> Int32 {
        if power > greatestPower {
            greatestPower = power
            rebuild()
        }
        let device = Device(position: position, cell: cells.cell(at: position), power: power)
        if let index {
            devices[Int(index)] = device
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

    mutating func move(_ device: Int32, to position: Position) {
        let cell = cells.cell(at: position)
        let old = devices[Int(device)].cell
        devices[Int(device)].position = position
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
        if tuning.accessAddress == LL.advertisingAccessAddress {
            cells[devices[Int(device)].cell].listeners[tuning.channel].swapRemove(device)
        }
    }

    // MARK: Transmissions

    /// A transmission to be filled in by `begin`; its PDU buffer is empty.
    mutating func reserve() -> Int32 {
        if let index = freeTransmissions.popLast() { return index }
        transmissions.append(Transmission())
        return Int32(transmissions.count - 1)
    }

    /// Puts a reserved transmission, whose PDU is there, on the air from `start` on; returns its end.
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
        transmissions[Int(index)].cell = sender.cell
        transmissions[Int(index)].isCut = false
        cells[sender.cell].transmissions[tuning.channel].append(index)
        devices[Int(device)].sending = index
        let kind = tuning.channel >= 37 ? 0 : 1
        if airTime > longest[kind] { longest[kind] = airTime }
        return start + airTime
    }

    /// Ends what `device` is sending, now, without anybody receiving it.
    mutating func cutTransmission(of device: Int32) {
        let index = devices[Int(device)].sending
        guard index >= 0 else { return }
        transmissions[Int(index)].isCut = true
        devices[Int(device)].sending = -1
    }

    /// What its receivers have to know of a transmission that is over.
    struct Ended {
        var start: Instant
        var channel: UInt8
        var phy: LL.PHY
        var sender: Int32
        var isCut: Bool
        /// There are receipts.
        var isHeard: Bool
    }

    /// A transmission ends: decides who received it and hands its octets over, until it is retired.
    mutating func takeEnded(_ index: Int32, pdu: inout [UInt8]) -> Ended {
        evaluate(index)
        let position = Int(index)
        swap(&transmissions[position].pdu, &pdu)
        let (sender, isCut) = (transmissions[position].sender, transmissions[position].isCut)
        if !isCut { devices[Int(sender)].sending = -1 }
        return Ended(
            start: transmissions[position].start, channel: transmissions[position].channel,
            phy: transmissions[position].phy, sender: sender, isCut: isCut, isHeard: !receipts.isEmpty)
    }

    /// After a transmission's receipts have been handed out: forgets it once nothing can overlap it any more.
    mutating func retire(_ index: Int32, pdu: inout [UInt8], now: Instant) {
        swap(&transmissions[Int(index)].pdu, &pdu)
        let kind = transmissions[Int(index)].channel >= 37 ? 0 : 1
        ended[kind].append(index)
        while endedHead[kind] < ended[kind].count {
            let oldest = ended[kind][endedHead[kind]]
            guard transmissions[Int(oldest)].end + longest[kind] <= now else { break }
            let (cell, channel) = (transmissions[Int(oldest)].cell, transmissions[Int(oldest)].channel)
            cells[cell].transmissions[channel].swapRemove(oldest)
            transmissions[Int(oldest)].sender = -1
            transmissions[Int(oldest)].pdu.removeAll(keepingCapacity: true)
            freeTransmissions.append(oldest)
            endedHead[kind] += 1
        }
        if endedHead[kind] > 64 && endedHead[kind] * 2 > ended[kind].count {
            ended[kind].removeFirst(endedHead[kind])
            endedHead[kind] = 0
        }
    }

    // MARK: Reception

    /// When the packet that `device` is in the middle of receiving ends; nil if it hears none.
    func endOfPacketBeingHeard(by device: Int32, now: Instant) -> Instant? {
        guard let tuning = devices[Int(device)].tuning else { return nil }
        if tuning.accessAddress != LL.advertisingAccessAddress {
            // Only those who share the access address can be sending with it, however far away they are.
            for other in subscribers[tuning.accessAddress] ?? [] where other != device {
                let index = devices[Int(other)].sending
                if index >= 0, isHeard(index, by: device, tuning, now) { return transmissions[Int(index)].end }
            }
            return nil
        }
        for cell in cells[devices[Int(device)].cell].neighbours {
            for index in cells[cell].transmissions[tuning.channel] where isHeard(index, by: device, tuning, now) {
                return transmissions[Int(index)].end
            }
        }
        return nil
    }

    /// Whether `device`, tuned like that, is in the middle of receiving a transmission.
    private func isHeard(_ index: Int32, by device: Int32, _ tuning: Tuning, _ now: Instant) -> Bool {
        let index = Int(index)
        guard transmissions[index].channel == tuning.channel,
            transmissions[index].accessAddress == tuning.accessAddress,
            transmissions[index].start >= tuning.since, transmissions[index].start < now,
            transmissions[index].end >= now,
            tuning.phy.hears(transmissions[index].phy), !transmissions[index].isCut
        else { return false }
        return pathLoss.isHeard(
            signal(of: Int32(index), at: devices[Int(device)].position), phy: transmissions[index].phy)
    }

    /// Decides who received a transmission that ends now, into `receipts`.
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
        let place = devices[Int(receiver)]
        var received = signal(of: index, at: place.position)
        if configuration.fading > 0 { received += configuration.fading * normal() }
        let phy = transmissions[Int(index)].phy
        guard pathLoss.isHeard(received, phy: phy) else { return }
        let bits = 8 * (transmissions[Int(index)].pdu.count + 8)
        var success = pathLoss.success(
            received: received, phy: phy, bits: bits, interference: interference(with: index, at: place))
        if configuration.loss > 0 { success *= 1 - min(1, configuration.loss) }
        if place.loss > 0 { success *= 1 - place.loss }
        let sender = Int(transmissions[Int(index)].sender)
        if devices[sender].loss > 0 { success *= 1 - devices[sender].loss }
        var outcome = AirPacket.Outcome.received
        if success < 1 {
            let draw = random.unit()
            if draw >= success {
                // An error in the preamble or the access address hides the packet, a later one spoils it.
                let rest = (draw - success) / (1 - success)
                outcome = rest * Double(bits) < 40 ? .missed : .corrupted
            }
        }
        receipts.append(
            Receipt(receiver: receiver, rssi: Int8(max(-127, min(20, received.rounded()))), outcome: outcome))
    }

    private func attenuation(between one: Position, and other: Position) -> Double {
        configuration.walls.reduce(0) { $1.stands(between: one, and: other) ? $0 + $1.attenuation : $0 }
    }

    private func signal(of index: Int32, at position: Position) -> Double {
        let source = transmissions[Int(index)].position
        var power = pathLoss.received(
            power: transmissions[Int(index)].power, squaredDistance: source.squaredDistance(to: position))
        if hasWalls { power -= attenuation(between: source, and: position) }
        return power
    }

    /// The power of everything else on the channel during a transmission, in mW.
    mutating func interference(with index: Int32, at place: Device) -> Double {
        var sum = 0.0
        let (channel, start, end) = (
            transmissions[Int(index)].channel, transmissions[Int(index)].start, transmissions[Int(index)].end
        )
        for near in cells[place.cell].neighbours {
            lookUps += cells[near].transmissions[channel].count
            for other in cells[near].transmissions[channel] where other != index {
                guard transmissions[Int(other)].channel == channel, transmissions[Int(other)].start < end,
                    transmissions[Int(other)].end > start
                else { continue }
                let power = signal(of: other, at: place.position)
                if power >= pathLoss.floor { sum += Mathematics.ratio(decibels: power) }
            }
        }
        return sum
    }

    /// A draw from a distribution close to the normal one, of mean 0 and deviation 1, within 6.
    private mutating func normal() -> Double {
        var sum = -6.0
        for _ in 0..<12 { sum += random.unit() }
        return sum
    }
}
