import BLEAdapter
import BLEExecution
import BLEVirtualRadio
import BLEWire

/// Where a capture listens to one transport. On the host's executor alone.
final class HCITap {
    private let capture: HCICapture
    private let clock: CaptureClock
    /// Which has the transport that keeps this object.
    private unowned let executor: any AdapterExecutor
    /// Cuts what the host sends at once into packets.
    private var framer = H4Framer(reader: .controller)

    init(_ capture: HCICapture, clock: CaptureClock, executor: any AdapterExecutor) {
        self.capture = capture
        self.clock = clock
        self.executor = executor
    }

    func received(_ packet: Span<UInt8>) { capture.add(packet, .toHost, time: clock.nanoseconds(executor.now)) }

    func sent(_ packets: Span<UInt8>) {
        let time = clock.nanoseconds(executor.now)
        framer.receive(packets) { capture.add($0, .toController, time: time) }
    }
}
