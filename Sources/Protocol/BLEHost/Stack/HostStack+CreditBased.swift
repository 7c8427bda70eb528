import BLELink
import BLEWire

/// LE credit-based channels of links.
extension HostStack {
    /// Requests a channel to a service of the peer (Vol 3, Part A, 4.22). `channel` with `opened` or `refused` follows,
    /// with the returned number. Returns nil if there is no such link.
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

    /// Records that the reader consumed `count` octets. The peer gets credits for them (Vol 3, Part A, 4.24 and 10.1).
    package mutating func consumed(_ count: Int, onChannel number: UInt32, of link: LinkIdentifier, at now: Instant) {
        guard let connection = connection(link) else { return }
        connection.channels.consumed(count, on: number)
        finish(at: now)
    }

    /// Closes a channel after the queued data has been sent (Vol 3, Part A, 4.6).
    package mutating func closeChannel(_ number: UInt32, of link: LinkIdentifier, at now: Instant) {
        guard let connection = connection(link) else { return }
        connection.channels.close(number, at: now)
        finish(at: now)
    }

    /// Takes a signalling packet of credit-based channels. Returns false for any other packet.
    mutating func receiveChannelSignal(_ payload: Span<UInt8>, on connection: Connection, at now: Instant) -> Bool {
        switch connection.channels.receive(
            signal: payload, listeners: channelListeners, security: connection.security, at: now)
        {
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

    /// Emits the events of a link's channels.
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
