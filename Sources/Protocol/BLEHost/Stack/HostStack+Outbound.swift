import BLELink
import BLEWire

/// Outbound data: commands and frames move to `outgoing` as the controller has room (Vol 4, Part E, 4.1 and 4.4).
extension HostStack {
    /// The limit of K-frame octets in one link's lane. Further data waits in its channel, which can still drop it.
    private static var bulkMark: Int { 2_048 }

    /// Ends a call that may change GAP state. Starts the commands that are due and moves packets to `outgoing`.
    mutating func finish(at now: Instant) {
        drive(at: now)
        pump(at: now)
    }

    /// Ends a call that concerns data alone. Moves packets to `outgoing`.
    @inline(__always)
    mutating func pump(at now: Instant) {
        if commandsChanged { pumpCommands(at: now) }
        // After most packets nothing waits.
        if transmitter.isQuiet, channelLinks == 0 { stallEnds = nil } else { pumpWaiting(at: now) }
    }

    mutating func pumpWaiting(at now: Instant) {
        pumpData(at: now)
        if channelLinks > 0 {
            for connection in connections where connection.usesChannels { flushChannels(connection) }
        }
        watchCompletions(at: now)
        guard !transmitter.drained.isEmpty else { return }
        for index in transmitter.drained.indices {
            let slot = transmitter.drained[index]
            if let connection = connections.first(where: { $0.slot == slot }), !connection.isSilent {
                events.append(.transmitQueueDrained(connection.identifier))
            }
        }
        transmitter.drained.empty()
    }

    mutating func pumpCommands(at now: Instant) {
        commands.pump(into: &outgoing, at: now)
        commandDeadline = commands.deadline
        commandsChanged = false
    }

    /// Moves frames of channels and all other frames to `outgoing`, as the controller has room.
    mutating func pumpData(at now: Instant) {
        transmitter.pump(into: &outgoing)
        var mayHaveMore = channelLinks > 0
        while mayHaveMore {
            mayHaveMore = false
            for connection in connections
            where connection.usesChannels && connection.channels.hasFrames && !connection.isEnding {
                if fillBulkLane(of: connection, at: now) { mayHaveMore = true }
            }
            transmitter.pump(into: &outgoing)
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

    /// Sends the packets that a signalling channel has added to `signalOutput`.
    mutating func sendSignal(on connection: Connection) {
        connection.deadlines[.signalling] = connection.signalling.deadline
        guard !signalOutput.isEmpty else { return }
        var packet: [UInt8] = []
        swap(&packet, &signalOutput)
        if !connection.isEnding {
            _ = transmitter.enqueue(packet.span, channel: .signalling, on: connection.slot)
        }
        packet.empty()
        swap(&packet, &signalOutput)
    }
}
