import BLEAdapter
import BLEWire

/// A central session that records the states of its adapter.
final class StateObserver: CentralObserver {
    private let stream = AsyncStream<AdapterState>.makeStream()
    private let content = Lock<(states: [AdapterState], session: (any CentralSession)?)>(([], nil))

    init(_ adapter: any BluetoothAdapter) {
        let session = adapter.openCentral(observer: self)
        content.withLock { $0.session = session }
    }

    /// The next state that no earlier call has returned.
    func next() async -> AdapterState? {
        for await state in stream.stream {
            content.withLock { $0.states.append(state) }
            return state
        }
        return nil
    }

    /// Waits for this number of states. Returns all states.
    func states(_ count: Int) async -> [AdapterState] {
        while content.withLock({ $0.states.count }) < count {
            guard await next() != nil else { break }
        }
        return content.withLock { $0.states }
    }

    func adapterStateChanged(_ state: AdapterState) { stream.continuation.yield(state) }
    func discovered(_ discovery: Discovery) {}
    func connected(_ peer: PeerRecord) {}
    func connectionFailed(_ peer: PeerIdentifier, _ failure: ConnectionError) {}
    func disconnected(_ peer: PeerIdentifier, _ end: LinkEnd, isReconnecting: Bool) {}
    func completed(_ operation: GATTOperation, of peer: PeerIdentifier, _ result: Result<GATTResult, GATTError>) {}
    func received(_ value: Span<UInt8>, handle: UInt16, from peer: PeerIdentifier) {}
    func readyForWriteCommands(to peer: PeerIdentifier) {}
    func servicesChanged(_ range: HandleRange, of peer: PeerIdentifier) {}
    func nameChanged(_ name: String?, of peer: PeerIdentifier) {}
    func channelOpened(_ result: Result<ChannelHandle, ChannelError>, psm: UInt16, of peer: PeerIdentifier) {}
}
