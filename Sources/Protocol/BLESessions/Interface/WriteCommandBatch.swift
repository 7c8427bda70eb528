import BLEAdapter
import BLEWire

/// Write Commands of sessions in order, with their values in one buffer.
package struct WriteCommandBatch: Sendable {
    struct Command {
        let peer: PeerIdentifier
        let session: Int
        let handle: UInt16
        /// The end of the value in `octets`, where the next one begins.
        let end: Int
    }

    private(set) var commands: [Command] = []
    private(set) var octets: [UInt8] = []

    /// The size of a buffer that `removeAll` keeps, in octets.
    private static let keptCapacity = 1 << 16

    package init() {}

    package mutating func append(_ value: Span<UInt8>, handle: UInt16, to peer: PeerIdentifier, session: Int) {
        octets.append(value)
        commands.append(Command(peer: peer, session: session, handle: handle, end: octets.count))
    }

    /// Empties the batch and keeps its buffers.
    package mutating func removeAll() {
        commands.empty()
        if octets.capacity > Self.keptCapacity { octets = [] } else { octets.empty() }
    }
}
