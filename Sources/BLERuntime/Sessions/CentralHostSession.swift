import BLEAdapter
import BLEWire

/// A central session on our own host. Commands go to the executor in the order of the calls; questions are answered from
/// the board.
final class CentralHostSession: CentralSession {
    private let adapter: HostAdapter
    private let number: Int
    private var board: SharedBoard { adapter.board }

    init(adapter: HostAdapter, number: Int) {
        self.adapter = adapter
        self.number = number
    }

    deinit {
        let number = self.number
        adapter.submit { $0.closeCentral(number) }
    }

    func startScan(_ scan: ScanRequest) {
        adapter.submit { [number] in $0.startScan(scan, session: number) }
    }

    func stopScan() {
        adapter.submit { [number] in $0.stopScan(session: number) }
    }

    func connect(_ peer: PeerIdentifier, options: ConnectionOptions) {
        adapter.submit { [number] in $0.connect(peer, options: options, session: number) }
    }

    func cancelConnection(_ peer: PeerIdentifier) {
        adapter.submit { [number] in $0.cancelConnection(peer, session: number) }
    }

    func knownPeers(_ identifiers: [PeerIdentifier]) -> [PeerRecord] {
        identifiers.compactMap { peer in adapter.store.address(of: peer).map { board.record(of: peer, at: $0) } }
    }

    func connectedPeers(services: [BluetoothUUID]) -> [PeerRecord] {
        board.content.withLock { content in
            content.servers.compactMap { server in
                content.isKnown(server, toHave: services) ? content.record(of: server.peer, at: server.address) : nil
            }
        }
    }

    func openChannel(psm: UInt16, to peer: PeerIdentifier) {
        adapter.submit { [number] in $0.openChannel(psm: psm, to: peer, session: number) }
    }

    func submit(_ operation: GATTOperation, to peer: PeerIdentifier) {
        adapter.carryOut { [number] in $0.submit(operation, to: peer, session: number) }
    }

    func writeCommand(_ value: Span<UInt8>, handle: UInt16, to peer: PeerIdentifier) -> Bool {
        let (isTaken, hasRoom) = board.content.withLock { content in
            guard let index = content.serverIndex(peer), content.servers[index].queued < SharedBoard.queueBound else {
                return (false, false)
            }
            content.servers[index].queued += 1
            if content.servers[index].queued >= SharedBoard.queueLimit { content.servers[index].isFull = true }
            if content.servers[index].isFull { content.servers[index].await(number) }
            return (true, !content.servers[index].isFull)
        }
        guard isTaken else { return false }
        let octets = [UInt8](value)
        adapter.submit { $0.writeCommand(octets.span, handle: handle, to: peer) }
        return hasRoom
    }

    func canWriteCommand(to peer: PeerIdentifier) -> Bool {
        board.content.withLock { content in
            guard let index = content.serverIndex(peer) else { return false }
            if content.servers[index].isFull { content.servers[index].await(number) }
            return !content.servers[index].isFull
        }
    }

    func maximumTransmissionUnit(of peer: PeerIdentifier) -> Int? {
        board.content.withLock { content in content.serverIndex(peer).map { content.servers[$0].mtu } }
    }
}

extension SharedBoard.Server {
    mutating func await(_ session: Int) {
        if !waiting.contains(session) { waiting.append(session) }
    }
}
