import BLETransport
import BLEWire

/// A host of another program, behind a stream, with a controller of its own on the radio. On the engine's queue alone.
final class ExternalHost: HCIHost {
    /// The connection ends after this many octets that are no packets.
    static let skippedLimit = 4096
    /// About this many packets are taken at once: a host that sends as fast as it can must not delay the others.
    static let batchSize = 16
    /// The most batches that are read before the network takes the first: the network may stand still.
    private static let batchLimit = 4
    /// After a packet, the host is polled in this many turns, because more packets may follow. An idle host costs nothing: the system
    /// reports when it sends again.
    private static let pollCount = 100

    private let stream: DispatchStream
    /// The name from its program. Several hosts may have it.
    let introducedName: String
    /// The public address that its program requests.
    let requestedAddress: UInt64?
    /// Unique among the devices on the radio once the host is there.
    var name: String
    private var framer = H4Framer(reader: .controller)
    private var output: [UInt8] = []
    private var isAnnounced = false
    /// Batches that are read and not yet taken.
    private var batches = 0
    /// The turns in which the host is still polled.
    private var pollsLeft = 0
    /// Called when packets wait for `send`, once until then.
    var onOutput: (() -> Void)?
    /// Called once, when the connection has ended.
    var onEnd: (() -> Void)?

    init(_ stream: DispatchStream, name: String, requestedAddress: UInt64?) {
        self.stream = stream
        self.requestedAddress = requestedAddress
        introducedName = name
        self.name = name
    }

    /// Whether its program has ended the connection and the stream has not reported that yet.
    var isLeaving: Bool { !stream.isClosed && stream.isEnding }

    func handleTimeout() {}

    /// Counts a batch that is read and goes to `received` later. Returns whether polling of the host begins with it.
    func noteRead() -> Bool {
        batches += 1
        if batches == Self.batchLimit { stream.pause() }
        defer { pollsLeft = Self.pollCount }
        return pollsLeft == 0
    }

    /// Takes a batch of octets from the host and calls `packet` with each packet in it.
    func received(_ octets: [UInt8], _ packet: (Span<UInt8>) -> Void) {
        batches -= 1
        stream.resume()
        var count = 0
        framer.receive(octets.span) { octets in
            count += 1
            packet(octets)
        }
        if count > Self.batchSize {
            stream.readLimit = max(64, octets.count * Self.batchSize / count)
        } else if octets.count >= stream.readLimit {
            stream.readLimit *= 2
        }
        if framer.skippedOctets > Self.skippedLimit { end() }
    }

    func receive(_ packet: Span<UInt8>) { output.append(packet) }

    func flush() {
        guard !output.isEmpty, !isAnnounced else { return }
        isAnnounced = true
        onOutput?()
    }

    /// Sends the packets that wait.
    func send() {
        isAnnounced = false
        guard !output.isEmpty else { return }
        switch stream.send(output.span) {
        case .sent, .queued: break
        // The connection to a host that does not read ends.
        case .full, .closed: end()
        }
        output.removeAll(keepingCapacity: true)
    }

    /// Reads from the socket without waiting for its event. Returns whether to poll again in the next turn.
    func poll() -> Bool {
        stream.readNow()
        pollsLeft = stream.isClosed ? 0 : pollsLeft - 1
        return pollsLeft > 0
    }

    func end() {
        stream.close()
        onEnd?()
        onEnd = nil
    }
}
