import BLEAdapter
import BLEWire

/// The data that sessions return at once on any thread: names of peers, connected peers and subscriptions. The driver
/// updates it from events of the session layer. No code of another object runs while the lock is held.
final class AdapterSnapshot: Sendable {
    /// The maximum number of stored services of one peer.
    static let serviceLimit = 1024

    /// A peer to which this host is connected as central.
    private struct Server {
        let peer: PeerIdentifier
        var mtu: Int
        /// The peer's advertisement before the link came up, and its most recent one.
        var advertisements: [(data: [UInt8], scanResponse: [UInt8])] = []
    }

    private struct Subscription {
        let session: Int
        let characteristic: CharacteristicReference
        /// In the order of the subscriptions.
        var peers: [PeerIdentifier]
    }

    private struct Content {
        /// The names of devices in the store, and of advertisers in the session layer.
        var names: [PeerIdentifier: String] = [:]
        var servers: [Server] = []
        /// Services that a discovery found, in any session.
        var services: [PeerIdentifier: [BluetoothUUID]] = [:]
        var subscriptions: [Subscription] = []
        var bonds: [BondRecord] = []

        func serverIndex(_ peer: PeerIdentifier) -> Int? { servers.firstIndex { $0.peer == peer } }

        func record(of peer: PeerIdentifier) -> PeerRecord { PeerRecord(identifier: peer, name: names[peer]) }

        func has(_ server: Server, oneOf wanted: [BluetoothUUID]) -> Bool {
            let found = services[server.peer] ?? []
            return wanted.contains { service in
                found.contains(service)
                    || server.advertisements.contains {
                        AD.contains(service: service, in: $0.data.span)
                            || AD.contains(service: service, in: $0.scanResponse.span)
                    }
            }
        }

        func subscriptionIndex(_ session: Int, _ characteristic: CharacteristicReference) -> Int? {
            subscriptions.firstIndex { $0.session == session && $0.characteristic == characteristic }
        }
    }

    private let content: Lock<Content>

    /// - Parameter knownNames: The names of devices from earlier runs.
    init(knownNames: [PeerIdentifier: PeerNames]) {
        var content = Content()
        content.names = knownNames.compactMapValues { $0.deviceName ?? $0.advertisedName }
        self.content = Lock(content)
    }

    // MARK: On any thread

    func record(of peer: PeerIdentifier) -> PeerRecord { content.withLock { $0.record(of: peer) } }

    func maximumTransmissionUnit(of peer: PeerIdentifier) -> Int? {
        content.withLock { content in content.serverIndex(peer).map { content.servers[$0].mtu } }
    }

    /// The connected peers that have one of `services`, according to their discovered and advertised services.
    func connectedPeers(services: [BluetoothUUID]) -> [PeerRecord] {
        content.withLock { content in
            content.servers.compactMap { content.has($0, oneOf: services) ? content.record(of: $0.peer) : nil }
        }
    }

    /// The clients that are subscribed to a characteristic.
    func subscribers(to characteristic: CharacteristicReference, session: Int) -> [PeerIdentifier] {
        content.withLock { content in
            content.subscriptionIndex(session, characteristic).map { content.subscriptions[$0].peers } ?? []
        }
    }

    var bonds: [BondRecord] { content.withLock { $0.bonds } }

    // MARK: On the executor

    func setBonds(_ bonds: [BondRecord]) { content.withLock { $0.bonds = bonds } }

    func setName(_ name: String?, of peer: PeerIdentifier) { content.withLock { $0.names[peer] = name } }

    func connect(_ peer: PeerIdentifier, mtu: Int) {
        content.withLock { $0.servers.append(Server(peer: peer, mtu: mtu)) }
    }

    func disconnect(_ peer: PeerIdentifier) {
        content.withLock { content in content.servers.removeAll { $0.peer == peer } }
    }

    func setMTU(_ mtu: Int, of peer: PeerIdentifier) {
        content.withLock { content in
            if let index = content.serverIndex(peer) { content.servers[index].mtu = mtu }
        }
    }

    func setAdvertisement(_ data: [UInt8], _ scanResponse: [UInt8], of peer: PeerIdentifier) {
        content.withLock { content in
            guard let index = content.serverIndex(peer) else { return }
            if content.servers[index].advertisements.count == 2 { content.servers[index].advertisements.removeLast() }
            content.servers[index].advertisements.append((data, scanResponse))
        }
    }

    func add(_ services: [BluetoothUUID], of peer: PeerIdentifier) {
        content.withLock { content in
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
