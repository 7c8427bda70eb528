/// The end of one session's connection.
package enum LinkEnd: Hashable, Sendable {
    /// This session cancelled the connection or the attempt.
    case cancelled
    /// The link ended for another reason.
    case failed(ConnectionError)
}

/// The reason why a link or an attempt ended that its session did not cancel.
package enum ConnectionError: Error, Hashable, Sendable {
    /// The peer ended the link.
    case endedByPeer
    /// No packet arrived for the supervision timeout (Vol 6, Part B, 4.5.2), or the link was lost in another way.
    case supervisionTimeout
    /// The peer left a request unanswered for 30 s (Vol 3, Part F, 3.3.3), and this host ended the link.
    case attributeTimeout
    /// The peer violated the attribute protocol, and this host ended the link.
    case protocolViolation
    /// This host ended the link while this session used it.
    case endedByHost
    /// The link could not be established, for example with error 0x3E (Vol 1, Part F, 2.58).
    case establishmentFailed
    /// The controller has no room for another link.
    case limitReached
    /// The adapter was removed or reset.
    case adapterLost
    /// The devices no longer share the keys of their bond. Remove the bond and pair again.
    case peerRemovedPairingInformation
    /// The link was not encrypted in time.
    case encryptionTimedOut
    /// The link could not be encrypted, or a packet had a wrong MIC.
    case encryptionFailed
    /// Any other controller error code (Vol 1, Part F).
    case controller(UInt8)
}
