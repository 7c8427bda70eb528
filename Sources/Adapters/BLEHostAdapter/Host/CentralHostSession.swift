import BLEAdapter
import BLEWire

/// A central session on the library's own host. Commands go to the executor in the order of the calls. The snapshot
/// answers queries.
final class CentralHostSession: CentralSession {
    private let adapter: HostAdapter
    private let number: Int

    init(adapter: HostAdapter, number: Int) {
        self.adapter = adapter
        self.number = number
    }

    deinit {
        let number = self.number
        adapter.submit { $0.closeCentral(number) }
    }

    func startScan(_ scan: ScanRequest) {
        adapter.submit { [number] in $0.sessions.startScan(scan, session: number, at: $0.now) }
    }

    func stopScan() {
        adapter.submit { [number] in $0.sessions.stopScan(session: number, at: $0.now) }
    }

    func connect(_ peer: PeerIdentifier, options: ConnectionOptions) {
        adapter.submit { [number] in $0.sessions.connect(peer, options: options, session: number, at: $0.now) }
    }

    func cancelConnection(_ peer: PeerIdentifier) {
        adapter.submit { [number] in $0.sessions.cancelConnection(peer, session: number, at: $0.now) }
    }

    func knownPeers(_ identifiers: [PeerIdentifier]) -> [PeerRecord] {
        identifiers.compactMap { adapter.store.address(of: $0) == nil ? nil : adapter.snapshot.record(of: $0) }
    }

    func connectedPeers(services: [BluetoothUUID]) -> [PeerRecord] {
        adapter.snapshot.connectedPeers(services: services)
    }

    func openChannel(psm: UInt16, to peer: PeerIdentifier) {
        adapter.submit { [number] in $0.sessions.openChannel(psm: psm, to: peer, session: number, at: $0.now) }
    }

    func submit(_ operation: GATTOperation, to peer: PeerIdentifier) {
        if adapter.runAtOnce({ $0.sessions.submit(operation, to: peer, session: number, at: $0.now) }) { return }
        adapter.submit { [number] in $0.sessions.submit(operation, to: peer, session: number, at: $0.now) }
    }

    func writeCommand(_ value: Span<UInt8>, handle: UInt16, to peer: PeerIdentifier) -> Bool {
        guard case .accepted(let hasRoom) = adapter.write(value, handle: handle, to: peer, session: number) else {
            return false
        }
        return hasRoom
    }

    func canWriteCommand(to peer: PeerIdentifier) -> Bool {
        adapter.admission.hasRoomForCommand(to: peer, session: number)
    }

    func maximumTransmissionUnit(of peer: PeerIdentifier) -> Int? { adapter.snapshot.maximumTransmissionUnit(of: peer) }
}
