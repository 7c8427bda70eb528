/// How the connection of one session ended.
package enum LinkEnd: Hashable, Sendable {
    /// This session cancelled the connection, or its attempt at one.
    case cancelled
    /// Something else ended the link.
    case failed(LinkFailure)
}

/// Why a link or an attempt ended that its session did not cancel.
package enum LinkFailure: Error, Hashable, Sendable {
    /// The peer ended the link.
    case endedByPeer
    /// Nothing was heard for the supervision timeout, or this side lost the link in another way.
    case supervisionTimeout
    /// The peer left a request unanswered for 30 s, and this host ended the link.
    case attributeTimeout
    /// The peer broke the attribute protocol, and this host ended the link.
    case protocolViolation
    /// This host ended the link, though this session still used it.
    case endedByHost
    /// The link could not be established (HCI error 0x3E and the like).
    case establishmentFailed
    /// The controller has no room for another link.
    case limitReached
    /// The adapter went away or was reset.
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
