import BLEWire

/// A session without Bluetooth, or in a role that the adapter does not have. It drops commands, as every session does in a state other than
/// powered on.
package final class UnavailableSession: CentralSession, PeripheralSession {
    package init() {}

    package func startScan(_ scan: ScanRequest) {}
    package func stopScan() {}
    package func connect(_ peer: PeerIdentifier, options: ConnectionOptions) {}
    package func cancelConnection(_ peer: PeerIdentifier) {}
    package func knownPeers(_ identifiers: [PeerIdentifier]) -> [PeerRecord] { [] }
    package func connectedPeers(services: [BluetoothUUID]) -> [PeerRecord] { [] }
    package func submit(_ operation: GATTOperation, to peer: PeerIdentifier) {}
    package func writeCommand(_ value: Span<UInt8>, handle: UInt16, to peer: PeerIdentifier) -> Bool { false }
    package func canWriteCommand(to peer: PeerIdentifier) -> Bool { false }
    package func maximumTransmissionUnit(of peer: PeerIdentifier) -> Int? { nil }

    package func openChannel(psm: UInt16, to peer: PeerIdentifier) {}
    package func publishChannel(requiresEncryption: Bool) {}
    package func unpublishChannel(psm: UInt16) {}

    package func add(_ service: ServiceDefinition, token: Int) {}
    package func remove(token: Int) {}
    package func removeAll() {}
    package func startAdvertising(_ advertisement: Advertisement) {}
    package func stopAdvertising() {}
    package func respond(to request: RequestIdentifier, error: UInt8, value: [UInt8]?) {}
    package func update(_ value: Span<UInt8>, of characteristic: CharacteristicReference, centrals: [PeerIdentifier]?)
        -> Bool
    {
        false
    }
    package func setLatency(_ latency: RequestedLatency, of central: PeerIdentifier) {}
}
