import BLEWire

/// A controller on a virtual radio. Used again only for a controller that was removed with `isReusable`.
package struct ControllerIdentifier: Hashable, Sendable {
    package let rawValue: Int
    package init(rawValue: Int) { self.rawValue = rawValue }
}

/// A radio medium, the controllers on it, and the queue of what happens next.
///
/// It does nothing by itself: its owner hands it the hosts' packets and moves the time on with `advance(to:)`. Equal calls
/// with an equal seed give equal output, to the bit. Not safe for use from two threads.
package final class VirtualRadio {
    /// One value, so that it is checked for exclusive access once, when it is entered.
    private var core: RadioCore

    /// - Parameters:
    ///   - seed: decides every random draw: equal seeds, equal runs.
    package init(seed: UInt64, configuration: RadioConfiguration = RadioConfiguration()) {
        self.configuration = configuration
        core = RadioCore(seed: seed, configuration: configuration)
    }

    /// The present: the latest time given to `advance(to:)`, or that of the event being processed.
    package var now: Instant { core.now }
    /// How the air behaves; may change while packets are in flight.
    package var configuration: RadioConfiguration {
        didSet { core.configure(configuration) }
    }
    /// Sees every whole transmission when it ends, in the order of the ends and before its receivers. Must not call back
    /// into the radio.
    package var airObserver: ((borrowing AirPacket) -> Void)? {
        get { core.airObserver }
        set { core.airObserver = newValue }
    }
    /// The controllers that have packets for their hosts, in the order in which they got their first one.
    package var controllersWithOutput: [ControllerIdentifier] { core.controllersWithOutput }
    /// The first of `controllersWithOutput`. Draining one after another in this order costs no search.
    package var nextControllerWithOutput: ControllerIdentifier? { core.nextControllerWithOutput }
    /// Changes what receivers get to hear, for tests of hostile peers.
    var tamper: ((inout [UInt8]) -> Void)? {
        get { core.tamper }
        set { core.tamper = newValue }
    }

    /// Puts a new controller, powered and idle, on the air.
    package func addController(
        _ configuration: ControllerConfiguration = ControllerConfiguration(), at position: Position = .origin
    ) -> ControllerIdentifier {
        core.addController(configuration, at: position)
    }

    /// Switches a controller off in mid-air: its peers hear no goodbye. What it still had for its host is gone.
    ///
    /// - Parameter isReusable: lets a later controller have this identifier, so that memory does not grow with the controllers that were
    ///   ever there. The caller must keep no copy of it.
    package func removeController(_ identifier: ControllerIdentifier, isReusable: Bool = false) {
        core.removeController(identifier, isReusable: isReusable)
    }

    /// Moves a controller, from now on.
    package func move(_ identifier: ControllerIdentifier, to position: Position) { core.move(identifier, to: position) }

    /// Loses this share, 0 to 1, of all packets to and from a controller, from now on, besides what the air loses anyway.
    package func setLoss(_ loss: Double, of identifier: ControllerIdentifier) { core.setLoss(loss, of: identifier) }

    /// What a controller is doing; nil if it is not there.
    package func status(of identifier: ControllerIdentifier) -> ControllerStatus? { core.status(of: identifier) }

    /// Takes one H4 packet (with its type octet) from a controller's host, at `now`. Never traps, whatever it holds.
    package func receive(_ packet: Span<UInt8>, for identifier: ControllerIdentifier) {
        core.receive(packet, for: identifier)
    }

    /// When the next thing happens if no host says anything; nil when nothing ever will.
    package var nextDeadline: Instant? { core.nextDeadline() }

    /// Moves the time to `instant` and does everything due up to and including it. A time in the past does nothing.
    package func advance(to instant: Instant) { core.advance(to: instant) }

    /// Hands over and forgets all packets for a controller's host: `body` is called with each whole H4 packet, in order, and
    /// must not give the radio packets of this controller's host.
    package func drainOutput(of identifier: ControllerIdentifier, _ body: (Span<UInt8>) -> Void) {
        guard var octets = core.takeOutput(of: identifier) else { return }
        var start = 0
        while let end = Self.endOfPacket(at: start, in: octets) {
            body(octets.span.extracting(start..<end))
            start = end
        }
        octets.removeAll(keepingCapacity: true)
        core.returnBuffer(octets, to: identifier)
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
}
