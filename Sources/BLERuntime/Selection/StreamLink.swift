import BLEAdapter
import BLEExecution
import BLETransport
import BLEWire

extension HostCore {
    /// Connects the host to the controller at the other end of `stream`, until that ends.
    ///
    /// - Parameter ended: whether the end was taken care of; if not, it is a failure of the host.
    func attach(
        _ stream: ByteStream, capture: HCICapture?, executor: RealTimeExecutor<HostCore>,
        ended: @escaping () -> Bool = { false }
    ) {
        var framer = H4Framer(reader: .host)
        let losesOctets = stream.isSerial
        let tap = capture.map { HCITap($0, clock: .wall(at: executor.now), executor: executor) }
        stream.onReceive = { [unowned self] octets in
            // Where nothing gets lost, a pause within a packet is no more than that.
            framer.receive(octets, at: losesOctets ? now : nil) { packet in
                tap?.received(packet)
                receive(packet)
            }
            flush()
        }
        let name = stream.name
        stream.onClose = { [weak self] reason in
            // It may come later than all else.
            guard let self else { return }
            log.debug("\(name): \(reason).")
            if !ended() { detach() }
            flush()
        }
        executor.serve(stream, for: self)
        attach(StreamLink(stream, tap: tap, executor))
    }
}

/// A host's way to its controller through a stream.
final class StreamLink: ControllerLink {
    private let stream: ByteStream
    private let tap: HCITap?
    private let executor: RealTimeExecutor<HostCore>

    init(_ stream: ByteStream, tap: HCITap?, _ executor: RealTimeExecutor<HostCore>) {
        self.stream = stream
        self.tap = tap
        self.executor = executor
    }

    func send(_ packets: Span<UInt8>) {
        tap?.sent(packets)
        // What cannot be sent is missed by the host as an answer that does not come.
        stream.send(packets)
    }

    func close() {
        stream.close()
        executor.drop(stream)
    }
}
