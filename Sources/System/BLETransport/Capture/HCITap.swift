import BLEWire

/// Records the packets of one transport between a host and its controller. On the host's executor alone.
package final class HCITap {
    private let capture: HCICapture
    private let clock: CaptureClock
    /// Splits the octets of one write of the host into packets.
    private var framer = H4Framer(reader: .controller)

    /// - Parameter clock: turns the times given to `received` and `sent` into dates.
    package init(_ capture: HCICapture, clock: CaptureClock) {
        self.capture = capture
        self.clock = clock
    }

    /// Records one packet from the controller.
    package func received(_ packet: Span<UInt8>, at now: Instant) {
        capture.add(packet, .received, time: clock.nanoseconds(now))
    }

    /// Records whole packets to the controller, one after another.
    package func sent(_ packets: Span<UInt8>, at now: Instant) {
        let time = clock.nanoseconds(now)
        framer.receive(packets) { capture.add($0, .sent, time: time) }
    }
}
