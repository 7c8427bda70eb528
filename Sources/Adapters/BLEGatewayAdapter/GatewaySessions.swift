import BLEAdapter
import BLESecurity
import BLEWire

/// The central role over a gateway.
final class GatewayCentralSession: CentralSession {
    private let adapter: GatewayAdapter
    let number: Int

    init(adapter: GatewayAdapter, number: Int) {
        self.adapter = adapter
        self.number = number
    }

    deinit {
        let (adapter, number) = (adapter, number)
        adapter.scheduler.submit { adapter.close(number) }
    }

    private func submit(_ body: @escaping @Sendable (GatewayAdapter, Int) -> Void) {
        let (adapter, number) = (adapter, number)
        adapter.scheduler.submit { body(adapter, number) }
    }

    func startScan(_ scan: ScanRequest) { submit { $0.startScan($1, scan) } }
    func stopScan() { submit { $0.stopScan($1) } }
    func connect(_ peer: PeerIdentifier, options: ConnectionOptions) { submit { $0.connect($1, peer, options) } }
    func cancelConnection(_ peer: PeerIdentifier) { submit { $0.cancel($1, peer) } }
    func submit(_ operation: GATTOperation, to peer: PeerIdentifier) { submit { $0.submit($1, operation, peer) } }
    func openChannel(psm: UInt16, to peer: PeerIdentifier) { submit { $0.openChannel($1, psm: psm, peer) } }

    func knownPeers(_ identifiers: [PeerIdentifier]) -> [PeerRecord] {
        let names = adapter.snapshot.withLock { $0.names }
        return identifiers.filter { adapter.peerIdentification?.address(of: $0) != nil }.map {
            PeerRecord(identifier: $0, name: names[adapter.identification.identity(of: $0)])
        }
    }

    /// The gateway does not tell which services of a peer other programs have found.
    func connectedPeers(services: [BluetoothUUID]) -> [PeerRecord] { [] }

    func writeCommand(_ value: Span<UInt8>, handle: UInt16, to peer: PeerIdentifier) -> Bool {
        let use = GatewayAdapter.Use(session: number, peer: peer)
        let answer: WriteAdmission.Answer? = adapter.snapshot.withLock { content in
            content.mtus[peer] == nil ? nil : content.writes.add(value.count, for: use)
        }
        guard let answer, answer != .dropped else { return false }
        let octets = value.withUnsafeBufferPointer { Array($0) }
        submit { adapter, _ in adapter.write(octets, handle: handle, peer) }
        return answer == .accepted
    }

    func canWriteCommand(to peer: PeerIdentifier) -> Bool {
        adapter.snapshot.withLock { $0.mtus[peer] != nil && $0.writes.hasRoom }
    }

    func maximumTransmissionUnit(of peer: PeerIdentifier) -> Int? { adapter.snapshot.withLock { $0.mtus[peer] } }
}

/// Pairing over a gateway: the gateway's host has the keys and the policy.
final class GatewayPairingSession: PairingSession {
    private let adapter: GatewayAdapter
    let number: Int

    init(adapter: GatewayAdapter, number: Int) {
        self.adapter = adapter
        self.number = number
    }

    deinit {
        let (adapter, number) = (adapter, number)
        adapter.scheduler.submit { adapter.close(number) }
    }

    func setAgent(_ agent: PairingAgentCapability?) {}
    func setPolicy(_ policy: PairingPolicy) {}
    func pair(_ peer: PeerIdentifier, minimum: LinkSecurity.Level) {
        let (adapter, number) = (adapter, number)
        adapter.scheduler.submit { adapter.pair(number, peer) }
    }
    func cancelPairing(with peer: PeerIdentifier) {
        let adapter = adapter
        adapter.scheduler.submit { adapter.cancelPairing(peer) }
    }
    func answer(_ question: PairingQuestionNumber, _ answer: AgentAnswer) {}
    func makeOutOfBandData(
        _ kind: OutOfBandBlock.Kind, completion: @escaping @Sendable (OutOfBandBlock?) -> Void
    ) { completion(nil) }
    func setOutOfBandData(_ block: OutOfBandBlock?, of peer: PeerIdentifier?) {}
    func unpair(_ peer: PeerIdentifier) {
        let adapter = adapter
        adapter.scheduler.submit { adapter.unpair(peer) }
    }
    var bonds: [BondRecord] { [] }
}
