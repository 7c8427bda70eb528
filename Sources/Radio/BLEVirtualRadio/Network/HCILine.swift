import BLEWire

/// Decides about the packets between a host in this process and its controller. The network calls it on its engine's queue.
package protocol HCIFilter: AnyObject {
    /// Takes an H4 packet on its way in a direction. The filter passes it on with `line.pass`: at once, changed, later, or not at all.
    func take(_ packet: [UInt8], _ direction: HCIDirection, on line: HCILine)
}

/// The line between the host and the controller of a slot, with a filter for its packets. Used only on its engine's queue.
package final class HCILine {
    private enum Entry {
        case packet([UInt8], HCIDirection)
        case action((HCILine) -> Void)
    }

    /// The largest number of packets and actions that wait. A further packet passes at once.
    private static let limit = 4096

    private unowned let network: VirtualRadioNetwork
    private let slot: Int
    package let filter: any HCIFilter
    private var entries = DeadlineList<Entry>()
    private var count = 0

    init(_ network: VirtualRadioNetwork, slot: Int, _ filter: any HCIFilter) {
        self.network = network
        self.slot = slot
        self.filter = filter
    }

    package var now: Instant { network.radio.now }

    /// The time at which the next packet or action is due.
    var nextDeadline: Instant? { entries.first }

    /// Takes a packet of the host or of the controller.
    func take(_ packet: Span<UInt8>, _ direction: HCIDirection) { filter.take([UInt8](packet), direction, on: self) }

    /// Passes a packet on at once. Call it only for a packet of this direction, within `take`, or within an action.
    package func pass(_ packet: [UInt8], _ direction: HCIDirection) {
        switch direction {
        case .toHost: network.deliver(packet.span, to: slot)
        case .toController: network.pass(packet.span, from: slot)
        }
    }

    /// Passes a packet of the direction on at a time, after the other packets and actions of that time.
    package func pass(_ packet: [UInt8], _ direction: HCIDirection, at time: Instant) {
        guard count < Self.limit else { return pass(packet, direction) }
        add(.packet(packet, direction), at: time)
    }

    /// Calls `action` at a time. Has no effect if too much waits.
    package func perform(at time: Instant, _ action: @escaping (HCILine) -> Void) {
        if count < Self.limit { add(.action(action), at: time) }
    }

    /// Drops the packets that wait and match.
    package func dropPackets(where isDropped: (_ packet: [UInt8], _ direction: HCIDirection) -> Bool) {
        entries.removeAll { entry in
            guard case .packet(let packet, let direction) = entry, isDropped(packet, direction) else { return false }
            count -= 1
            return true
        }
    }

    private func add(_ entry: Entry, at time: Instant) {
        entries.add(entry, at: max(time, now))
        count += 1
    }

    /// Passes on the packets that are due. Returns whether there were any, or actions.
    func deliverDue() -> Bool {
        let due = entries.take(through: now)
        count -= due.count
        for entry in due {
            switch entry {
            case .packet(let packet, let direction): pass(packet, direction)
            case .action(let action): action(self)
            }
        }
        return !due.isEmpty
    }
}

extension VirtualRadioNetwork {
    /// Sets the filter of a host in this process, from the next packet on; nil removes it, with the packets that wait. Returns its line.
    @discardableResult
    package func setFilter(_ filter: (any HCIFilter)?, of slot: Int) -> HCILine? {
        let line = controller(slot) == nil ? nil : filter.map { HCILine(self, slot: slot, $0) }
        lines[slot] = line
        return line
    }

    /// The line of a slot with a filter.
    package func line(of slot: Int) -> HCILine? { lines[slot] }

    /// Gives a packet to the host of a slot.
    func deliver(_ packet: Span<UInt8>, to slot: Int) {
        guard let host = host(slot) else { return }
        for observer in hciObservers { observer.call(slot, .toHost, radio.now, packet) }
        host.receive(packet)
    }

    /// Lets the host of a slot handle the packets that it has got.
    package func flushHost(_ slot: Int) { host(slot)?.flush() }

    /// Gives a packet of the host of a slot to its controller.
    func pass(_ packet: Span<UInt8>, from slot: Int) {
        if let controller = controller(slot) { radio.receive(packet, for: controller) }
    }

    /// The next deadline of a host or of a line.
    var nextHostDeadline: Instant? {
        lines.values.reduce(deadlines.first) { first, line in
            guard let deadline = line.nextDeadline else { return first }
            return min(first ?? deadline, deadline)
        }
    }

    /// Passes on what is due on all lines, in the order of the slots. Returns whether there was anything.
    func deliverDuePackets() -> Bool {
        var hasDelivered = false
        for slot in lines.keys.sorted() {
            guard let line = lines[slot], let deadline = line.nextDeadline, deadline <= radio.now, line.deliverDue()
            else { continue }
            hasDelivered = true
            host(slot)?.flush()
        }
        return hasDelivered
    }
}
