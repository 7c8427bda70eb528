import BLESecurity
import BLEWire

/// Out-of-band data of pairings (Vol 3, Part H, 2.3.5.6.4).
extension HostStack {
    /// Draws this host's data for a transfer to a peer. The data of Secure Connections is the commitment to the key pair of the next
    /// pairing whose peer has it, and replaces earlier data; a TK applies as soon as `setOutOfBandData` sets it on both devices.
    ///
    /// - Returns: Nil if this host cannot pair.
    package mutating func makeOutOfBandData(_ kind: OutOfBandBlock.Kind) -> OutOfBandBlock? {
        guard var crypto else { return nil }
        defer { self.crypto = crypto }
        return switch kind {
        case .secureConnections: outOfBand.makeLocal(using: &crypto)
        case .legacy: .legacy(TemporaryKey(value: crypto.random()))
        }
    }

    /// Sets the data that a peer transferred, for pairings that begin later; nil removes it. Without a peer, the data applies to all
    /// peers without data of their own. It lasts until a pairing with it has succeeded.
    package mutating func setOutOfBandData(_ block: OutOfBandBlock?, of peer: DeviceAddress?) {
        outOfBand.set(block, of: peer)
    }

    /// The addresses under which the data of a link's peer may be known.
    func addresses(of connection: Connection) -> [DeviceAddress] {
        [connection.securityManager?.peer ?? connection.peer, connection.peer, connection.onAir.peer]
    }

    func outOfBandCommitment(of connection: Connection) -> UInt128? {
        connection.securityManager?.pairing.parameters.outOfBand.local?.commitment
    }

    /// Takes the key pair that a pairing has used from the pairings of the other links.
    mutating func usedOutOfBandData(_ commitment: UInt128) {
        outOfBand.usedLocal(commitment)
        for connection in connections where outOfBandCommitment(of: connection) == commitment {
            connection.securityManager?.pairing.parameters.outOfBand.local = nil
        }
    }
}
