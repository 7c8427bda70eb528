import BLETransport
import BLEWire

extension HostCore {
    /// Connects the host to the controller at the other end of `stream`, until that ends.
    ///
    /// - Parameter ended: whether the end was taken care of; if not, it is a failure of the host.
    func attach(
        _ stream: ByteStream, capture: HCICapture?, executor: RealTimeExecutor,
        ended: @escaping () -> Bool = { false }
    ) {
        var framer = H4Framer(reader: .host)
        let tap = capture.map { HCITap($0, clock: .wall(at: executor.now), executor: executor) }
        stream.onReceive = { [unowned self] octets in
            framer.receive(octets, at: executor.now) { packet in
                tap?.received(packet)
                receive(packet)
            }
            flush()
        }
        stream.onClose = { [unowned self] reason in
            log.debug("\(stream.name): \(reason).")
            if !ended() { detach() }
            flush()
        }
        executor.serve(stream)
        attach(StreamLink(stream, tap: tap))
    }
}

/// A host's way to its controller through a stream.
final class StreamLink: ControllerLink {
    private let stream: ByteStream
    private let tap: HCITap?

    init(_ stream: ByteStream, tap: HCITap? = nil) {
        self.stream = stream
        self.tap = tap
    }

    func send(_ packets: Span<UInt8>) {
        tap?.sent(packets)
        // What cannot be sent is missed by the host as an answer that does not come.
        stream.send(packets)
    }

    func close() { stream.close() }
}
