import BLEWire

/// A controller on a virtual radio. Never reused.
package struct ControllerIdentifier: Hashable, Sendable {
    package let rawValue: Int
    package init(rawValue: Int) { self.rawValue = rawValue }
}

/// A radio medium, the controllers on it, and the queue of what happens next.
///
/// It does nothing by itself: its owner hands it the hosts' packets and moves the time on with `advance(to:)`. Equal calls
/// with an equal seed give equal output, to the bit. Not safe for use from two threads.
package final class VirtualRadio {
    /// The present: the latest time given to `advance(to:)`, or that of the event being processed.
    package var now: Instant { air.now }
    /// How the air behaves; may change while packets are in flight.
    package var configuration: RadioConfiguration {
        didSet { air.medium.configure(configuration) }
    }
    /// Sees every whole transmission when it ends, in the order of the ends and before its receivers. Must not call back
    /// into the radio.
    package var airObserver: ((borrowing AirPacket) -> Void)?
    /// The controllers that have packets for their hosts, in the order in which they got their first one.
    package private(set) var controllersWithOutput: [ControllerIdentifier] = []

    /// Changes what receivers get to hear, for tests of hostile peers.
    var tamper: ((inout [UInt8]) -> Void)?

    private var air: Air
    /// In boxes, so that a controller stays where it is and is checked for exclusive access once, when it is entered.
    private final class Place {
        var controller: Controller
        init(_ controller: Controller) { self.controller = controller }
    }
    private var places: [Place?] = []
    private var random: SeededRandom
    /// Takes the place of the PDU buffer that is being handed out.
    private var spare: [UInt8] = []

    /// - Parameters:
    ///   - seed: decides every random draw: equal seeds, equal runs.
    package init(seed: UInt64, configuration: RadioConfiguration = RadioConfiguration()) {
        self.configuration = configuration
        random = SeededRandom(seed: seed)
        air = Air(medium: Medium(configuration: configuration, random: random.fork()))
    }

    /// Puts a new controller, powered and idle, on the air.
    package func addController(
        _ configuration: ControllerConfiguration = ControllerConfiguration(), at position: Position = .origin
    ) -> ControllerIdentifier {
        let index = air.medium.addDevice(at: position, power: Double(configuration.transmitPower))
        places.append(Place(Controller(index: index, configuration: configuration, random: random.fork())))
        return ControllerIdentifier(rawValue: Int(index))
    }

    /// Switches a controller off in mid-air: its peers hear no goodbye. What it still had for its host is gone.
    package func removeController(_ identifier: ControllerIdentifier) {
        guard let place = place(identifier) else { return }
        place.controller.remove(&air)
        places[identifier.rawValue] = nil
        controllersWithOutput.removeAll { $0 == identifier }
    }

    /// Moves a controller, from now on.
    package func move(_ identifier: ControllerIdentifier, to position: Position) {
        guard place(identifier) != nil else { return }
        air.medium.move(Int32(identifier.rawValue), to: position)
    }

    /// Takes one H4 packet (with its type octet) from a controller's host, at `now`. Never traps, whatever it holds.
    package func receive(_ packet: Span<UInt8>, for identifier: ControllerIdentifier) {
        guard let place = place(identifier) else { return }
        place.controller.receive(packet, &air)
        noteOutput(place)
    }

    /// When the next thing happens if no host says anything; nil when nothing ever will.
    package var nextDeadline: Instant? { air.scheduler.nextTime() }

    /// Moves the time to `instant` and does everything due up to and including it. A time in the past does nothing.
    package func advance(to instant: Instant) {
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

    /// Hands over and forgets all packets for a controller's host: `body` is called with each whole H4 packet, in order, and
    /// must not call back into the radio.
    package func drainOutput(of identifier: ControllerIdentifier, _ body: (Span<UInt8>) -> Void) {
        guard let place = place(identifier), !place.controller.output.isEmpty else { return }
        place.controller.isListed = false
        controllersWithOutput.removeAll { $0 == identifier }
        var octets: [UInt8] = []
        swap(&octets, &place.controller.output)
        var start = 0
        while let end = Self.endOfPacket(at: start, in: octets) {
            body(octets.span.extracting(start..<end))
            start = end
        }
        octets.removeAll(keepingCapacity: true)
        swap(&octets, &place.controller.output)
    }

    /// Where the H4 packet at `start`, event or ACL data, ends; nil at the end of `octets`.
    private static func endOfPacket(at start: Int, in octets: [UInt8]) -> Int? {
        guard octets.count - start >= 3 else { return nil }
        guard octets[start] == H4.PacketType.acl.rawValue else {
            return min(octets.count, start + 3 + Int(octets[start + 2]))
        }
        guard octets.count - start >= 5 else { return nil }
        return min(octets.count, start + 5 + Int(octets[start + 3]) + Int(octets[start + 4]) << 8)
    }

    private func place(_ identifier: ControllerIdentifier) -> Place? {
        places.indices.contains(identifier.rawValue) ? places[identifier.rawValue] : nil
    }

    private func noteOutput(_ place: Place) {
        guard place.controller.hasUnlistedOutput else { return }
        place.controller.isListed = true
        controllersWithOutput.append(ControllerIdentifier(rawValue: Int(place.controller.index)))
    }

    // MARK: Transmissions

    /// A transmission is over: its sender learns of it, then everybody who listened.
    private func endTransmission(_ index: Int32) {
        air.medium.evaluate(index)
        swap(&air.medium.transmissions[Int(index)].pdu, &spare)
        tamper?(&spare)
        let isCut = air.medium.transmissions[Int(index)].isCut
        let sender = air.medium.transmissions[Int(index)].sender
        if !isCut {
            if let airObserver { show(index, to: airObserver) }
            air.medium.devices[Int(sender)].sending = -1
            if let place = places[Int(sender)] {
                place.controller.transmissionEnded(&air)
                noteOutput(place)
            }
        }
        let heard = Controller.Heard(
            start: air.medium.transmissions[Int(index)].start, channel: air.medium.transmissions[Int(index)].channel,
            rssi: 0, phy: air.medium.transmissions[Int(index)].phy, isCorrupted: false)
        // Nothing is evaluated before this returns, so that the receipts stay as they are.
        for position in air.medium.receipts.indices {
            let receipt = air.medium.receipts[position]
            guard receipt.outcome != .missed, let place = places[Int(receipt.receiver)] else { continue }
            var heard = heard
            heard.rssi = receipt.rssi
            heard.isCorrupted = receipt.outcome == .corrupted
            place.controller.received(spare.span, heard, &air)
            noteOutput(place)
        }
        swap(&air.medium.transmissions[Int(index)].pdu, &spare)
        air.medium.retire(index, now: air.now)
    }

    private func show(_ index: Int32, to observer: (borrowing AirPacket) -> Void) {
        let transmission = air.medium.transmissions[Int(index)]
        let receptions = air.medium.receipts.map {
            AirPacket.Reception(
                receiver: ControllerIdentifier(rawValue: Int($0.receiver)), rssi: $0.rssi, outcome: $0.outcome)
        }
        let octets = spare
        let packet = AirPacket(
            start: transmission.start, airTime: transmission.end - transmission.start,
            channel: transmission.channel, phy: transmission.phy, accessAddress: transmission.accessAddress,
            crcInit: transmission.crcInit, pdu: octets.span,
            sender: ControllerIdentifier(rawValue: Int(transmission.sender)), receptions: receptions)
        observer(packet)
    }
}
