import BLEAdapter
import BLEHost
import BLEWire

/// A peer that sessions want to be connected to, or are.
struct PeerConnection {
    enum Phase: Equatable {
        /// Nothing was asked of the host: a start delay runs.
        case idle
        /// The host tries to connect.
        case pending
        case up(LinkIdentifier)
        /// The host was asked to end the link.
        case ending(LinkIdentifier)
    }

    struct User {
        enum State {
            case delayed, waiting, connected
            /// Cancelled; the end of the link has not been heard of.
            case leaving
            /// Cancelled, and then wanted again.
            case rejoining
        }
        var session: Int
        var options: ConnectionOptions
        var state: State
    }

    struct PendingOperation {
        var id: UInt32
        var session: Int
        var operation: GATTOperation
    }

    let peer: PeerIdentifier
    let address: DeviceAddress
    var phase = Phase.idle
    var users: [User] = []
    /// Whether the link is ready for use, and users have been told.
    var isReady = false
    /// Whether the core's own read of the device name is under way; one at a time, however often the peer gives reason.
    var isReadingName = false
    /// Links to this peer that broke before they were ready, in a row.
    var failedEstablishments = 0
    var operations: [PendingOperation] = []
    /// Write Commands that found no room in the host.
    var backlog = ValueBacklog()

    init(peer: PeerIdentifier, address: DeviceAddress) {
        self.peer = peer
        self.address = address
    }

    var link: LinkIdentifier? {
        switch phase {
        case .up(let link), .ending(let link): link
        case .idle, .pending: nil
        }
    }

    func userIndex(_ session: Int) -> Int? { users.firstIndex { $0.session == session } }

    /// Whether a session still wants the link.
    var isWanted: Bool {
        users.contains {
            switch $0.state {
            case .waiting, .connected, .rejoining: true
            case .delayed, .leaving: false
            }
        }
    }
}

/// Values with their handles, in order, in one arena.
struct ValueBacklog {
    private var entries: [(handle: UInt16, end: Int)] = []
    private var octets: [UInt8] = []
    private var first = 0
    private var start = 0

    var isEmpty: Bool { first == entries.count }

    mutating func append(_ value: Span<UInt8>, handle: UInt16) {
        octets.append(value)
        entries.append((handle, octets.count))
    }

    /// Calls `body` with the oldest value and forgets it.
    mutating func takeFirst(_ body: (_ handle: UInt16, _ value: Span<UInt8>) -> Void) {
        guard first < entries.count else { return }
        let entry = entries[first]
        body(entry.handle, octets.span.extracting(start..<entry.end))
        first += 1
        start = entry.end
        if first == entries.count { removeAll() }
    }

    mutating func removeAll() {
        entries.empty()
        octets.empty()
        first = 0
        start = 0
    }
}
