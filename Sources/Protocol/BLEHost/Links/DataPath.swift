import BLELink
import BLEWire

/// The way of data to the controller (Vol 4, Part E, 4.1): the transmitter, the signalling packets on their way to it, and the time that a
/// controller may keep its buffers full.
struct DataPath {
    /// The limit of K-frame octets in one link's lane. Further data waits in its channel, which can still drop it.
    private static var bulkMark: Int { 2_048 }
    /// The longest time that the controller may keep its buffers full. It exceeds every supervision timeout (at most 32
    /// s; Vol 6, Part B, 4.5.2), after which a link without its peer ends.
    private static var stallPeriod: TimeSpan { .seconds(45) }

    var transmitter: ACLTransmitter
    /// The packets of one signalling channel, until `sendSignal`. Shared by all links.
    var signals: [UInt8] = []
    /// The number of links with `usesChannels` set.
    var channelLinks = 0
    /// The time at which the controller has kept its buffers full for too long; nil while they are not full.
    private(set) var stallEnds: Instant?

    init(transmitter: ACLTransmitter) { self.transmitter = transmitter }

    /// Whether no data waits. Most packets leave it so.
    var isQuiet: Bool { transmitter.isQuiet && channelLinks == 0 }

    /// Drops all data, as an HCI Reset does.
    mutating func reset() {
        transmitter.reset()
        stallEnds = nil
    }

    /// The controller completed packets, or nothing waits for it.
    mutating func moved() { stallEnds = nil }

    /// Moves frames of channels and all other frames to `packets`, as the controller has room.
    mutating func pump(_ connections: ConnectionTable, into packets: inout [UInt8], at now: Instant) {
        transmitter.pump(into: &packets)
        var mayHaveMore = channelLinks > 0
        while mayHaveMore {
            mayHaveMore = false
            for connection in connections
            where connection.usesChannels && connection.channels.hasFrames && !connection.isEnding {
                if fillBulkLane(of: connection, at: now) { mayHaveMore = true }
            }
            transmitter.pump(into: &packets)
            mayHaveMore = mayHaveMore && transmitter.hasRoom
        }
    }

    private mutating func fillBulkLane(of connection: Connection, at now: Instant) -> Bool {
        var moved = false
        while transmitter.queuedOctets(connection.slot, lane: .bulk) < Self.bulkMark,
            connection.channels.takeFrame(
                at: now,
                { channel, payload in
                    _ = transmitter.enqueue(payload, channel: channel, on: connection.slot, lane: .bulk)
                })
        { moved = true }
        return moved
    }

    /// Sends the packets that a signalling channel has added to `signals`.
    mutating func sendSignal(on connection: Connection) {
        connection.deadlines[.signalling] = connection.signalling.deadline
        guard !signals.isEmpty else { return }
        var packet: [UInt8] = []
        swap(&packet, &signals)
        if !connection.isEnding {
            _ = transmitter.enqueue(packet.span, channel: .signalling, on: connection.slot)
        }
        packet.empty()
        swap(&packet, &signals)
    }

    /// Starts or stops the timer for data that the controller does not complete.
    mutating func watchCompletions(at now: Instant) {
        guard transmitter.isStalled else { return stallEnds = nil }
        if stallEnds == nil { stallEnds = now + Self.stallPeriod }
    }

    /// Stops the timer if it is due. Returns whether it was due.
    mutating func takeStall(at now: Instant) -> Bool {
        guard let ends = stallEnds, ends <= now else { return false }
        stallEnds = nil
        return true
    }

    /// Whether a link's queue has room for one value within its limit.
    func hasRoom(for count: Int, on connection: Connection) -> Bool {
        hasRoom(forFrames: L2CAP.headerCount + min(Int(connection.bearer.mtu), 3 + count), on: connection)
    }

    /// - Parameter octets: The length of all frames together.
    func hasRoom(forFrames octets: Int, on connection: Connection) -> Bool {
        transmitter.queuedOctets(connection.slot) + octets <= transmitter.limit
    }

    /// Whether a link takes another value now.
    func takesValues(on connection: Connection) -> Bool {
        guard !connection.isEnding, !transmitter.isFull(connection.slot) else { return false }
        switch connection.role {
        case .central: return true
        case .peripheral: return !connection.bearer.withholdsUpdates
        }
    }
}
