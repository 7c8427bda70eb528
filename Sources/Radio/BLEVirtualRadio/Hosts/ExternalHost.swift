import BLETransport
import BLEWire

/// A host in another program, behind a stream, with its own controller on the radio. Used only on the engine's queue.
final class ExternalHost: HCIHost {
    /// The number of octets outside packets after which the connection ends.
    static let skippedLimit = 4096
    /// The approximate number of packets in a batch. A host that sends at full speed must not delay the others.
    static let batchSize = 16
    /// The maximum number of batches that are read before the network takes the first. The network may stand still.
    private static let batchLimit = 4
    /// The number of turns in which the host is polled after a packet, because more packets may follow. An idle host
    /// costs nothing: the system reports its next packet.
    private static let pollCount = 100

    private let stream: DispatchStream
    /// The name that its program gives. Several hosts may have the same name.
    let introducedName: String
    /// The name of the platform whose controller it has; nil for none.
    let platform: String?
    /// The public address that its program requests.
    let requestedAddress: UInt64?
    /// Unique among the devices on the radio after the host has been added.
    var name: String
    private var framer = H4Framer(reader: .controller)
    private var output: [UInt8] = []
    private var isAnnounced = false
    /// The number of batches that are read and not yet taken.
    private var batches = 0
    /// The number of turns in which the host is still polled.
    private var pollsLeft = 0
    /// Called when packets wait for `send`, once until the next `send`.
    var onOutput: (() -> Void)?
    /// Called once when the connection has ended.
    var onEnd: (() -> Void)?

    init(_ stream: DispatchStream, name: String, platform: String? = nil, requestedAddress: UInt64?) {
        self.stream = stream
        self.platform = platform
        self.requestedAddress = requestedAddress
        introducedName = name
        self.name = name
    }

    /// Whether its program has ended the connection and the stream has not reported the end yet.
    var isLeaving: Bool { !stream.isClosed && stream.isEnding }

    func handleTimeout() {}

    /// Counts a batch that is read and later passed to `received`. Returns whether it starts the polling of the host.
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

    /// Sends the waiting packets.
    func send() {
        isAnnounced = false
        guard !output.isEmpty else { return }
        switch stream.send(output.span) {
        case .sent, .queued: break
        // Ends the connection to a host that does not read.
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
