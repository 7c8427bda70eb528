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

    /// The properties of the link with a peer of which this host is the central; nil without one.
    package func linkDescription(of peer: PeerIdentifier) -> LinkDescription? {
        guard let index = linkIndex(to: peer, role: .central),
            let information = host.information(of: links[index].identifier)
        else { return nil }
        return LinkDescription(
            address: information.peer.asDevice, interval: information.parameters.interval,
            latency: information.parameters.latency, supervisionTimeout: information.parameters.timeout,
            transmitPHY: information.transmitPHY, receivePHY: information.receivePHY, security: links[index].security)
    }

    /// The ATT_MTU in octets of the link with a connection handle; nil without such a link.
    package func mtu(ofHandle handle: UInt16) -> Int? { host.mtu(ofHandle: handle) }

    /// The identity address with which a peer advertised last, if another address was learned for it: a peer need not listen at the identity that
    /// it distributed. Nil if it advertised with a private address, or not at all.
    func heardAddress(of peer: PeerIdentifier) -> DeviceAddress? {
        guard peers.hasLearnedAddress(peer) else { return nil }
        return advertisers.newestAddress { $0.address.isIdentity && peers.identifier(of: $0.peer) == peer }
    }

    /// Stores a device that this host is connected to, so that programs can retrieve it by its identifier.
    mutating func rememberNames(of peer: PeerKey) { emit(.remember(peers[peer].address, names(of: peer))) }

    /// Publishes that a peer's device name is removed. The name that it advertised stays with its advertisement.
    mutating func forgetDeviceName(of peer: PeerIdentifier) {
        let slot = peers.address(of: peer).flatMap { advertisers.slot(of: $0) }
        emit(.named(peer, nil))
        guard let slot else { return }
        advertisers.setDeviceName(nil, at: slot)
        publish(slot)
    }

    /// Changes the GAP device name of this host. Connected clients get Service Changed for the GAP service.
    package mutating func rename(_ name: [UInt8], at now: Instant) {
        host.database.deviceName = name
        host.databaseChanged([host.database.gapService], at: now)
    }

    /// Takes the identity address of a link's peer (Vol 3, Part H, 3.6.5). It replaces the peer's current address. The
    /// identifier stays, later connections use the identity address, and advertising from it is reported as this peer.
    /// No connection attempt changes its address, because the host makes no attempt to a peer that has a link.
    package mutating func identityLearned(_ identity: DeviceAddress, of link: LinkIdentifier) {
        guard let index = linkIndex(link) else { return }
        let peer = links[index].peer
        guard peers.learn(identity, of: peer) else { return }
        if let slot = advertisers.slot(of: identity) {
            advertisers.setPeer(peers.lookup.identity(of: peers[peer].identifier), at: slot)
            advertisers.setDeviceName(names(of: peer).deviceName, at: slot)
            publish(slot)
        }
        emit(.identityLearned(peers[peer].identifier, identity))
    }
}
