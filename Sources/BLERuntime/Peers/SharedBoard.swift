import BLEWire
import Synchronization

/// What sessions answer at once, from any thread, without waiting for the executor: names, connections, MTUs, and how full
/// the transmit queues are. The executor writes it; nobody calls out while holding the lock.
final class SharedBoard: Sendable {
    /// Values of one link that wait for the host, from which on its queue counts as full.
    static let queueLimit = 16
    /// Values beyond which Write Commands are dropped.
    static let queueBound = 4096

    struct Peer {
        var advertisedName: String?
        var deviceName: String?
        /// Services found by discovery, by any session.
        var services: [BluetoothUUID] = []
        /// What it advertised last, as AD structures.
        var advertisement: [UInt8] = []
        var scanResponse: [UInt8] = []

        /// Whether a service of these was found there, or it says that it has one.
        func isKnownToHave(_ wanted: [BluetoothUUID]) -> Bool {
            wanted.contains {
                services.contains($0) || AD.contains(service: $0, in: advertisement.span)
                    || AD.contains(service: $0, in: scanResponse.span)
            }
        }
        var name: String? { deviceName ?? advertisedName }
    }

    /// A peer that this host is connected to as a client.
    struct Server {
        var peer: PeerIdentifier
        var mtu: Int
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

    /// A peripheral session that was told its update found no room.
    struct UpdateWait {
        var session: Int
        /// The clients whose queues were full.
        var peers: [PeerIdentifier]
    }

    struct Content {
        var peers: [PeerIdentifier: Peer] = [:]
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

    func record(of peer: PeerIdentifier) -> PeerRecord {
        PeerRecord(identifier: peer, name: content.withLock { $0.peers[peer]?.name })
    }
}

extension SharedBoard.Content {
    func serverIndex(_ peer: PeerIdentifier) -> Int? { servers.firstIndex { $0.peer == peer } }
    /// Notes that `session` found the queues of `peers` full.
    mutating func await(_ peers: [PeerIdentifier], session: Int) {
        guard let index = waitingForUpdates.firstIndex(where: { $0.session == session }) else {
            return waitingForUpdates.append(.init(session: session, peers: peers))
        }
        for peer in peers where !waitingForUpdates[index].peers.contains(peer) {
            waitingForUpdates[index].peers.append(peer)
        }
    }

    func clientIndex(_ peer: PeerIdentifier) -> Int? { clients.firstIndex { $0.peer == peer } }

    func subscriptionIndex(_ session: Int, _ characteristic: CharacteristicReference) -> Int? {
        subscriptions.firstIndex { $0.session == session && $0.characteristic == characteristic }
    }
}
