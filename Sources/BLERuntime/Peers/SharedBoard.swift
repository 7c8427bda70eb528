import BLEAdapter
import BLEWire
import Synchronization

/// What sessions answer at once, from any thread, without waiting for the executor: names, connections, MTUs, and how full
/// the transmit queues are. The executor writes it; nobody calls out while holding the lock.
final class SharedBoard: Sendable {
    /// Values of one link that wait for the host, from which on its queue counts as full.
    static let queueLimit = 16
    /// Values beyond which Write Commands are dropped.
    static let queueBound = 4096

    /// What is known of a device that was connected, in this run or an earlier one.
    struct Peer {
        /// What it was called in an earlier run; what it is called now is in the table of advertisers.
        var advertisedName: String?
        var deviceName: String?
        /// Services found by discovery, by any session.
        var services: [BluetoothUUID] = []
    }

    /// A peer that this host is connected to as a client.
    struct Server {
        var peer: PeerIdentifier
        var address: DeviceAddress
        var mtu: Int
        /// What it had advertised before the link came about.
        var advertisement: [UInt8] = []
        var scanResponse: [UInt8] = []
        /// Write Commands that have not yet gone to the host.
        var queued = 0
        /// Set when `queued` reaches the limit, until it is 0 again.
        var isFull = false
        /// Sessions to tell when it is 0 again.
        var waiting: [Int] = []
    }

    /// A client of the local database.
    struct Client {
        var peer: PeerIdentifier
        var mtu: Int
        /// Updates that have not yet gone to the host, and indications that have not been confirmed.
        var queued = 0
        var isFull = false
    }

    struct Subscription {
        var session: Int
        var characteristic: CharacteristicReference
        /// In the order in which they subscribed.
        var peers: [PeerIdentifier]
    }

    /// A peripheral session that was told its update found no room; one for each set of clients that was full.
    struct UpdateWait {
        var session: Int
        /// The clients whose queues were full.
        var peers: [PeerIdentifier]
    }

    struct Content {
        var peers: [PeerIdentifier: Peer] = [:]
        var advertisers = AdvertiserTable()
        var servers: [Server] = []
        var clients: [Client] = []
        var subscriptions: [Subscription] = []
        var waitingForUpdates: [UpdateWait] = []
    }

    let content: Mutex<Content>

    /// - Parameter knownNames: what devices were called in earlier runs.
    init(knownNames: [PeerIdentifier: PeerNames]) {
        var content = Content()
        for (peer, names) in knownNames {
            content.peers[peer] = Peer(advertisedName: names.advertisedName, deviceName: names.deviceName)
        }
        self.content = Mutex(content)
    }

    func record(of peer: PeerIdentifier, at address: DeviceAddress) -> PeerRecord {
        content.withLock { $0.record(of: peer, at: address) }
    }
}

extension SharedBoard.Content {
    func names(of peer: PeerIdentifier, at address: DeviceAddress) -> PeerNames {
        let known = peers[peer]
        let heard = advertisers.place(of: address).flatMap { advertisers[$0].advertisedName }
        return PeerNames(deviceName: known?.deviceName, advertisedName: heard ?? known?.advertisedName)
    }

    func record(of peer: PeerIdentifier, at address: DeviceAddress) -> PeerRecord {
        let names = names(of: peer, at: address)
        return PeerRecord(identifier: peer, name: names.deviceName ?? names.advertisedName)
    }

    mutating func addServer(_ server: SharedBoard.Server) {
        var server = server
        if let place = advertisers.place(of: server.address) {
            server.advertisement = advertisers[place].data
            server.scanResponse = advertisers[place].scanResponse
        }
        servers.append(server)
    }

    /// Whether a service of these was found there, or it says that it has one.
    func isKnown(_ server: SharedBoard.Server, toHave wanted: [BluetoothUUID]) -> Bool {
        let found = peers[server.peer]?.services ?? []
        let isKnown = wanted.contains {
            found.contains($0) || AD.contains(service: $0, in: server.advertisement.span)
                || AD.contains(service: $0, in: server.scanResponse.span)
        }
        if isKnown { return true }
        guard let place = advertisers.place(of: server.address) else { return false }
        return wanted.contains {
            AD.contains(service: $0, in: advertisers[place].data.span)
                || AD.contains(service: $0, in: advertisers[place].scanResponse.span)
        }
    }

    func serverIndex(_ peer: PeerIdentifier) -> Int? {
        for index in servers.indices where servers[index].peer == peer { return index }
        return nil
    }

    /// Notes that `session` found the queues of `peers` full.
    mutating func await(_ peers: [PeerIdentifier], session: Int) {
        let isKnown = waitingForUpdates.contains { $0.session == session && $0.peers == peers }
        if !isKnown { waitingForUpdates.append(.init(session: session, peers: peers)) }
    }

    func clientIndex(_ peer: PeerIdentifier) -> Int? { clients.firstIndex { $0.peer == peer } }

    func subscriptionIndex(_ session: Int, _ characteristic: CharacteristicReference) -> Int? {
        subscriptions.firstIndex { $0.session == session && $0.characteristic == characteristic }
    }
}
