import BLEAdapter
import BLEHostAdapter
import BLEWire

/// A session without Bluetooth. It drops commands, as every session does in a state other than powered on.
final class UnavailableSession: CentralSession, PeripheralSession {
    func startScan(_ scan: ScanRequest) {}
    func stopScan() {}
    func connect(_ peer: PeerIdentifier, options: ConnectionOptions) {}
    func cancelConnection(_ peer: PeerIdentifier) {}
    func knownPeers(_ identifiers: [PeerIdentifier]) -> [PeerRecord] { [] }
    func connectedPeers(services: [BluetoothUUID]) -> [PeerRecord] { [] }
    func submit(_ operation: GATTOperation, to peer: PeerIdentifier) {}
    func writeCommand(_ value: Span<UInt8>, handle: UInt16, to peer: PeerIdentifier) -> Bool { false }
    func canWriteCommand(to peer: PeerIdentifier) -> Bool { false }
    func maximumTransmissionUnit(of peer: PeerIdentifier) -> Int? { nil }

    func openChannel(psm: UInt16, to peer: PeerIdentifier) {}
    func publishChannel(requiresEncryption: Bool) {}
    func unpublishChannel(psm: UInt16) {}

    func add(_ service: ServiceDefinition, token: Int) {}
    func remove(token: Int) {}
    func removeAll() {}
    func startAdvertising(_ advertisement: Advertisement) {}
    func stopAdvertising() {}
    func respond(to request: RequestIdentifier, error: UInt8, value: [UInt8]?) {}
    func update(_ value: Span<UInt8>, of characteristic: CharacteristicReference, centrals: [PeerIdentifier]?) -> Bool {
        false
    }
    func setLatency(_ latency: RequestedLatency, of central: PeerIdentifier) {}
}
