import BLEWire

/// A radio medium with its controllers, and the queue of their next events.
///
/// The radio does nothing by itself. Its owner passes in the hosts' packets and advances the time with `advance(to:)`. Equal calls
/// with an equal seed give equal output, to the bit. The radio is not thread-safe.
package final class VirtualRadio {
    /// Keeps a controller in place while others are added and removed.
    final class ControllerBox {
        // Only the radio accesses it, in one call at a time, and a controller cannot reach the radio.
        @exclusivity(unchecked) var controller: Controller
        init(_ controller: Controller) { self.controller = controller }
    }

    /// How signals propagate. A change also applies to packets in flight.
    package var configuration: RadioConfiguration {
        didSet { medium.configure(configuration) }
    }
    /// Receives every whole transmission at its end, in the order of the ends and before the receivers. It must not call back into the
    /// radio.
    package var airObserver: ((borrowing AirPacket) -> Void)? {
        didSet { medium.isObserved = airObserver != nil || tamper != nil }
    }
    /// Changes the PDUs that receivers get, for tests of hostile peers.
    var tamper: ((inout [UInt8]) -> Void)? {
        didSet { medium.isObserved = airObserver != nil || tamper != nil }
    }

    // Controllers get the medium as an argument and cannot reach this object, so no access to this and the unchecked properties below overlaps
    // another one. The checks would cost in each event.
    @exclusivity(unchecked) var medium: Medium
    /// By identifier; nil for a removed controller.
    @exclusivity(unchecked) private(set) var boxes: [ControllerBox?] = []
    /// Indices of `boxes` that may be used again.
    private var freeIndices: [Int32] = []
    /// The controllers with output.
    @exclusivity(unchecked) private var outputs = OutputQueue()
    private var random: SeededRandom
    /// The cryptography of all controllers. Its random numbers are not those of `random`, so a key changes nothing else of a run.
    private let cryptography: Cryptography
    /// The controller that was not quiet when `quietUntil` was read last. It is asked first.
    private var lively = 0
    /// Replaces the PDU buffer that is being handed out.
    @exclusivity(unchecked) private var spare: [UInt8] = []

    /// - Parameters:
    ///   - seed: Determines every random draw. Equal seeds give equal runs.
    ///   - crypto: Makes the cryptography of the controllers. Its argument is their source of random numbers for keys.
    package init(
        seed: UInt64, configuration: RadioConfiguration = RadioConfiguration(),
        crypto: (SeededRandom) -> any CryptoProvider
    ) {
        self.configuration = configuration
        random = SeededRandom(seed: seed)
        cryptography = Cryptography(crypto(SeededRandom(seed: ~seed)))
        medium = Medium(configuration: configuration, random: random.fork())
    }

    /// The present: the latest time given to `advance(to:)`, or the time of the event being processed.
    package var now: Instant { medium.time }

    // MARK: Controllers

    /// Adds a new controller, powered and idle.
    package func addController(
        _ configuration: ControllerConfiguration = ControllerConfiguration(), at position: RadioPosition = .origin
    ) -> ControllerIdentifier {
        let index = medium.addDevice(
            at: position, power: Double(configuration.transmitPower), reusing: freeIndices.popLast())
        let box = ControllerBox(
            Controller(
                index: index, configuration: configuration, random: random.fork(),
                cryptography: cryptography))
        if Int(index) < boxes.count { boxes[Int(index)] = box } else { boxes.append(box) }
        medium.clocks.set(error: configuration.clock.error, of: index, at: medium.time)
        controllerCount += 1
        return ControllerIdentifier(rawValue: Int(index))
    }

    /// Removes a controller at once, without terminating its links on the air. Its remaining output is discarded.
    ///
    /// - Parameter isReusable: Whether a later controller may get this identifier, which bounds the memory. The caller must keep no copy
    ///   of the identifier then.
    package func removeController(_ identifier: ControllerIdentifier, isReusable: Bool = false) {
        guard let box = box(identifier) else { return }
        leaveLane(box)
        medium.readClock(of: box.controller.shared.radio.index)
        box.controller.remove(&medium)
        unlistOutput(of: identifier, box)
        boxes[identifier.rawValue] = nil
        controllerCount -= 1
        if isReusable { freeIndices.append(Int32(identifier.rawValue)) }
    }

    /// Moves a controller from now on.
    package func move(_ identifier: ControllerIdentifier, to position: RadioPosition) {
        guard let box = box(identifier) else { return }
        leaveLane(box)
        medium.move(Int32(identifier.rawValue), to: position)
    }

    /// Loses a share of all packets to and from a controller from now on, in addition to the loss of the medium.
    ///
    /// - Parameter loss: The share, 0 to 1.
    package func setLoss(_ loss: Double, of identifier: ControllerIdentifier) {
        guard box(identifier) != nil else { return }
        medium.setLoss(loss, of: Int32(identifier.rawValue))
    }

    /// Runs the clock of a controller with another error from now on, and announces its accuracy.
    package func setClock(_ clock: ClockSetting, of identifier: ControllerIdentifier) {
        guard let box = box(identifier) else { return }
        leaveLane(box)
        medium.readClock(of: box.controller.shared.radio.index)
        box.controller.use(clock, &medium)
    }

    /// The state of a controller; nil if the radio has no such controller.
    package func status(of identifier: ControllerIdentifier) -> ControllerStatus? {
        guard let box = box(identifier) else { return nil }
        let device = medium.devices[identifier.rawValue]
        return box.controller.status(position: device.position, loss: device.loss)
    }

    /// The open links of a controller, oldest first.
    package func links(of identifier: ControllerIdentifier) -> [LinkStatus] {
        box(identifier)?.controller.linkStatuses ?? []
    }

    /// Takes one H4 packet, with its type octet, from a controller's host at `now`. Never traps, whatever the packet holds.
    package func receive(_ packet: Span<UInt8>, for identifier: ControllerIdentifier) {
        guard let box = box(identifier) else { return }
        leaveLane(box)
        medium.readClock(of: box.controller.shared.radio.index)
        box.controller.receive(packet, &medium)
        listOutput(box)
    }

    private func box(_ identifier: ControllerIdentifier) -> ControllerBox? {
        boxes.indices.contains(identifier.rawValue) ? boxes[identifier.rawValue] : nil
    }

    // MARK: Time

    /// The time of the next event if no host sends a packet before; nil if no event is scheduled.
    package var nextDeadline: Instant? {
        guard let beacon = medium.nextBeaconEvent() else { return medium.scheduler.nextTime() }
        let time = Instant(nanoseconds: beacon.time)
        return medium.scheduler.nextTime().map { min($0, time) } ?? time
    }

    /// The time before which no controller has output if the radio is not called; nil if the next event may cause output. On a quiet radio, the
    /// cost grows with the number of controllers.
    package var quietUntil: Instant? {
        if boxes.indices.contains(lively), let box = boxes[lively], box.controller.quietUntil == nil { return nil }
        var until = Instant(nanoseconds: .max)
        for (index, box) in boxes.enumerated() {
            guard let box else { continue }
            guard let end = box.controller.quietUntil else {
                lively = index
                return nil
            }
            guard end.nanoseconds < .max else { continue }
            until = min(until, medium.clocks.time(of: Int32(index), showing: end))
        }
        return until
    }

    /// The number of controllers.
    package private(set) var controllerCount = 0

    /// Advances the time to `instant` and processes every event up to and including it. A time in the past has no effect.
    package func advance(to instant: Instant) {
        while true {
            if stepBeacons(through: instant) { continue }
            guard let (time, target) = medium.scheduler.popDue(through: instant) else { break }
            medium.advance(to: time)
            switch target {
            case .transmission(let index): endTransmission(index)
            case .controller(let index, let timer):
                guard let box = boxes[Int(index)] else { continue }
                medium.readClock(of: index)
                box.controller.fire(timer, &medium)
                listOutput(box)
            }
        }
        medium.advance(to: instant)
    }

    // MARK: Output

    /// The controllers that have packets for their hosts, in the order of their first packets.
    package var controllersWithOutput: [ControllerIdentifier] { outputs.identifiers }

    /// The first of `controllersWithOutput`. Draining in this order needs no search.
    package var nextControllerWithOutput: ControllerIdentifier? { outputs.next }

    /// Hands over and removes all packets for a controller's host.
    ///
    /// - Parameter body: Called with each whole H4 packet, in order. It must not give the radio packets of this controller's host.
    package func drainOutput(of identifier: ControllerIdentifier, _ body: (Span<UInt8>) -> Void) {
        guard let box = box(identifier), !box.controller.shared.host.output.isEmpty else { return }
        unlistOutput(of: identifier, box)
        var octets: [UInt8] = []
        swap(&octets, &box.controller.shared.host.output)
        var start = 0
        while let end = Self.endOfPacket(at: start, in: octets) {
            body(octets.span.extracting(start..<end))
            start = end
        }
        octets.removeAll(keepingCapacity: true)
        // `body` may have removed the controller.
        if let box = self.box(identifier), box.controller.shared.host.output.isEmpty {
            swap(&octets, &box.controller.shared.host.output)
        }
    }

    /// The end of the H4 packet (event or ACL data) at `start`; nil at the end of `octets`.
    private static func endOfPacket(at start: Int, in octets: [UInt8]) -> Int? {
        guard octets.count - start >= 3 else { return nil }
        guard octets[start] == H4.PacketType.acl.rawValue else {
            return min(octets.count, start + 3 + Int(octets[start + 2]))
        }
        guard octets.count - start >= 5 else { return nil }
        return min(octets.count, start + 5 + Int(octets[start + 3]) + Int(octets[start + 4]) << 8)
    }

    private func listOutput(_ box: ControllerBox) {
        guard box.controller.shared.host.hasUnlistedOutput else { return }
        box.controller.shared.host.isListed = true
        outputs.append(ControllerIdentifier(rawValue: Int(box.controller.shared.radio.index)))
    }

    private func unlistOutput(of identifier: ControllerIdentifier, _ box: ControllerBox) {
        guard box.controller.shared.host.isListed else { return }
        box.controller.shared.host.isListed = false
        outputs.remove(identifier)
    }

    // MARK: Transmissions

    /// Ends a transmission: notifies the sender, then each receiver.
    private func endTransmission(_ index: Int32) {
        // A local variable is read while the medium changes.
        var pdu: [UInt8] = []
        swap(&pdu, &spare)
        let ended = medium.takeEnded(index, pdu: &pdu)
        tamper?(&pdu)
        if !ended.isCut {
            if let airObserver {
                show(Flight(medium.transmissions[Int(index)]), pdu, medium.receipts, to: airObserver)
            }
            if let box = boxes[Int(ended.sender)] {
                medium.readClock(of: ended.sender)
                box.controller.transmissionEnded(&medium)
                listOutput(box)
                if controllerCount >= medium.lane.minimumDevices, medium.clocks.isExact(ended.sender),
                    box.controller.isBeacon(at: medium.now)
                {
                    box.controller.enterLane(&medium)
                }
            }
        }
        if ended.hasReceipts { deliver(pdu, start: ended.start, channel: ended.channel, phy: ended.phy) }
        medium.retire(index, pdu: &pdu, now: medium.time)
        swap(&pdu, &spare)
    }

    /// Passes the octets of an ended transmission to its receivers.
    func deliver(_ pdu: [UInt8], start: Instant, channel: UInt8, phy: LL.PHY) {
        let receipts = medium.receipts
        for receipt in receipts where receipt.outcome != .missed {
            guard let box = boxes[Int(receipt.receiver)] else { continue }
            medium.readClock(of: receipt.receiver)
            let reception = ReceivedPacket(
                start: medium.clocks.reading(of: receipt.receiver, at: start), channel: channel, rssi: receipt.rssi,
                phy: phy, isCorrupted: receipt.outcome == .corrupted)
            box.controller.received(pdu.span, reception, &medium)
            listOutput(box)
        }
    }

    /// Calls `body` with each transmission that has begun and not ended, in the order of their ends. Their receptions are not known yet.
    package func forEachTransmissionInFlight(_ body: (borrowing AirPacket) -> Void) {
        for (flight, pdu) in medium.transmissionsInFlight(beaconPDU) { show(flight, pdu, [], to: body) }
    }

    func show(
        _ flight: Flight, _ octets: [UInt8], _ receipts: [Medium.Receipt],
        to observer: (borrowing AirPacket) -> Void
    ) {
        let receptions = receipts.map {
            AirPacket.Reception(
                receiver: ControllerIdentifier(rawValue: Int($0.receiver)), rssi: $0.rssi, outcome: $0.outcome)
        }
        let packet = AirPacket(
            start: flight.start, airTime: flight.end - flight.start, channel: flight.channel, phy: flight.phy,
            accessAddress: flight.accessAddress, crcInit: flight.crcInit, pdu: octets.span,
            plaintext: boxes[Int(flight.sender)]?.controller.sealedPlaintext,
            sender: ControllerIdentifier(rawValue: Int(flight.sender)), receptions: receptions)
        observer(packet)
    }
}
