import BLEWire

/// What a host offers on its LE credit-based channels (Vol 3, Part A, 10.1).
package struct CreditBasedConfiguration: Hashable, Sendable {
    /// The longest K-frame payload that fills eight link-layer data PDUs of 251 octets, beside the basic header. With more than
    /// eight there is next to nothing to win, and others would wait longer for their turn.
    package static let fullFrame: UInt16 = 8 * 251 - 4

    /// The longest SDU taken from a peer, octets; the default fills a K-frame, whose first two octets are its length.
    package var mtu: UInt16 = fullFrame - 2
    /// The longest K-frame payload taken from a peer, octets, 23 to 65,533.
    package var mps: UInt16 = fullFrame
    /// Octets of one channel that may be on their way or wait for the reader. Peers never have credits for more. They get
    /// new ones for half of it at a time: each such packet takes the place of a data PDU where both sides send, and of 257
    /// it is one.
    package var receiveWindow = 131_072
    /// Octets that all channels of a link share, so that peers cannot claim `receiveWindow` for each of many.
    private static let linkWindow = 262_144
    /// What a channel gets of it at least, octets.
    private static let leastWindow = 32_768
    /// Octets of one channel waiting to be sent from which on `send` says full; `writable` comes at half of it.
    package var sendQueueOctets = 8_192
    /// Channels of one link at a time, at most 64.
    package var maximumChannels = 32
    /// How long a peer may take to answer a request (the RTX timer, Vol 3, Part A, 6.2.1).
    package var responseTimeout = TimeSpan.seconds(30)
    /// How long a channel that was closed here may take to send what it still has.
    package var lingerTimeout = TimeSpan.seconds(10)

    package init() {}

    /// K-frames for which a peer has credits on each of so many channels when nothing waits for the reader. There is always
    /// room for one whole SDU and the credits behind it, or a long SDU could stop half way.
    func windowFrames(channels: Int) -> Int {
        let share = max(Self.leastWindow, Self.linkWindow / max(1, channels))
        let window = max(min(receiveWindow, share), Int(mtu) + 2 * Int(mps))
        return min(window / max(1, Int(mps)), 0xFFFF)
    }
}

/// A service that takes channels.
package struct CreditBasedListener: Hashable, Sendable {
    /// The number of the service, 0x0001 to 0x00FF; 0x0080 to 0x00FF are dynamic (Vol 3, Part A, 4.22).
    package var spsm: UInt16
    /// Refuse clients whose link is not encrypted (Vol 3, Part C, 10.3.1).
    package var requiresEncryption: Bool

    package init(spsm: UInt16, requiresEncryption: Bool) {
        self.spsm = spsm
        self.requiresEncryption = requiresEncryption
    }
}
