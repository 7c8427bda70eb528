import BLEAdapter
import BLEAttribute
import BLESessions
import BLEWire
import Synchronization

/// The data that sessions return at once on any thread: names of peers, connected peers and subscriptions. The driver
/// updates it from events of the session layer. No code of another object runs while the lock is held.
final class AdapterSnapshot: Sendable {
    /// The maximum number of stored services of one peer.
    static let serviceLimit = 1024
    /// The maximum number of peers without a link whose services are stored. The peer whose link ended first is removed
    /// first.
    static let formerServerLimit = 256

    /// A peer to which this host is connected as central.
    private struct Server {
        let peer: PeerIdentifier
        var mtu: Int
        /// The peer's advertisement before the link came up, and its most recent one.
        var advertisements: [AdvertisingOctets] = []
    }

    private struct Subscription {
        let session: Int
        let characteristic: CharacteristicReference
        /// In the order of the subscriptions.
        var peers: [PeerIdentifier]
    }

    private struct Advertiser {
        let peer: AdvertiserIdentity
        let content: DiscoveryContent
    }

    private struct Content {
        /// The names of devices in the store, and of those whose GAP service was read.
        var names: [PeerIdentifier: PeerNames]
        /// Advertisers, by their slot in the session layer. A scan changes many of them, and a program asks for the names of few.
        var advertisers: [Advertiser] = []
        var servers: [Server] = []
        /// Services that a discovery found, in any session: of the present servers and of `formerServers`.
        var services: [PeerIdentifier: [BluetoothUUID]] = [:]
        /// In the order in which their links ended.
        var formerServers: [PeerIdentifier] = []
        var subscriptions: [Subscription] = []
        var bonds: [BondRecord] = []

        func serverIndex(_ peer: PeerIdentifier) -> Int? { servers.firstIndex { $0.peer == peer } }

        func record(of peer: PeerIdentifier, _ identity: AdvertiserIdentity) -> PeerRecord {
            let known = names[peer]
            if let name = known?.deviceName { return PeerRecord(identifier: peer, name: name) }
            for index in advertisers.indices where advertisers[index].peer == identity {
                if let name = advertisers[index].content.name { return PeerRecord(identifier: peer, name: name) }
            }
            return PeerRecord(identifier: peer, name: known?.advertisedName)
        }

        mutating func setAdvertiser(_ heard: DiscoveredAdvertiser) {
            let new = Advertiser(peer: heard.content.identity, content: heard.content)
            while advertisers.count <= heard.slot { advertisers.append(new) }
            advertisers[heard.slot] = new
        }

        func has(_ server: Server, oneOf wanted: [BluetoothUUID]) -> Bool {
            let found = services[server.peer] ?? []
            return wanted.contains { service in
                GATTType.isSystemService(service) || found.contains(service)
                    || server.advertisements.contains {
                        AD.contains(service: service, in: $0.data, scanResponse: $0.scanResponse)
                    }
            }
        }

        func subscriptionIndex(_ session: Int, _ characteristic: CharacteristicReference) -> Int? {
            subscriptions.firstIndex { $0.session == session && $0.characteristic == characteristic }
        }
    }

    private let content: Lock<Content>
    private let extendedAdvertising = Atomic(false)
    private let identification: (any PeerIdentification)?

    /// - Parameters:
    ///   - knownNames: The names of devices from earlier runs.
    ///   - identification: The identities of advertisers; nil if their identifiers are not computed.
    init(knownNames: [PeerIdentifier: PeerNames], identification: (any PeerIdentification)? = nil) {
        self.identification = identification
        var content = Content(names: knownNames)
        content.servers.prepareStorage()
        self.content = Lock(content)
    }

    // MARK: On any thread

    func record(of peer: PeerIdentifier) -> PeerRecord {
        let identity = identity(of: peer)
        return content.withLock { $0.record(of: peer, identity) }
    }

    private func identity(of peer: PeerIdentifier) -> AdvertiserIdentity {
        identification?.identity(of: peer) ?? AdvertiserIdentity(peer)
    }

    func maximumTransmissionUnit(of peer: PeerIdentifier) -> Int? {
        content.withLock { content in
            for index in content.servers.indices where content.servers[index].peer == peer {
                return content.servers[index].mtu
            }
            return nil
        }
    }

    /// The connected peers that have one of `services`, according to their discovered and advertised services.
    func connectedPeers(services: [BluetoothUUID]) -> [PeerRecord] {
        let peers = content.withLock { content in
            content.servers.compactMap { content.has($0, oneOf: services) ? $0.peer : nil }
        }
        return peers.map { record(of: $0) }
    }

    /// The clients that are subscribed to a characteristic.
    func subscribers(to characteristic: CharacteristicReference, session: Int) -> [PeerIdentifier] {
        content.withLock { content in
            content.subscriptionIndex(session, characteristic).map { content.subscriptions[$0].peers } ?? []
        }
    }

    /// Whether the host used the commands of extended advertising when it was last ready.
    var usesExtendedAdvertising: Bool { extendedAdvertising.load(ordering: .relaxed) }

    var bonds: [BondRecord] { content.withLock { $0.bonds } }

    // MARK: On the executor

    func setUsesExtendedAdvertising(_ uses: Bool) { extendedAdvertising.store(uses, ordering: .relaxed) }

    func setBonds(_ bonds: [BondRecord]) { content.withLock { $0.bonds = bonds } }

    /// Sets the name in a peer's GAP service, or forgets the names of the peer.
    func setName(_ name: String?, of peer: PeerIdentifier) {
        content.withLock { content in
            if let name {
                content.names[peer, default: PeerNames()].deviceName = name
            } else {
                content.names[peer] = nil
            }
        }
    }

    func setAdvertisers(_ heard: [DiscoveredAdvertiser]) {
        content.withLock { content in
            for index in heard.indices { content.setAdvertiser(heard[index]) }
        }
    }

    func connect(_ peer: PeerIdentifier, mtu: Int) {
        content.withLock { content in
            content.servers.append(Server(peer: peer, mtu: mtu))
            content.formerServers.removeAll { $0 == peer }
        }
    }

    func disconnect(_ peer: PeerIdentifier) {
        content.withLock { content in
            content.servers.removeAll { $0.peer == peer }
            guard content.services[peer] != nil else { return }
            content.formerServers.append(peer)
            if content.formerServers.count > Self.formerServerLimit {
                content.services[content.formerServers.removeFirst()] = nil
            }
        }
    }

    func setMTU(_ mtu: Int, of peer: PeerIdentifier) {
        content.withLock { content in
            if let index = content.serverIndex(peer) { content.servers[index].mtu = mtu }
        }
    }

    func setAdvertisement(_ octets: AdvertisingOctets, of peer: PeerIdentifier) {
        content.withLock { content in
            guard let index = content.serverIndex(peer) else { return }
            if content.servers[index].advertisements.count == 2 { content.servers[index].advertisements.removeLast() }
            content.servers[index].advertisements.append(octets)
        }
    }

    func add(_ services: [BluetoothUUID], of peer: PeerIdentifier) {
        content.withLock { content in
            guard content.serverIndex(peer) != nil else { return }
            var known = content.services[peer] ?? []
            for service in services where known.count < Self.serviceLimit && !known.contains(service) {
                known.append(service)
            }
            content.services[peer] = known
        }
    }

    func subscribe(_ peer: PeerIdentifier, to characteristic: CharacteristicReference, session: Int) {
        content.withLock { content in
            if let index = content.subscriptionIndex(session, characteristic) {
                content.subscriptions[index].peers.removeAll { $0 == peer }
                content.subscriptions[index].peers.append(peer)
            } else {
                content.subscriptions.append(
                    Subscription(session: session, characteristic: characteristic, peers: [peer]))
            }
        }
    }

    func unsubscribe(_ peer: PeerIdentifier, from characteristic: CharacteristicReference, session: Int) {
        content.withLock { content in
            if let index = content.subscriptionIndex(session, characteristic) {
                content.subscriptions[index].peers.removeAll { $0 == peer }
            }
        }
    }

    func removeSubscriptions(token: Int, session: Int) {
        content.withLock { content in
            content.subscriptions.removeAll { $0.session == session && $0.characteristic.service == token }
        }
    }
}
