import BLEAdapter
import BLEWire

/// Names a peer in the records of the session layer. A key stays valid while a record holds it.
struct PeerKey: Hashable, Sendable {
    fileprivate let index: Int
}

/// The peers to which records refer, and the data about devices that outlives a link.
///
/// The table resolves an address once, when a link comes up or a session requests a peer. An identity address that is
/// learned later (Vol 3, Part H, 3.6.5) replaces the address; the key and the identifier stay. The table grows with
/// links and requested connections alone. It never holds an advertiser.
struct PeerTable {
    struct Peer {
        fileprivate(set) var address: DeviceAddress
        let identifier: PeerIdentifier
        /// Set at its first use.
        fileprivate var identity: AdvertiserIdentity?
        /// The number of records that hold the key.
        fileprivate var uses = 1
    }

    /// The number of identity addresses that are kept. A peer that pairs repeatedly under new identities replaces the
    /// oldest.
    static let identityCapacity = 1024

    /// The number of devices whose names are kept in addition to those of the store.
    static let nameCapacity = 1024

    let lookup: any PeerIdentification
    /// `lookup` for reports of advertisers.
    let source: IdentifierSource
    private var peers: [Peer?] = []
    /// The names of devices from the store and from their GAP services.
    private(set) var names: [PeerIdentifier: PeerNames]
    /// The devices in `names`. Their identifiers are computed only if they advertise.
    private var namedPeers: Set<AdvertiserIdentity> = []
    /// The devices in `names` that the store did not know, the one with the oldest reading of its name first.
    private var newlyNamed: [PeerIdentifier] = []
    /// Identity addresses of devices whose first address was another one, oldest first.
    private var identities: [(address: DeviceAddress, identifier: PeerIdentifier)] = []

    init(_ lookup: any PeerIdentification, names: [PeerIdentifier: PeerNames]) {
        self.lookup = lookup
        source = IdentifierSource(lookup)
        self.names = names
        for identifier in names.keys { namedPeers.insert(lookup.identity(of: identifier)) }
        peers.prepareStorage()
    }

    subscript(key: PeerKey) -> Peer { peers[key.index]! }

    /// The number of keys in use.
    var count: Int { peers.count { $0 != nil } }

    func identifier(for address: DeviceAddress) -> PeerIdentifier {
        for identity in identities where identity.address == address { return identity.identifier }
        return lookup.identifier(for: address)
    }

    /// The peer that advertises with an address.
    func identity(for address: DeviceAddress) -> AdvertiserIdentity {
        for identity in identities where identity.address == address { return lookup.identity(of: identity.identifier) }
        return lookup.identity(for: address)
    }

    /// The names of an advertiser.
    func names(of identity: AdvertiserIdentity) -> PeerNames {
        guard !namedPeers.isEmpty, namedPeers.contains(identity) else { return PeerNames() }
        return names[identifier(of: identity)] ?? PeerNames()
    }

    func identifier(of identity: AdvertiserIdentity) -> PeerIdentifier {
        if let identifier = identity.identifier { return identifier }
        guard let address = identity.address else { return PeerIdentifier(high: 0, low: 0) }
        return lookup.computedIdentifier(for: address)
    }

    /// Whether a key is that of an advertiser.
    mutating func isKey(_ key: PeerKey, of identity: AdvertiserIdentity) -> Bool {
        guard let peer = peers[key.index] else { return false }
        if let known = peer.identity { return known == identity }
        let known = lookup.identity(of: peer.identifier)
        peers[key.index]?.identity = known
        return known == identity
    }

    func key(of identifier: PeerIdentifier) -> PeerKey? {
        for index in peers.indices where peers[index]?.identifier == identifier { return PeerKey(index: index) }
        return nil
    }

    func key(at address: DeviceAddress) -> PeerKey? {
        for index in peers.indices where peers[index]?.address == address { return PeerKey(index: index) }
        return nil
    }

    /// Returns a key for a record that refers to the peer at `address`. The record returns it with `release`.
    mutating func claim(_ address: DeviceAddress) -> PeerKey {
        if let key = key(at: address) { return claim(key) }
        let identifier = identifier(for: address)
        if let key = key(of: identifier) { return claim(key) }
        return insert(Peer(address: address, identifier: identifier))
    }

    /// Returns a key for the peer with `identifier`, or nil if the identifier has no known address.
    ///
    /// - Parameter heard: The address at which the peer is, if that is known better.
    mutating func claim(_ identifier: PeerIdentifier, heard: DeviceAddress? = nil) -> PeerKey? {
        if let key = key(of: identifier) { return claim(key) }
        guard let address = heard ?? address(of: identifier) else { return nil }
        return insert(Peer(address: address, identifier: identifier))
    }

    /// The address of a peer that is not in use: its identity address if it is known.
    func address(of identifier: PeerIdentifier) -> DeviceAddress? {
        identities.last { $0.identifier == identifier }?.address ?? lookup.address(of: identifier)
    }

    /// Whether the address of a peer is an identity that was learned later than its identifier.
    func hasLearnedAddress(_ identifier: PeerIdentifier) -> Bool {
        address(of: identifier).map { lookup.computedIdentifier(for: $0) != identifier } ?? false
    }

    @discardableResult
    mutating func claim(_ key: PeerKey) -> PeerKey {
        peers[key.index]?.uses += 1
        return key
    }

    mutating func release(_ key: PeerKey) {
        guard let peer = peers[key.index] else { return }
        if peer.uses > 1 { peers[key.index]?.uses -= 1 } else { peers[key.index] = nil }
    }

    private mutating func insert(_ peer: Peer) -> PeerKey {
        if let free = peers.firstIndex(where: { $0 == nil }) {
            peers[free] = peer
            return PeerKey(index: free)
        }
        peers.append(peer)
        return PeerKey(index: peers.count - 1)
    }

    /// Replaces the address of a peer by its identity address. Returns false if nothing changes, or if another peer in
    /// use has that address.
    mutating func learn(_ identity: DeviceAddress, of key: PeerKey) -> Bool {
        guard let peer = peers[key.index], peer.address != identity, self.key(at: identity) == nil else { return false }
        identities.removeAll { $0.address == identity }
        if identities.count == Self.identityCapacity { identities.removeFirst() }
        identities.append((identity, peer.identifier))
        peers[key.index]?.address = identity
        return true
    }

    /// Stores a name. Returns the peer whose names are removed for it: peers with private addresses return under new
    /// identifiers, so the table must not keep each of them.
    mutating func setDeviceName(_ name: String, of identifier: PeerIdentifier) -> PeerIdentifier? {
        if let position = newlyNamed.firstIndex(of: identifier) {
            newlyNamed.remove(at: position)
            newlyNamed.append(identifier)
        } else if names[identifier] == nil {
            newlyNamed.append(identifier)
            namedPeers.insert(lookup.identity(of: identifier))
        }
        names[identifier, default: PeerNames()].deviceName = name
        guard newlyNamed.count > Self.nameCapacity else { return nil }
        let oldest = newlyNamed.removeFirst()
        names[oldest] = nil
        namedPeers.remove(lookup.identity(of: oldest))
        return oldest
    }
}
