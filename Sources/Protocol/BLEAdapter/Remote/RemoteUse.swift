/// A session of an adapter and a device.
package struct RemoteUse: Hashable, Sendable {
    package let session: Int
    package let peer: PeerIdentifier

    package init(session: Int, peer: PeerIdentifier) {
        self.session = session
        self.peer = peer
    }
}
