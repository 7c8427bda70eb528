import BLEWire

/// The parameters that a host offers on its LE credit-based channels (Vol 3, Part A, 10.1).
package struct CreditBasedConfiguration: Hashable, Sendable {
    /// The longest K-frame payload that fills eight link-layer data PDUs of 251 octets, less the basic header. More
    /// than eight PDUs gain little, and other frames would wait longer for their turn.
    package static let fullFrame: UInt16 = 8 * 251 - 4

    /// The longest SDU accepted from a peer, in octets. The default fills a K-frame, whose first two octets are the
    /// SDU's length.
    package var mtu: UInt16 = fullFrame - 2
    /// The longest K-frame payload accepted from a peer, in octets, 23 to 65,533.
    package var mps: UInt16 = fullFrame
    /// The limit of one channel's octets in transit or waiting for the reader. Peers never have credits for more. They
    /// get new credits for half of it at a time. Each credit packet takes the place of a data PDU if both sides send;
    /// that is one PDU in 257.
    package var receiveWindow = 131_072
    /// The octets shared by all channels of a link. Peers cannot claim `receiveWindow` for each of many channels.
    private static let linkWindow = 262_144
    /// The minimum share of a channel, in octets.
    private static let leastWindow = 32_768
    /// The number of a channel's queued octets from which on `send` returns `full`. `writable` follows at half of it.
    package var sendQueueOctets = 8_192
    /// The maximum number of channels of one link, at most 64.
    package var maximumChannels = 32
    /// Whether a channel waits for `resume` after the peer refuses it for insufficient security. Otherwise it is refused.
    package var suspendsForSecurity = false
    /// The time that a peer has to answer a request (the RTX timer, Vol 3, Part A, 6.2.1).
    package var responseTimeout = TimeSpan.seconds(30)
    /// The time that a locally closed channel has to send its remaining data.
    package var lingerTimeout = TimeSpan.seconds(10)

    package init() {}

    /// The number of K-frames for which a peer has credits, on each of `channels` channels, when no octets wait for the
    /// reader. There is always room for one whole SDU and the credits after it. Otherwise a long SDU could stop
    /// halfway.
    func windowFrames(channels: Int) -> Int {
        let share = max(Self.leastWindow, Self.linkWindow / max(1, channels))
        let window = max(min(receiveWindow, share), Int(mtu) + 2 * Int(mps))
        return min(window / max(1, Int(mps)), 0xFFFF)
    }
}

/// A service that accepts channels.
package struct CreditBasedListener: Hashable, Sendable {
    /// The number of the service, 0x0001 to 0x00FF; 0x0080 to 0x00FF are dynamic (Vol 3, Part A, 4.22).
    package var spsm: UInt16
    /// Whether clients without an encrypted link are refused (Vol 3, Part C, 10.3.1).
    package var requiresEncryption: Bool
    /// What "encrypted" means if `requiresEncryption` is set.
    package var requirement: SecurityRequirement

    package init(spsm: UInt16, requiresEncryption: Bool, requirement: SecurityRequirement = .encryption) {
        self.spsm = spsm
        self.requiresEncryption = requiresEncryption
        self.requirement = requirement
    }
}
