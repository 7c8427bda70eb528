import BLELink
import BLEWire

/// LE credit-based channels of links.
extension HostStack {
    /// Octets of K-frames kept ready for one link's turn; the rest waits in its channel, where it can still be taken back.
    private static var bulkMark: Int { 2_048 }

    /// Asks a peer for a channel to its service. `channel` with `opened` or `refused` follows, with the number that is
    /// returned. Nil: no such link.
    package mutating func connectChannel(spsm: UInt16, on link: LinkIdentifier, at now: Instant) -> UInt32? {
        guard let connection = connection(link), !connection.isEnding else { return nil }
        noteChannels(on: connection)
        let number = connection.channels.connect(spsm: spsm, at: now)
        finish(at: now)
        return number
    }

    /// Queues one SDU on an open channel.
    package mutating func send(
        _ sdu: Span<UInt8>, onChannel number: UInt32, of link: LinkIdentifier, at now: Instant
    ) -> CreditBasedChannels.SendResult {
        guard let connection = connection(link), !connection.isEnding else { return .notOpen }
        let result = connection.channels.send(sdu, on: number)
        finish(at: now)
        return result
    }

    /// The reader took so many octets.
    package mutating func consumed(_ count: Int, onChannel number: UInt32, of link: LinkIdentifier, at now: Instant) {
        guard let connection = connection(link) else { return }
        connection.channels.consumed(count, on: number)
        finish(at: now)
    }

    /// Closes a channel, once what is queued has been sent.
    package mutating func closeChannel(_ number: UInt32, of link: LinkIdentifier, at now: Instant) {
        guard let connection = connection(link) else { return }
        connection.channels.close(number, at: now)
        finish(at: now)
    }

    /// Takes a signalling packet if it is about channels; false if it is not.
    mutating func receiveChannelSignal(_ payload: Span<UInt8>, on connection: Connection, at now: Instant) -> Bool {
        switch connection.channels.receive(signal: payload, listeners: channelListeners, at: now) {
        case .notOurs: return false
        case .handled:
            noteChannels(on: connection)
            return true
        case .fault:
            noteChannels(on: connection)
            report(.signalling, on: connection)
            return true
        }
    }

    private mutating func noteChannels(on connection: Connection) {
        guard !connection.usesChannels else { return }
        connection.usesChannels = true
        channelLinks += 1
    }

    /// Moves frames of channels and everything else to `outgoing`, as the controller has room.
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

    /// Passes on what happened on the channels of a link.
    mutating func flushChannels(_ connection: Connection) {
        connection.deadlines[.channels] = connection.channels.deadline
        guard !connection.channels.events.isEmpty else { return }
        if !connection.isSilent {
            let shift = eventBytes.count
            eventBytes.append(contentsOf: connection.channels.bytes)
            for index in connection.channels.events.indices {
                let event = connection.channels.events[index]
                if case .closed(_, .violation(let violation)) = event { report(.channel(violation), on: connection) }
                events.append(.channel(connection.identifier, event.shifted(by: shift)))
            }
        }
        connection.channels.removeEvents()
    }
}

extension CreditBasedEvent {
    fileprivate func shifted(by shift: Int) -> CreditBasedEvent {
        guard case .received(let number, let range) = self else { return self }
        return .received(number, range.lowerBound + shift..<range.upperBound + shift)
    }
}
