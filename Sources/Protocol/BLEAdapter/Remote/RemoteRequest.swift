import BLEWire

/// What the central role of an adapter asks of a host that is elsewhere.
package enum RemoteRequest: Hashable, Sendable {
    /// Report advertisements from now on, or no longer.
    case scan(Bool)
    /// Report again to one session, whose scan began, the advertisers that are known already, if the host reports changes only.
    case repeatReports(session: Int)
    /// Connect to a peer. `connected` or `ended` answers.
    case connect(PeerIdentifier)
    /// End a link or an attempt. `ended` answers.
    case disconnect(PeerIdentifier)
    /// Run an operation on a link. `finished` answers, before the next request of this kind for the link. A write has at most 512 octets.
    case perform(GATTOperation, PeerIdentifier)
    /// Send a write command. `wrote` follows when the octets have left, or are discarded.
    case write([UInt8], handle: UInt16, PeerIdentifier)
    /// Open an L2CAP channel for a session. Its observer gets the answer.
    case openChannel(psm: UInt16, RemoteUse)
    /// The link, or the attempt, is gone: nothing about it is needed any more. Before another attempt for sessions that wait, `connect` follows.
    case forget(PeerIdentifier)
}
