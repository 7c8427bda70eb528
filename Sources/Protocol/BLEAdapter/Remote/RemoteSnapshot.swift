import BLEWire

/// What any thread reads of the central role of an adapter whose host is elsewhere.
package final class RemoteSnapshot: Sendable {
    /// The peers whose names are kept.
    private static let limit = 4096

    private struct Content {
        /// The ATT_MTU of each link, in octets.
        var mtus: [PeerIdentifier: Int] = [:]
        var names: [AdvertiserIdentity: PeerNames] = [:]
        /// The peers with a link, of whichever program, and the services that are known of them.
        var connected: [PeerIdentifier: Set<BluetoothUUID>] = [:]
        var writes = WriteAdmission()
    }

    package let identification: any PeerIdentification
    private let content = Lock(Content())

    package init(_ identification: any PeerIdentification) { self.identification = identification }

    // MARK: Names

    package func names(of peer: AdvertiserIdentity) -> PeerNames { content.withLock { $0.names[peer] ?? PeerNames() } }

    package func record(_ peer: PeerIdentifier) -> PeerRecord {
        let names = names(of: identification.identity(of: peer))
        return PeerRecord(identifier: peer, name: names.deviceName ?? names.advertisedName)
    }

    /// The peers among `identifiers` whose addresses are known, in that order.
    func records(_ identifiers: [PeerIdentifier]) -> [PeerRecord] {
        identifiers.filter { identification.address(of: $0) != nil }.map(record)
    }

    /// Changes the names of a peer. New peers beyond the limit are left out.
    func rename(_ peer: AdvertiserIdentity, _ change: (inout PeerNames) -> Void) {
        content.withLock { content in
            guard content.names.count < Self.limit || content.names[peer] != nil else { return }
            change(&content.names[peer, default: PeerNames()])
        }
    }

    /// Takes the name that a host has of a peer with which no report came.
    package func learnAdvertisedName(_ name: String, of peer: PeerIdentifier) {
        rename(identification.identity(of: peer)) { names in
            if names.advertisedName == nil, names.deviceName != name { names.advertisedName = name }
        }
    }

    // MARK: Links

    func maximumTransmissionUnit(of peer: PeerIdentifier) -> Int? { content.withLock { $0.mtus[peer] } }

    /// Sets the ATT_MTU of a link, nil without a link.
    package func setMaximumTransmissionUnit(_ mtu: Int?, of peer: PeerIdentifier) {
        content.withLock { content in
            // A gateway or a daemon may tell anything (Vol 3, Part F, 3.2.8).
            content.mtus[peer] = mtu.map { min(517, max(23, $0)) }
            if mtu == nil { content.writes.forget(peer) }
        }
    }

    /// The peers with a link that have one of `services`.
    func connectedPeers(_ services: [BluetoothUUID]) -> [PeerRecord] {
        let connected = content.withLock { $0.connected }
        return connected.filter { !$0.value.isDisjoint(with: services) }.keys
            .sorted { ($0.high, $0.low) < ($1.high, $1.low) }.map(record)
    }

    /// Sets the services of a peer with a link, whichever program opened it; nil without a link.
    package func setServices(_ services: Set<BluetoothUUID>?, of peer: PeerIdentifier) {
        content.withLock { $0.connected[peer] = services }
    }

    // MARK: Write commands

    func add(_ count: Int, for use: RemoteUse) -> WriteAdmission.Answer {
        content.withLock { content in
            content.mtus[use.peer] == nil ? .dropped : content.writes.add(count, for: use)
        }
    }

    func hasRoom(to peer: PeerIdentifier) -> Bool {
        content.withLock { $0.mtus[peer] != nil && $0.writes.hasRoom }
    }

    func passed(_ count: Int) { content.withLock { $0.writes.passed(count) } }
    func left() -> [RemoteUse] { content.withLock { $0.writes.left() } }

    /// Forgets all links.
    func reset() {
        content.withLock { content in
            (content.mtus, content.connected) = ([:], [:])
            content.writes.reset()
        }
    }
}
