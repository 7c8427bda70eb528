import BLEWire

/// The out-of-band data of a host: its own for the next pairing, and that of peers.
package struct OutOfBandTable: Sendable {
    private struct Entry: Sendable {
        /// Nil for the peers without an entry of their own.
        let peer: DeviceAddress?
        let block: OutOfBandBlock
    }

    /// The number of peers whose data is kept. More replace the oldest.
    package static let capacity = 64

    /// This host's data; nil if there is none, or a pairing has used it.
    package private(set) var local: OutOfBandData.Local?
    private var entries: [Entry] = []

    package init() {}

    package var isEmpty: Bool { local == nil && entries.isEmpty }

    /// Draws new data in place of this host's earlier data. Returns nil if the generator does not work.
    package mutating func makeLocal(using crypto: inout some CryptoProvider) -> OutOfBandBlock? {
        local = OutOfBandData.Local(using: &crypto)
        return local?.block
    }

    /// Sets or, with nil, removes the data of a peer, or of all peers without data of their own.
    package mutating func set(_ block: OutOfBandBlock?, of peer: DeviceAddress?) {
        entries.removeAll { $0.peer == peer }
        guard let block else { return }
        if entries.count == Self.capacity { entries.removeFirst() }
        entries.append(Entry(peer: peer, block: block))
    }

    /// The data for a pairing with the peer that has one of these addresses.
    package func data(for addresses: [DeviceAddress]) -> OutOfBandData {
        OutOfBandData(local: local, peer: index(of: addresses).map { entries[$0].block })
    }

    /// A pairing has used the key pair of this commitment.
    package mutating func usedLocal(_ commitment: UInt128) {
        if local?.commitment == commitment { local = nil }
    }

    /// Removes the data with which a peer has authenticated itself, which serves one bond. Data that was set meanwhile stays.
    package mutating func used(_ data: OutOfBandData) {
        entries.removeAll { entry in
            switch entry.block {
            case .secureConnections(let block): block == data.peer
            case .legacy(let key): key == data.legacyKey
            }
        }
    }

    private func index(of addresses: [DeviceAddress]) -> Int? {
        entries.firstIndex { entry in entry.peer.map(addresses.contains) ?? false }
            ?? entries.firstIndex { $0.peer == nil }
    }
}
