import BLELink
import BLEWire

/// LE credit-based channels of links.
extension HostStack {
    /// Requests a channel to a service of the peer (Vol 3, Part A, 4.22). `channel` with `opened` or `refused` follows,
    /// with the returned number. Returns nil if there is no such link.
    package mutating func connectChannel(spsm: UInt16, on link: LinkIdentifier, at now: Instant) -> UInt32? {
        guard let connection = connections[link], !connection.isEnding else { return nil }
        connection.noteChannels(&output)
        let number = connection.channels.connect(spsm: spsm, at: now)
        finish(at: now)
        return number
    }

    /// Queues one SDU on an open channel.
    package mutating func send(
        _ sdu: Span<UInt8>, onChannel number: UInt32, of link: LinkIdentifier, at now: Instant
    ) -> CreditBasedChannels.SendResult {
        guard let connection = connections[link], !connection.isEnding else { return .notOpen }
        let result = connection.channels.send(sdu, on: number)
        finish(at: now)
        return result
    }

    /// Records that the reader consumed `count` octets. The peer gets credits for them (Vol 3, Part A, 4.24 and 10.1).
    package mutating func consumed(_ count: Int, onChannel number: UInt32, of link: LinkIdentifier, at now: Instant) {
        guard let connection = connections[link] else { return }
        connection.channels.consumed(count, on: number)
        finish(at: now)
    }

    /// Closes a channel after the queued data has been sent (Vol 3, Part A, 4.6).
    package mutating func closeChannel(_ number: UInt32, of link: LinkIdentifier, at now: Instant) {
        guard let connection = connections[link] else { return }
        connection.channels.close(number, at: now)
        finish(at: now)
    }
}
