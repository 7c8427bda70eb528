import BLEWire

/// Why there is no L2CAP channel, or no service for channels.
package enum ChannelFailure: Error, Hashable, Sendable {
    case notConnected
    /// The adapter is not powered on.
    case notPoweredOn
    /// The peer has no such service, or the number cannot be one.
    case unknownPSM
    /// One of the two sides has no room for another channel, or no number for another service.
    case noResources
    case insufficientAuthentication
    case insufficientAuthorization
    case insufficientKeySize
    case insufficientEncryption
    /// The peer knows no channels, or answered against the specification.
    case refused
    case noAnswer
}

/// Why a channel is over.
package enum ChannelEnd: Hashable, Sendable {
    case local
    case peer
    /// The link is gone.
    case linkLost
    /// The peer broke the rules of the channel.
    case violation
}

/// What can be done on a channel.
package struct ChannelStatus: Hashable, Sendable {
    /// Octets that came and were not read; they stay readable after the end.
    package var readable: Int
    /// Whether a write would be taken; meaningless after the end.
    package var hasSpace: Bool
    package var end: ChannelEnd?

    package init(readable: Int, hasSpace: Bool, end: ChannelEnd?) {
        self.readable = readable
        self.hasSpace = hasSpace
        self.end = end
    }
}

/// Hears of a channel's changes, on the adapter's executor: something came after there was nothing to read, there is space
/// again, or the end.
package protocol ChannelObserver: AnyObject, Sendable {
    func channelChanged()
}

/// What a channel's handle asks of the adapter below. From any thread.
package protocol ChannelDriver: AnyObject, Sendable {
    /// There is something to send.
    func pump()
    /// So many octets were read.
    func consumed(_ count: Int)
    /// Close the channel, once everything was sent.
    func close()
}
