import BLEAdapter
import BLETransport
import BLEWire

/// A host of somebody else, behind a stream, with a controller of its own on the radio. On the engine's queue alone.
final class ForeignHost: RadioMember {
    /// A stream with more octets than this that are no packet has lost its way.
    static let skippedLimit = 4096
    /// About so many packets are taken in one go: what a host sends as fast as it can must not hold up the others.
    static let helping = 16
    /// With so much read that the radio has not taken yet, the host has to wait; the radio may stand still.
    private static let helpingsAhead = 4
    /// One who has sent something is looked at in so many turns of the radio: it may have more to say. Those who are silent for
    /// longer cost nothing, and what they send is told by the system.
    private static let looks = 100

    private let stream: DispatchStream
    /// The name that its program gave, which several may have.
    let introducedName: String
    /// The public address that it asked for.
    let wish: UInt64?
    /// Unlike that of any other foreign host on the radio, once it is there.
    var name: String
    private var framer = H4Framer(reader: .controller)
    private var output: [UInt8] = []
    private var isAnnounced = false
    private var helpings = 0
    /// In so many turns it is still looked at.
    private var looksLeft = 0
    /// Called when there is something to `send`, once until that is done.
    var onOutput: (() -> Void)?
    /// Called once, when there is no one to talk to any more.
    var onEnd: (() -> Void)?

    init(_ stream: DispatchStream, name: String, wish: UInt64?) {
        self.stream = stream
        self.wish = wish
        introducedName = name
        self.name = name
    }

    /// Whether its program has ended the connection and nothing told of that yet.
    var isLeaving: Bool { !stream.isClosed && stream.isEnding }

    func handleTimeout() {}

    /// Something was read that will be `received`. Returns whether the host begins to be looked at with that.
    func noteRead() -> Bool {
        helpings += 1
        if helpings == Self.helpingsAhead { stream.pause() }
        defer { looksLeft = Self.looks }
        return looksLeft == 0
    }

    /// Takes what the host sent, and hands out the packets in it.
    func received(_ octets: [UInt8], _ packet: (Span<UInt8>) -> Void) {
        helpings -= 1
        stream.resume()
        var count = 0
        framer.receive(octets.span) { octets in
            count += 1
            packet(octets)
        }
        if count > Self.helping {
            stream.readLimit = max(64, octets.count * Self.helping / count)
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

    /// Sends what has come together.
    func send() {
        isAnnounced = false
        guard !output.isEmpty else { return }
        switch stream.send(output.span) {
        case .sent, .queued: break
        // A host that does not read what it is sent gets no more.
        case .full, .closed: end()
        }
        output.removeAll(keepingCapacity: true)
    }

    /// Takes what has arrived, without waiting until the queue is told of it. Returns whether to look again in the next turn.
    func look() -> Bool {
        stream.readNow()
        looksLeft = stream.isClosed ? 0 : looksLeft - 1
        return looksLeft > 0
    }

    func end() {
        stream.close()
        onEnd?()
        onEnd = nil
    }
}
