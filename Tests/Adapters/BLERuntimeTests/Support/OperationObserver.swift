import BLEAdapter
import BLEWire

/// A central session whose observer passes the ends of its operations to a function.
final class OperationObserver: CentralObserver {
    private let handleEnd: @Sendable (any CentralSession) -> Void
    private let session = Lock<(any CentralSession)?>(nil)

    /// - Parameter handleEnd: Called in a step of the executor.
    init(_ adapter: any BluetoothAdapter, _ handleEnd: @escaping @Sendable (any CentralSession) -> Void) {
        self.handleEnd = handleEnd
        let session = adapter.openCentral(observer: self)
        self.session.withLock { $0 = session }
    }

    /// Submits an operation that ends without traffic, because nothing is connected.
    static func submit(to session: any CentralSession) {
        session.submit(.read(handle: 1), to: PeerIdentifier(high: 1, low: 2))
    }

    func begin() {
        if let session = session.withLock({ $0 }) { Self.submit(to: session) }
    }

    func completed(_ operation: GATTOperation, of peer: PeerIdentifier, _ result: Result<GATTResult, GATTError>) {
        if let session = session.withLock({ $0 }) { handleEnd(session) }
    }

    func adapterStateChanged(_ state: AdapterState) {}
    func discovered(_ discovery: Discovery) {}
    func connected(_ peer: PeerRecord) {}
    func connectionFailed(_ peer: PeerIdentifier, _ failure: ConnectionError) {}
    func disconnected(_ peer: PeerIdentifier, _ end: LinkEnd, isReconnecting: Bool) {}
    func received(_ value: Span<UInt8>, handle: UInt16, from peer: PeerIdentifier) {}
    func readyForWriteCommands(to peer: PeerIdentifier) {}
    func servicesChanged(_ range: HandleRange, of peer: PeerIdentifier) {}
    func nameChanged(_ name: String?, of peer: PeerIdentifier) {}
    func channelOpened(_ result: Result<ChannelHandle, ChannelError>, psm: UInt16, of peer: PeerIdentifier) {}
}
