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
    package private(set) var now: Instant = .zero
    /// How the air behaves; may change while packets are in flight.
    package var configuration: RadioConfiguration
    /// Sees every transmission when it ends, in the order of the ends. Must not call back into the radio.
    package var airObserver: ((borrowing AirPacket) -> Void)?
    /// The controllers that have packets for their hosts, in the order in which they got their first one.
    package private(set) var controllersWithOutput: [ControllerIdentifier] = []

    /// - Parameters:
    ///   - seed: decides every random draw: equal seeds, equal runs.
    package init(seed: UInt64, configuration: RadioConfiguration = RadioConfiguration()) {
        self.configuration = configuration
    }

    /// Puts a new controller, powered and idle, on the air.
    package func addController(
        _ configuration: ControllerConfiguration = ControllerConfiguration(), at position: Position = .origin
    ) -> ControllerIdentifier {
        ControllerIdentifier(rawValue: 0)
    }

    /// Switches a controller off in mid-air: its peers hear no goodbye. What it still had for its host is gone.
    package func removeController(_ identifier: ControllerIdentifier) {}

    /// Moves a controller, from now on.
    package func move(_ identifier: ControllerIdentifier, to position: Position) {}

    /// Takes one H4 packet (with its type octet) from a controller's host, at `now`. Never traps, whatever it holds.
    package func receive(_ packet: Span<UInt8>, for identifier: ControllerIdentifier) {}

    /// When the next thing happens if no host says anything; nil when nothing ever will.
    package var nextDeadline: Instant? { nil }

    /// Moves the time to `instant` and does everything due up to and including it. A time in the past does nothing.
    package func advance(to instant: Instant) { now = max(now, instant) }

    /// Hands over and forgets all packets for a controller's host, whole H4 packets in order. `body` must not call back
    /// into the radio.
    package func drainOutput(of identifier: ControllerIdentifier, _ body: (Span<UInt8>) -> Void) {}
}
