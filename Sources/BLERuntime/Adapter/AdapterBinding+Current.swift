import BLEWire
import Dispatch

extension AdapterBinding {
    /// The adapter for a manager that is created now.
    package static func current() -> any BluetoothAdapter { scoped ?? AbsentAdapter() }
}

/// The adapter of a machine without Bluetooth.
private final class AbsentAdapter: BluetoothAdapter {
    func openCentral(observer: any CentralObserver) -> any CentralSession {
        Task { observer.adapterStateChanged(.unsupported) }
        return Absent()
    }

    func openPeripheral(observer: any PeripheralObserver) -> any PeripheralSession {
        Task { observer.adapterStateChanged(.unsupported) }
        return Absent()
    }

    func deliver(on queue: DispatchQueue, _ body: @escaping @Sendable () -> Void) { queue.async(execute: body) }
}

private final class Absent: CentralSession, PeripheralSession {
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
    func add(_ service: ServiceDefinition, token: Int) {}
    func remove(token: Int) {}
    func removeAll() {}
    func startAdvertising(_ advertisement: Advertisement) {}
    func stopAdvertising() {}
    func respond(to request: RequestIdentifier, error: UInt8, value: [UInt8]?) {}
    func update(_ value: Span<UInt8>, of characteristic: CharacteristicReference, centrals: [PeerIdentifier]?) -> Bool {
        false
    }
    func setLatency(_ latency: LatencyWish, of central: PeerIdentifier) {}
}
