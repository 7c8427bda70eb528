import BLEAdapter
import BLEGatewayAdapter
import BLETransport
import BLEWire
import Dispatch
import NoiseChannel

/// The program that uses the measured gateway. It counts what arrives, and how long it took.
final class Client: CentralObserver, @unchecked Sendable {
    enum Work { case advertisements, notifications }

    static let key = PreSharedKey(octets: Array(1...32))!

    private let work: Work
    private var session: (any CentralSession)?
    /// In nanoseconds.
    private let delays = Lock<[UInt64]>([])
    let arrived = DispatchSemaphore(value: 0)
    private(set) var count = 0

    init(_ work: Work, capacity: Int) {
        self.work = work
        delays.withLock { $0.reserveCapacity(capacity) }
    }

    func open(_ adapter: any BluetoothAdapter) { session = adapter.openCentral(observer: self) }

    /// The delays in order, and forgets them.
    func takeDelays() -> [UInt64] {
        delays.withLock { delays in
            defer { delays.removeAll(keepingCapacity: true) }
            return delays.sorted()
        }
    }

    func forget() { delays.withLock { $0.removeAll(keepingCapacity: true) } }

    private var peer: PeerIdentifier { PeerIdentifier(high: 1, low: FeedingAdapter.device.value) }

    func adapterStateChanged(_ state: AdapterState) {
        guard state == .poweredOn else { return }
        switch work {
        case .advertisements: session?.startScan(ScanRequest(allowDuplicates: true))
        case .notifications: session?.connect(peer, options: ConnectionOptions())
        }
    }

    func connected(_ peer: PeerRecord) { session?.submit(.discoverServices(nil), to: peer.identifier) }

    func completed(_ operation: GATTOperation, of peer: PeerIdentifier, _ result: Result<GATTResult, GATTError>) {
        guard case .discoverServices = operation else { return }
        session?.submit(
            .setNotify(valueHandle: FeedingAdapter.valueHandle, end: FeedingAdapter.range.end, mode: .notification),
            to: peer)
    }

    private func note(_ sent: UInt64) {
        let now = moment()
        count += 1
        delays.withLock { if $0.count < $0.capacity { $0.append(now &- sent) } }
        if count == 1 { arrived.signal() }
    }

    func discovered(_ discovery: Discovery) { note(Stamp.read(discovery.octets.data, at: Event.stampIndex)) }
    func received(_ value: Span<UInt8>, handle: UInt16, from peer: PeerIdentifier) { note(Stamp.read(value, at: 0)) }

    func connectionFailed(_ peer: PeerIdentifier, _ failure: ConnectionError) {}
    func disconnected(_ peer: PeerIdentifier, _ end: LinkEnd, isReconnecting: Bool) {}
    func readyForWriteCommands(to peer: PeerIdentifier) {}
    func servicesChanged(_ range: HandleRange, of peer: PeerIdentifier) {}
    func nameChanged(_ name: String?, of peer: PeerIdentifier) {}
}
