import BLEAdapter
import BLEHostAdapter
import BLETransport
import BLEWire

extension HostDriver {
    /// Connects the host to the controller at the other end of `stream`, until the stream ends.
    ///
    /// - Parameter handleEnd: Returns whether it has handled the end of the stream. If not, the end is a failure of the
    ///   host.
    func attach(
        _ stream: PolledStream, capture: HCICapture?, executor: RealTimeExecutor,
        handleEnd: @escaping () -> Bool
    ) {
        let tap = capture.map { HCITap($0, clock: .wall(at: executor.now)) }
        let intake = HCIPacketReader(for: self, of: stream, tap)
        stream.onReceive = { intake.receive($0) }
        let name = stream.name
        stream.onClose = { [unowned executor] reason in
            // The stream reports a failed write later, when the host may no longer exist.
            guard let driver = executor.owner else { return }
            driver.log.debug("\(name): \(reason).")
            if !handleEnd() { driver.detach() }
            driver.flush()
        }
        executor.serve(stream)
        attach(StreamLink(stream, tap: tap, executor))
    }
}

/// Divides the octets of a stream into packets for a host.
private final class HCIPacketReader {
    // Not counted: the executor serves the stream only while it has the driver.
    private unowned(unsafe) let driver: HostDriver
    @exclusivity(unchecked) private var framer = H4Framer(reader: .host)
    private let losesOctets: Bool
    private let tap: HCITap?

    init(for driver: HostDriver, of stream: PolledStream, _ tap: HCITap?) {
        self.driver = driver
        self.tap = tap
        losesOctets = stream.isSerial
    }

    /// Takes the octets of one read. The step that serves the stream ends with `flush`.
    func receive(_ octets: Span<UInt8>) {
        let driver = driver
        // A transport that loses no octets may pause within a packet for any time. A serial line may lose octets
        // (Vol 4, Part A, 4).
        let now = driver.now
        framer.receive(octets, at: losesOctets ? now : nil) { packet in
            tap?.received(packet, at: now)
            driver.receive(packet, at: now)
        }
        driver.deliverEvents()
    }
}

/// The link from a host to its controller through a stream.
final class StreamLink: ControllerLink {
    private let stream: PolledStream
    private let tap: HCITap?
    private let executor: RealTimeExecutor

    init(_ stream: PolledStream, tap: HCITap?, _ executor: RealTimeExecutor) {
        self.stream = stream
        self.tap = tap
        self.executor = executor
    }

    func send(_ packets: Span<UInt8>) {
        tap?.sent(packets, at: executor.now)
        // If the stream refuses the packets, the host detects the missing answer.
        stream.send(packets)
    }

    func close() {
        stream.close()
        executor.drop(stream)
    }
}
