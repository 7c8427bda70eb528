import BLEWire

/// An adapter whose host is elsewhere.
package protocol RemoteAdapter: AnyObject, Sendable {
    var snapshot: RemoteSnapshot { get }
    /// Runs `body` on the executor after this call has returned, with the time, and then carries out the requests. Observers call sessions,
    /// and the last reference to one may end, while the central is in use.
    func submit(_ body: @escaping @Sendable (inout RemoteCentral, Instant) -> Void)
}

/// A session of the central role of such an adapter.
package final class RemoteCentralSession: CentralSession {
    private let adapter: any RemoteAdapter
    private let number: Int

    /// - Parameter number: Not 0, and of no other session of the adapter.
    package init(of adapter: any RemoteAdapter, number: Int, observer: any CentralObserver) {
        self.adapter = adapter
        self.number = number
        adapter.submit { [weak observer] in $0.open(number, observer, at: $1) }
    }

    deinit {
        let number = number
        adapter.submit { $0.close(number, at: $1) }
    }

    private func use(_ peer: PeerIdentifier) -> RemoteUse { RemoteUse(session: number, peer: peer) }

    package func startScan(_ scan: ScanRequest) {
        let number = number
        adapter.submit { central, _ in central.startScan(number, scan) }
    }

    package func stopScan() {
        let number = number
        adapter.submit { central, _ in central.stopScan(number) }
    }

    package func connect(_ peer: PeerIdentifier, options: ConnectionOptions) {
        let use = use(peer)
        adapter.submit { $0.connect(use, options, at: $1) }
    }

    package func cancelConnection(_ peer: PeerIdentifier) {
        let use = use(peer)
        adapter.submit { $0.cancel(use, at: $1) }
    }

    package func submit(_ operation: GATTOperation, to peer: PeerIdentifier) {
        let use = use(peer)
        adapter.submit { $0.submit(operation, use, at: $1) }
    }

    package func openChannel(psm: UInt16, to peer: PeerIdentifier) {
        let use = use(peer)
        adapter.submit { central, _ in central.openChannel(psm: psm, use) }
    }

    package func knownPeers(_ identifiers: [PeerIdentifier]) -> [PeerRecord] { adapter.snapshot.records(identifiers) }

    package func connectedPeers(services: [BluetoothUUID]) -> [PeerRecord] { adapter.snapshot.connectedPeers(services) }

    package func writeCommand(_ value: Span<UInt8>, handle: UInt16, to peer: PeerIdentifier) -> Bool {
        let answer = adapter.snapshot.add(value.count, for: use(peer))
        guard answer != .dropped else { return false }
        let octets = value.withUnsafeBufferPointer { Array($0) }
        adapter.submit { central, _ in central.write(octets, handle: handle, to: peer) }
        return answer == .accepted
    }

    package func canWriteCommand(to peer: PeerIdentifier) -> Bool { adapter.snapshot.hasRoom(to: peer) }

    package func maximumTransmissionUnit(of peer: PeerIdentifier) -> Int? {
        adapter.snapshot.maximumTransmissionUnit(of: peer)
    }
}
