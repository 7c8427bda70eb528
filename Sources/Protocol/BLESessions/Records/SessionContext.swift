import BLEAdapter
import BLEHost
import BLEWire

/// The values that the machines of the session layer share: the host below, the output to the driver, the timers, the links, and the known
/// devices. A machine gets it for the time of a call.
struct SessionContext: ~Copyable {
    var host: HostStack
    var output = SessionOutput()
    var timers = SessionTimers()
    var links: [Link] = []
    var peers: PeerTable
    var advertisers = AdvertiserTable()

    init(host: consuming HostStack, peers: consuming PeerTable) {
        self.host = host
        self.peers = peers
        links.prepareStorage()
    }

    /// Whether the host has events. Its stored properties are looked at here, because a getter of another module is a call with a copy.
    var hostHasEvents: Bool {
        !host.output.events.pending.isEmpty || host.output.events.completion != nil || host.output.events.read != nil
    }

    // MARK: Output

    mutating func emit(_ event: SessionEvent) { output.events.append(event) }

    mutating func note(_ note: SessionDiagnostic) { output.events.append(.note(note)) }

    // MARK: Names

    func names(of peer: PeerKey) -> PeerNames {
        let known = peers.names[peers[peer].identifier]
        let heard = advertisers.advertisedName(of: peers[peer].address)
        return PeerNames(deviceName: known?.deviceName, advertisedName: heard ?? known?.advertisedName)
    }

    func record(of peer: PeerKey) -> PeerRecord {
        let names = names(of: peer)
        return PeerRecord(identifier: peers[peer].identifier, name: names.deviceName ?? names.advertisedName)
    }

    /// The record of a peer that no key may name.
    func record(of peer: PeerIdentifier) -> PeerRecord {
        if let key = peers.key(of: peer) { return record(of: key) }
        let names = peers.names[peer]
        return PeerRecord(identifier: peer, name: names?.deviceName ?? names?.advertisedName)
    }

    /// Stores a device that this host is connected to, so that programs can retrieve it by its identifier.
    mutating func rememberNames(of peer: PeerKey) { emit(.remember(peers[peer].address, names(of: peer))) }

    /// Takes the name in a peer's GAP service.
    mutating func setDeviceName(_ name: String, of peer: PeerKey) {
        let identifier = peers[peer].identifier
        if let forgotten = peers.setDeviceName(name, of: identifier) { forgetDeviceName(of: forgotten) }
        for slot in advertisers.slots(of: peers[peer].address) { advertisers.setDeviceName(name, at: slot) }
        rememberNames(of: peer)
        emit(.named(identifier, name))
    }

    /// Publishes that a peer's device name is removed. The name that it advertised stays with its advertisement.
    private mutating func forgetDeviceName(of peer: PeerIdentifier) {
        emit(.named(peer, nil))
        guard let address = peers.address(of: peer) else { return }
        for slot in advertisers.slots(of: address) {
            advertisers.setDeviceName(nil, at: slot)
            publish(slot)
        }
    }

    // MARK: Advertisers

    /// Publishes an advertiser whose name or peer changed.
    mutating func publish(_ slot: Int) {
        guard let content = advertisers.entries[slot].content else { return }
        output.heard.append(DiscoveredAdvertiser(slot: slot, content: content))
    }

    mutating func publishAdvertisement(_ slot: Int, of peer: PeerIdentifier) {
        guard let octets = advertisers.entries[slot].content?.octets else { return }
        emit(.advertised(peer, octets))
    }

    /// The identity address with which a peer advertised last, if another address was learned for it: a peer need not listen at the identity that
    /// it distributed. Nil if it advertised with a private address, or not at all.
    func heardAddress(of peer: PeerIdentifier) -> DeviceAddress? {
        guard peers.hasLearnedAddress(peer) else { return nil }
        return advertisers.newestAddress { $0.address.isIdentity && peers.identifier(of: $0.peer) == peer }
    }

    // MARK: Identities

    /// Takes the identity address of a link's peer (Vol 3, Part H, 3.6.5). It replaces the peer's current address. The
    /// identifier stays, later connections use the identity address, and advertising from it is reported as this peer.
    /// No connection attempt changes its address, because the host makes no attempt to a peer that has a link.
    mutating func identityLearned(_ identity: DeviceAddress, of link: LinkIdentifier) {
        guard let index = links.index(of: link) else { return }
        let peer = links[index].peer
        guard peers.learn(identity, of: peer) else { return }
        for slot in advertisers.slots(of: identity) {
            advertisers.setPeer(peers.lookup.identity(of: peers[peer].identifier), at: slot)
            advertisers.setDeviceName(names(of: peer).deviceName, at: slot)
            publish(slot)
        }
        emit(.identityLearned(peers[peer].identifier, identity))
    }
}
