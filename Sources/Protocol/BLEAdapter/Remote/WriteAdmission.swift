/// Counts the octets of write commands that have not left this process, and the sessions that wait for them.
///
/// ATT has no flow control for write commands (Vol 3, Part F, 3.3.2). Values beyond the bound are dropped.
package struct WriteAdmission: Sendable {
    /// The octets from which on the buffer counts as full.
    package static let limit = 64 * 1024
    /// The octets above which values are dropped.
    package static let bound = 2 * limit

    package enum Answer: Hashable, Sendable { case accepted, full, dropped }

    /// The octets that have not reached the connection.
    private var unsent = 0
    /// The octets that the connection has and the network has not.
    private var sent = 0
    private var waiting: Set<RemoteUse> = []

    package init() {}

    package var hasRoom: Bool { unsent + sent < Self.limit }

    package mutating func add(_ count: Int, for use: RemoteUse) -> Answer {
        guard unsent + sent + count <= Self.bound else {
            waiting.insert(use)
            return .dropped
        }
        unsent += count
        guard unsent + sent > Self.limit else { return .accepted }
        waiting.insert(use)
        return .full
    }

    /// Values of `count` octets reached the connection, or were discarded there.
    package mutating func passed(_ count: Int) {
        let moved = min(count, unsent)
        unsent -= moved
        sent += moved
    }

    /// The connection is empty. Returns the sessions to call if nothing else waits.
    package mutating func left() -> [RemoteUse] {
        sent = 0
        guard unsent == 0, !waiting.isEmpty else { return [] }
        defer { waiting = [] }
        return waiting.sorted { ($0.session, $0.peer.high, $0.peer.low) < ($1.session, $1.peer.high, $1.peer.low) }
    }

    /// The sessions do not wait for this peer any more: its link has ended.
    package mutating func forget(_ peer: PeerIdentifier) { waiting = waiting.filter { $0.peer != peer } }

    /// The network is gone. Values that are on their way to the connection still count.
    package mutating func reset() {
        sent = 0
        waiting = []
    }
}
