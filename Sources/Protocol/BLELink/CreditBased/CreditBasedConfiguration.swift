import BLEWire

/// The mode of a credit-based channel (Vol 3, Part A, 2.4).
package enum CreditBasedMode: Hashable, Sendable {
    /// LE credit-based flow control.
    case basic
    /// Enhanced credit-based flow control: up to five channels in one request, and limits that may change.
    case enhanced

    /// The smallest MTU and MPS, in octets (Vol 3, Part A, 4.22 and 4.25).
    var leastOctets: UInt16 { self == .basic ? 23 : 64 }

    /// Whether both limits are in their ranges.
    func accepts(mtu: UInt16, mps: UInt16) -> Bool { mtu >= leastOctets && (leastOctets...65_533).contains(mps) }
}

/// The longest SDU and the longest K-frame payload that one side of a channel accepts, in octets.
package struct ChannelLimits: Hashable, Sendable {
    package var mtu: Int
    package var mps: Int
}

/// What this side offers on a channel.
package struct CreditBasedOffer: Hashable, Sendable {
    package let mode: CreditBasedMode
    /// The longest SDU, in octets.
    package var mtu: UInt16
    /// The longest K-frame payload, in octets.
    package var mps: UInt16

    package init(_ mode: CreditBasedMode, mtu: UInt16, mps: UInt16) {
        self.mode = mode
        self.mtu = mtu
        self.mps = mps
    }
}

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
    /// The time that a peer has after it announced a later answer (the ERTX timer, Vol 3, Part A, 6.2.2).
    package var pendingTimeout = TimeSpan.seconds(60)
    /// The time that a locally closed channel has to send its remaining data.
    package var lingerTimeout = TimeSpan.seconds(10)

    package init() {}

    /// The number of K-frames for which a peer has credits, on each of `channels` channels, when no octets wait for the
    /// reader. There is always room for one whole SDU and the credits after it. Otherwise a long SDU could stop
    /// halfway.
    func windowFrames(_ offer: CreditBasedOffer, channels: Int) -> Int {
        let share = max(Self.leastWindow, Self.linkWindow / max(1, channels))
        let window = max(min(receiveWindow, share), Int(offer.mtu) + 2 * Int(offer.mps))
        return min(window / max(1, Int(offer.mps)), 0xFFFF)
    }

    /// The offer on channels without one of their own.
    func offer(_ mode: CreditBasedMode) -> CreditBasedOffer { CreditBasedOffer(mode, mtu: mtu, mps: mps) }
}

/// A service that accepts channels.
package struct CreditBasedListener: Hashable, Sendable {
    /// The number of the service, 0x0001 to 0x00FF; 0x0080 to 0x00FF are dynamic (Vol 3, Part A, 4.22).
    package var spsm: UInt16
    /// Whether clients without an encrypted link are refused (Vol 3, Part C, 10.3.1).
    package var requiresEncryption: Bool
    /// What "encrypted" means if `requiresEncryption` is set.
    package var requirement: SecurityRequirement
    /// The offer of a service that accepts channels of the enhanced mode alone. Nil: channels of both modes, with the host's limits.
    package var offer: CreditBasedOffer?
    /// The limit of channels of the service on one link.
    package var channelLimit = Int.max

    package init(spsm: UInt16, requiresEncryption: Bool, requirement: SecurityRequirement = .encryption) {
        self.spsm = spsm
        self.requiresEncryption = requiresEncryption
        self.requirement = requirement
    }
}
