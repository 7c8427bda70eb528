import BLEWire

/// What a `VirtualRadio` holds and does.
struct RadioCore {
    var airObserver: ((borrowing AirPacket) -> Void)?
    var tamper: ((inout [UInt8]) -> Void)?

    private var air: Air
    /// In boxes, so that a controller stays where it is.
    private final class Place {
        var controller: Controller
        init(_ controller: Controller) { self.controller = controller }
    }
    private var places: [Place?] = []
    /// Empty places that may be used again.
    private var freePlaces: [Int32] = []
    /// The controllers with output, from `firstOutput` on. Whoever is drained out of turn leaves a hole.
    private var outputs: [ControllerIdentifier] = []
    private var firstOutput = 0
    private static let nobody = ControllerIdentifier(rawValue: -1)
    private var random: SeededRandom
    /// Takes the place of the PDU buffer that is being handed out.
    private var spare: [UInt8] = []

    init(seed: UInt64, configuration: RadioConfiguration) {
        random = SeededRandom(seed: seed)
        air = Air(medium: Medium(configuration: configuration, random: random.fork()))
    }

    var now: Instant { air.now }

    mutating func configure(_ configuration: RadioConfiguration) { air.medium.configure(configuration) }

    // MARK: Controllers

    mutating func addController(_ configuration: ControllerConfiguration, at position: Position) -> ControllerIdentifier
    {
        let index = air.medium.addDevice(
            at: position, power: Double(configuration.transmitPower), reusing: freePlaces.popLast())
        let place = Place(Controller(index: index, configuration: configuration, random: random.fork()))
        if Int(index) < places.count { places[Int(index)] = place } else { places.append(place) }
        return ControllerIdentifier(rawValue: Int(index))
    }

    mutating func removeController(_ identifier: ControllerIdentifier, isReusable: Bool) {
        guard let place = place(identifier) else { return }
        place.controller.remove(&air)
        unlistOutput(of: identifier, place)
        places[identifier.rawValue] = nil
        if isReusable { freePlaces.append(Int32(identifier.rawValue)) }
    }

    mutating func move(_ identifier: ControllerIdentifier, to position: Position) {
        guard place(identifier) != nil else { return }
        air.medium.move(Int32(identifier.rawValue), to: position)
    }

    mutating func receive(_ packet: Span<UInt8>, for identifier: ControllerIdentifier) {
        guard let place = place(identifier) else { return }
        place.controller.receive(packet, &air)
        noteOutput(place)
    }

    mutating func setLoss(_ loss: Double, of identifier: ControllerIdentifier) {
        guard place(identifier) != nil else { return }
        air.medium.setLoss(loss, of: Int32(identifier.rawValue))
    }

    func status(of identifier: ControllerIdentifier) -> ControllerStatus? {
        guard let place = place(identifier) else { return nil }
        let device = air.medium.devices[identifier.rawValue]
        return place.controller.status(position: device.position, loss: device.loss)
    }

    private func place(_ identifier: ControllerIdentifier) -> Place? {
        places.indices.contains(identifier.rawValue) ? places[identifier.rawValue] : nil
    }

    // MARK: Time

    mutating func nextDeadline() -> Instant? { air.scheduler.nextTime() }

    mutating func advance(to instant: Instant) {
        while let (time, target) = air.scheduler.popDue(through: instant) {
            air.now = max(air.now, time)
            switch target {
            case .transmission(let index): endTransmission(index)
            case .controller(let index, let timer):
                guard let place = places[Int(index)] else { continue }
                place.controller.fire(timer, &air)
                noteOutput(place)
            }
        }
        air.now = max(air.now, instant)
    }

    // MARK: Output

    var controllersWithOutput: [ControllerIdentifier] { outputs[firstOutput...].filter { $0 != Self.nobody } }

    var nextControllerWithOutput: ControllerIdentifier? {
        firstOutput < outputs.count ? outputs[firstOutput] : nil
    }

    /// The packets for a controller's host; their buffer comes back by `returnBuffer`.
    mutating func takeOutput(of identifier: ControllerIdentifier) -> [UInt8]? {
        guard let place = place(identifier), !place.controller.output.isEmpty else { return nil }
        unlistOutput(of: identifier, place)
        var octets: [UInt8] = []
        swap(&octets, &place.controller.output)
        return octets
    }

    func returnBuffer(_ buffer: consuming [UInt8], to identifier: ControllerIdentifier) {
        guard let place = place(identifier), place.controller.output.isEmpty else { return }
        place.controller.output = buffer
    }

    private mutating func noteOutput(_ place: Place) {
        guard place.controller.hasUnlistedOutput else { return }
        place.controller.isListed = true
        outputs.append(ControllerIdentifier(rawValue: Int(place.controller.index)))
    }

    private mutating func unlistOutput(of identifier: ControllerIdentifier, _ place: Place) {
        guard place.controller.isListed else { return }
        place.controller.isListed = false
        if outputs[firstOutput] == identifier {
            firstOutput += 1
        } else if let index = outputs[firstOutput...].firstIndex(of: identifier) {
            outputs[index] = Self.nobody
        }
        while firstOutput < outputs.count, outputs[firstOutput] == Self.nobody { firstOutput += 1 }
        if firstOutput == outputs.count {
            outputs.removeAll(keepingCapacity: true)
            firstOutput = 0
        }
    }

    // MARK: Transmissions

    /// A transmission is over: its sender learns of it, then everybody who listened.
    private mutating func endTransmission(_ index: Int32) {
        // A local variable is read while the air changes.
        var pdu: [UInt8] = []
        swap(&pdu, &spare)
        let ended = air.medium.takeEnded(index, pdu: &pdu)
        tamper?(&pdu)
        if !ended.isCut {
            if let airObserver { show(index, pdu, to: airObserver) }
            if let place = places[Int(ended.sender)] {
                place.controller.transmissionEnded(&air)
                noteOutput(place)
            }
        }
        if ended.isHeard {
            let receipts = air.medium.receipts
            for receipt in receipts where receipt.outcome != .missed {
                guard let place = places[Int(receipt.receiver)] else { continue }
                let heard = Controller.Heard(
                    start: ended.start, channel: ended.channel, rssi: receipt.rssi, phy: ended.phy,
                    isCorrupted: receipt.outcome == .corrupted)
                place.controller.received(pdu.span, heard, &air)
                noteOutput(place)
            }
        }
        let now = air.now
        air.medium.retire(index, pdu: &pdu, now: now)
        swap(&pdu, &spare)
    }

    private func show(_ index: Int32, _ octets: [UInt8], to observer: (borrowing AirPacket) -> Void) {
        let transmission = air.medium.transmissions[Int(index)]
        let receptions = air.medium.receipts.map {
            AirPacket.Reception(
                receiver: ControllerIdentifier(rawValue: Int($0.receiver)), rssi: $0.rssi, outcome: $0.outcome)
        }
        let packet = AirPacket(
            start: transmission.start, airTime: transmission.end - transmission.start,
            channel: transmission.channel, phy: transmission.phy, accessAddress: transmission.accessAddress,
            crcInit: transmission.crcInit, pdu: octets.span,
            sender: ControllerIdentifier(rawValue: Int(transmission.sender)), receptions: receptions)
        observer(packet)
    }
}
