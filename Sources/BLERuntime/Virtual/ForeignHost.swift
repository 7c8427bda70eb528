import BLETransport
import BLEWire

/// A host of somebody else, behind a stream, with a controller of its own on the radio. On the engine's queue alone.
final class ForeignHost: RadioMember {
    /// A stream with more octets than this that are no packet has lost its way.
    static let skippedLimit = 4096

    private let stream: ByteStream
    private var framer = H4Framer(reader: .controller)
    private var output: [UInt8] = []
    /// Called once, when there is no one to talk to any more.
    var onEnd: (() -> Void)?

    init(_ stream: ByteStream) { self.stream = stream }

    let nextDeadline: Instant? = nil
    func handleTimeout() {}

    /// Takes what the host sent, and hands out the packets in it.
    func received(_ octets: [UInt8], _ packet: (Span<UInt8>) -> Void) {
        framer.receive(octets.span, packet: packet)
        if framer.skippedOctets > Self.skippedLimit { end() }
    }

    func receive(_ packet: Span<UInt8>) { output.append(packet) }

    func flush() {
        guard !output.isEmpty else { return }
        switch stream.send(output.span) {
        case .sent, .queued: break
        // A host that does not read what it is sent gets no more.
        case .full, .closed: end()
        }
        output.removeAll(keepingCapacity: true)
    }

    func end() {
        stream.close()
        onEnd?()
        onEnd = nil
    }
}
