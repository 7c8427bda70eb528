import BLEAdapter
import BLEHostAdapter
import BLEWire
import Dispatch

/// An adapter that hands callbacks to their queue, as the real one does outside virtual time, and remembers its observer.
final class BenchmarkAdapter: BluetoothAdapter, @unchecked Sendable {
    private(set) weak var central: (any CentralObserver)?
    private(set) weak var peripheral: (any PeripheralObserver)?
    fileprivate(set) var token = 0

    func openCentral(observer: any CentralObserver) -> any CentralSession {
        central = observer
        return BenchmarkCentralSession()
    }

    func openPeripheral(observer: any PeripheralObserver) -> any PeripheralSession {
        peripheral = observer
        return BenchmarkPeripheralSession(adapter: self)
    }

    var callbackScheduler: (any CallbackScheduling)? { self }
}

extension BenchmarkAdapter: CallbackScheduling {
    func scheduleCallback(_ block: @escaping @Sendable @convention(block) () -> Void, on queue: DispatchQueue) {
        queue.async(execute: block)
    }

    func startCallback(_ start: @escaping @Sendable (_ done: (@Sendable () -> Void)?) -> Void) { start(nil) }
}

/// Takes every command and does nothing.
final class BenchmarkCentralSession: CentralSession {
    func startScan(_ scan: ScanRequest) {}
    func stopScan() {}
    func connect(_ peer: PeerIdentifier, options: ConnectionOptions) {}
    func cancelConnection(_ peer: PeerIdentifier) {}
    func knownPeers(_ identifiers: [PeerIdentifier]) -> [PeerRecord] { [] }
    func connectedPeers(services: [BluetoothUUID]) -> [PeerRecord] { [] }
    func submit(_ operation: GATTOperation, to peer: PeerIdentifier) {}
    func writeCommand(_ value: Span<UInt8>, handle: UInt16, to peer: PeerIdentifier) -> Bool { true }
    func canWriteCommand(to peer: PeerIdentifier) -> Bool { true }
    func maximumTransmissionUnit(of peer: PeerIdentifier) -> Int? { nil }
    func openChannel(psm: UInt16, to peer: PeerIdentifier) {}
}

/// The same for the other role.
final class BenchmarkPeripheralSession: PeripheralSession {
    private let adapter: BenchmarkAdapter

    init(adapter: BenchmarkAdapter) { self.adapter = adapter }

    func add(_ service: ServiceDefinition, token: Int) { adapter.token = token }
    func remove(token: Int) {}
    func removeAll() {}
    func startAdvertising(_ advertisement: Advertisement) {}
    func stopAdvertising() {}
    func respond(to request: RequestIdentifier, error: UInt8, value: [UInt8]?) {}
    func update(_ value: Span<UInt8>, of characteristic: CharacteristicReference, centrals: [PeerIdentifier]?) -> Bool {
        true
    }
    func setLatency(_ latency: RequestedLatency, of central: PeerIdentifier) {}
    func publishChannel(requiresEncryption: Bool) {}
    func unpublishChannel(psm: UInt16) {}
}
