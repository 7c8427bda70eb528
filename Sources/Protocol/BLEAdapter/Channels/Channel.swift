import BLEWire

/// The reason why an L2CAP channel was not opened, or a service for channels not published (Vol 3, Part A, 4.22 and
/// 4.23).
package enum ChannelError: Error, Hashable, Sendable {
    case notConnected
    /// The adapter is not powered on.
    case notPoweredOn
    /// The peer has no such service, or the number is not a valid SPSM.
    case unknownPSM
    /// One side has no resources for another channel, or no number for another service.
    case noResources
    case insufficientAuthentication
    case insufficientAuthorization
    case insufficientKeySize
    case insufficientEncryption
    /// The peer does not support channels, refused for another reason, or violated the specification.
    case refused
    case noAnswer
}

/// The reason why a channel ended.
package enum ChannelEnd: Hashable, Sendable {
    case local
    case peer
    /// The link ended.
    case linkLost
    /// The peer violated the rules of the channel (Vol 3, Part A, 3.4.3 and 10.1).
    case violation
}

/// The operations that a channel permits now.
package struct ChannelStatus: Hashable, Sendable {
    /// The number of received octets that the program has not read. They stay readable after the end.
    package var readable: Int
    /// Whether a write would be accepted. Meaningless after the end.
    package var hasSpace: Bool
    package var end: ChannelEnd?

    package init(readable: Int, hasSpace: Bool, end: ChannelEnd?) {
        self.readable = readable
        self.hasSpace = hasSpace
        self.end = end
    }
}

/// Receives a channel's changes on the adapter's executor: octets arrived while there was nothing to read, a write is
/// possible again, or the channel ended.
package protocol ChannelObserver: AnyObject, Sendable {
    func channelChanged()
}

/// The calls of a channel's handle to its adapter, on any thread.
package protocol ChannelDriver: AnyObject, Sendable {
    /// SDUs wait to be sent.
    func pump()
    /// The program read `count` octets.
    func consumed(_ count: Int)
    /// Closes the channel after all queued data has been sent.
    func close()
}
