import BLEAdapter
import BLEHost
import BLEWire

/// Names and identities of peers.
extension HostSessions {
    func names(of peer: PeerKey) -> PeerNames {
        let known = peers.names[peers[peer].identifier]
        let heard = advertisers.slot(of: peers[peer].address).flatMap { advertisers[$0].advertisedName }
        return PeerNames(deviceName: known?.deviceName, advertisedName: heard ?? known?.advertisedName)
    }

    func record(of peer: PeerKey) -> PeerRecord {
        let names = names(of: peer)
        return PeerRecord(identifier: peers[peer].identifier, name: names.deviceName ?? names.advertisedName)
    }

    /// Has the store keep a device that this host is connected to, so that programs can retrieve it by its identifier.
    mutating func rememberNames(of peer: PeerKey) { emit(.remember(peers[peer].address, names(of: peer))) }

    /// Changes the GAP device name of this host. Connected clients get Service Changed for the GAP service.
    package mutating func rename(_ name: [UInt8], at now: Instant) {
        host.database.deviceName = name
        host.databaseChanged([host.database.gapService], at: now)
    }

    /// The peer of a link has told its identity address (Vol 3, Part H, 3.6.5). The address replaces the one by which the peer is
    /// known: the identifier stays, later connections go to the identity address, and advertising from there is reported as this peer.
    /// No attempt to connect has to move, because the host makes none to a peer that has a link.
    package mutating func identityLearned(_ identity: DeviceAddress, of link: LinkIdentifier) {
        guard let index = linkIndex(link) else { return }
        let peer = links[index].peer
        guard peers.learn(identity, of: peer) else { return }
        if let slot = advertisers.slot(of: identity) {
            advertisers.setPeer(peers[peer].identifier, at: slot)
        }
        emit(.identityLearned(peers[peer].identifier, identity))
    }
}
