import BLEAdapter
import BLEWire
import Dispatch
import Figures
import Glibc

/// The radio of the measured gateway: an adapter that reports advertisements or notifications at a rate. Each carries its moment, in
/// nanoseconds of the monotonic clock, which all processes of a machine share.
final class FeedingAdapter: BluetoothAdapter, PeerIdentification, @unchecked Sendable {
    static let device = DeviceAddress(kind: .random, value: 0xC0FF_EE00_0001)
    static let valueHandle: UInt16 = 3
    static let range = HandleRange(start: 1, end: 9)
    /// How often a burst of events comes, as a controller reports them.
    private static let bursts = 2000

    let queue = DispatchQueue(label: "feeding-adapter")
    private let rate: Int
    private let isPaced: Bool
    fileprivate(set) weak var observer: (any CentralObserver)?
    private let feeding = Lock(false)

    /// - Parameter rate: Events in a second; 0 reports nothing by itself.
    init(rate: Int) {
        self.rate = rate
        isPaced = rate > 0
    }

    var peerIdentification: (any PeerIdentification)? { self }
    func identifier(for address: DeviceAddress) -> PeerIdentifier {
        PeerIdentifier(high: UInt64(address.kind.rawValue), low: address.value)
    }
    func address(of identifier: PeerIdentifier) -> DeviceAddress? {
        DeviceAddress(kind: identifier.high == 0 ? .public : .random, value: identifier.low)
    }

    func openCentral(observer: any CentralObserver) -> any CentralSession {
        self.observer = observer
        call { $0.adapterStateChanged(.poweredOn) }
        return FeedingSession(adapter: self)
    }

    func openPeripheral(observer: any PeripheralObserver) -> any PeripheralSession { UnavailableSession() }

    fileprivate func call(_ body: @escaping @Sendable (any CentralObserver) -> Void) {
        guard isPaced else {
            if let observer { body(observer) }
            return
        }
        queue.async { [self] in if let observer { body(observer) } }
    }

    fileprivate func feed(_ event: @escaping @Sendable (any CentralObserver, Int) -> Void) {
        guard isPaced else { return }
        let isFeeding = feeding.withLock { isFeeding in
            defer { isFeeding = true }
            return isFeeding
        }
        guard !isFeeding else { return }
        let (rate, adapter) = (rate, self)
        let thread = DispatchQueue(label: "feeder", qos: .userInteractive)
        thread.async {
            let start = wallSeconds()
            var sent = 0
            var burst = 0
            while adapter.feeding.withLock({ $0 }) {
                burst += 1
                var deadline = timespec()
                let moment = start + Double(burst) / Double(FeedingAdapter.bursts)
                deadline.tv_sec = Int(moment)
                deadline.tv_nsec = Int((moment - Double(Int(moment))) * 1e9)
                clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &deadline, nil)
                let due = burst * rate / FeedingAdapter.bursts
                guard let observer = adapter.observer else { return }
                while sent < due {
                    event(observer, sent)
                    sent += 1
                }
            }
        }
    }

    fileprivate func stop() { feeding.withLock { $0 = false } }
}

/// Nanoseconds of the monotonic clock.
func moment() -> UInt64 {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    return UInt64(now.tv_sec) * 1_000_000_000 + UInt64(now.tv_nsec)
}

/// Writes and reads the moment in a value.
enum Stamp {
    static func write(_ moment: UInt64, at index: Int, of octets: inout [UInt8]) {
        for position in 0..<8 { octets[index + position] = UInt8(truncatingIfNeeded: moment >> UInt64(8 * position)) }
    }

    static func read(_ octets: Span<UInt8>, at index: Int) -> UInt64 {
        guard octets.count >= index + 8 else { return 0 }
        var moment: UInt64 = 0
        for position in 0..<8 { moment |= UInt64(octets[index + position]) << UInt64(8 * position) }
        return moment
    }
}

enum Event {
    /// The place of the moment in advertising data, after the flags and the company.
    static let stampIndex = 7
    static let data: [UInt8] = [2, 1, 6, 27, 0xFF, 0xFF, 0xFF] + [UInt8](repeating: 7, count: 24)
    static let value = [UInt8](repeating: 7, count: 20)

    static func advertise(_ observer: any CentralObserver, _ number: Int) {
        let address = DeviceAddress(kind: .random, value: 0xC000_0000_0000 + UInt64(number % 200))
        var octets = data
        Stamp.write(moment(), at: stampIndex, of: &octets)
        observer.discovered(
            Discovery(
                peer: PeerRecord(identifier: PeerIdentifier(high: 1, low: address.value), name: nil), address: address,
                data: octets, isConnectable: true, rssi: -60))
    }

    static func notify(_ observer: any CentralObserver, _ number: Int) {
        var octets = value
        Stamp.write(moment(), at: 0, of: &octets)
        let peer = PeerIdentifier(high: 1, low: FeedingAdapter.device.value)
        observer.received(octets.span, handle: FeedingAdapter.valueHandle, from: peer)
    }
}

private final class FeedingSession: CentralSession {
    private let adapter: FeedingAdapter
    init(adapter: FeedingAdapter) { self.adapter = adapter }
    deinit { adapter.stop() }

    func startScan(_ scan: ScanRequest) { adapter.feed { Event.advertise($0, $1) } }
    func stopScan() { adapter.stop() }
    func connect(_ peer: PeerIdentifier, options: ConnectionOptions) {
        adapter.call { $0.connected(PeerRecord(identifier: peer, name: nil)) }
    }
    func cancelConnection(_ peer: PeerIdentifier) {
        adapter.call { $0.disconnected(peer, .cancelled, isReconnecting: false) }
    }
    func knownPeers(_ identifiers: [PeerIdentifier]) -> [PeerRecord] { [] }
    func connectedPeers(services: [BluetoothUUID]) -> [PeerRecord] { [] }
    func writeCommand(_ value: Span<UInt8>, handle: UInt16, to peer: PeerIdentifier) -> Bool { true }
    func canWriteCommand(to peer: PeerIdentifier) -> Bool { true }
    func maximumTransmissionUnit(of peer: PeerIdentifier) -> Int? { 247 }
    func openChannel(psm: UInt16, to peer: PeerIdentifier) {}

    func submit(_ operation: GATTOperation, to peer: PeerIdentifier) {
        let handle = FeedingAdapter.valueHandle
        let result: Result<GATTResult, GATTError> =
            switch operation {
            case .discoverServices:
                .success(
                    .services([
                        DiscoveredService(
                            uuid: BluetoothUUID(UInt16(0x180D)), range: FeedingAdapter.range, isPrimary: true)
                    ]))
            case .discoverCharacteristics:
                .success(
                    .characteristics([
                        DiscoveredCharacteristic(
                            uuid: BluetoothUUID(UInt16(0x2A37)), properties: 0x10, declarationHandle: 2,
                            valueHandle: handle, end: 9)
                    ]))
            case .discoverDescriptors:
                .success(
                    .descriptors([DiscoveredDescriptor(uuid: BluetoothUUID(UInt16(0x2902)), handle: handle + 1)]))
            case .readRSSI: .success(.rssi(-40))
            case .read: .failure(.attribute(1))
            default: .success(.done)
            }
        adapter.call { $0.completed(operation, of: peer, result) }
        if case .setNotify = operation { adapter.feed { Event.notify($0, $1) } }
    }
}
