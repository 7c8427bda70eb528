import BLEWire
import Testing

@testable import BLEAdapter

/// Runs the calls of sessions when the test says so.
private final class QueuedAdapter: RemoteAdapter, @unchecked Sendable {
    // `@unchecked Sendable`: used on the thread of the test only.

    let snapshot: RemoteSnapshot
    var bench = CentralBench()
    private var calls: [@Sendable (inout RemoteCentral, Instant) -> Void] = []

    init() { snapshot = bench.snapshot }

    func submit(_ body: @escaping @Sendable (inout RemoteCentral, Instant) -> Void) { calls.append(body) }

    /// Runs what waits, then moves the time. Returns the requests.
    func run(for span: TimeSpan = .zero) -> [String] {
        while !calls.isEmpty { calls.removeFirst()(&bench.central, bench.now) }
        bench.run(for: span)
        return bench.requests()
    }
}

/// The sessions of an adapter, and their write commands.
@Suite struct RemoteCentralSessionTests {
    private let adapter = QueuedAdapter()
    private let recorder = EventRecorder()
    private let peer = CentralBench.peer(5)

    private func open(_ number: Int = 1, _ recorder: EventRecorder? = nil) -> RemoteCentralSession {
        let session = RemoteCentralSession(of: adapter, number: number, observer: recorder ?? self.recorder)
        _ = adapter.run(for: .milliseconds(10))
        _ = (recorder ?? self.recorder).take()
        return session
    }

    private func connect(_ session: RemoteCentralSession) {
        session.connect(peer, options: ConnectionOptions())
        _ = adapter.run()
        adapter.bench.connected()
        _ = (adapter.run(), recorder.take())
    }

    @Test func callsReachTheCentralInTheirOrder() {
        let session = open()
        session.startScan(ScanRequest())
        session.connect(peer, options: ConnectionOptions())
        #expect(adapter.bench.requests() == [], "no call runs at once")
        #expect(adapter.run() == ["scan true", "connect 5"])
        adapter.bench.connected()
        session.submit(.read(handle: 3), to: peer)
        session.openChannel(psm: 37, to: peer)
        session.stopScan()
        session.cancelConnection(peer)
        #expect(adapter.run() == ["read 3", "channel 37", "scan false", "disconnect 5"])
        #expect(recorder.take() == ["connected 5 -", "disconnected 5 cancelled"])
        adapter.snapshot.setServices([BluetoothUUID(0x180D as UInt16)], of: peer)
        #expect(session.knownPeers([peer]).map(\.identifier) == [peer])
        #expect(session.connectedPeers(services: [BluetoothUUID(0x180D as UInt16)]).map(\.identifier) == [peer])
    }

    /// The release of a session ends its scan and its link.
    @Test func aReleasedSessionIsClosed() {
        var session: RemoteCentralSession? = open()
        session.map(connect)
        session?.startScan(ScanRequest())
        #expect(adapter.run() == ["scan true"])
        session = nil
        #expect(adapter.run() == ["disconnect 5", "scan false"] && adapter.bench.central.sessions.isEmpty)
    }

    /// An observer that releases its session, or calls it, within an event: the central is in use.
    @Test func anObserverMayReleaseItsSession() {
        let releaser = ReleasingObserver()
        releaser.session.withLock { $0 = RemoteCentralSession(of: adapter, number: 7, observer: releaser) }
        _ = adapter.run(for: .milliseconds(10))
        #expect(releaser.session.withLock { $0 == nil })
        #expect(adapter.run() == ["connect 5", "disconnect 5"] && adapter.bench.central.sessions.isEmpty)
    }

    // MARK: Write commands

    /// Write commands beyond 64 KiB fill the buffer, those beyond 128 KiB are dropped, and the session hears when there is room.
    @Test func writeCommandsAreBounded() {
        let session = open()
        let value = [UInt8](repeating: 1, count: 512)
        #expect(!session.canWriteCommand(to: peer) && !session.writeCommand(value.span, handle: 3, to: peer))
        #expect(adapter.run() == [] && recorder.take() == [], "without a link nothing waits")
        connect(session)
        for _ in 0..<2 {
            #expect(session.canWriteCommand(to: peer) && session.maximumTransmissionUnit(of: peer) == 100)
            var accepted = 0
            for _ in 0..<300 where session.writeCommand(value.span, handle: 3, to: peer) { accepted += 1 }
            #expect(accepted == 128 && !session.canWriteCommand(to: peer))
            let requests = adapter.run()
            #expect(requests.count == 256 && requests.first == "command 3 512", "the others were dropped")
            adapter.bench.central.wrote(255 * 512)
            adapter.bench.central.releaseWriters()
            #expect(recorder.take() == [] && session.canWriteCommand(to: peer))
            adapter.bench.central.wrote(512)
            adapter.bench.central.releaseWriters()
            adapter.bench.central.releaseWriters()
            #expect(recorder.take() == ["ready 5"])
        }
    }

    /// Write commands that find no link any more leave the buffer, and the session that waits for room hears of it.
    @Test func writeCommandsToALostLinkMakeRoom() {
        let session = open()
        let value = [UInt8](repeating: 1, count: 512)
        for _ in 0..<2 {
            connect(session)
            for _ in 0..<200 { _ = session.writeCommand(value.span, handle: 3, to: peer) }
            adapter.bench.ended()
            #expect(adapter.run() == ["forget 5"])
            adapter.bench.central.releaseWriters()
            #expect(recorder.take() == ["disconnected 5 endedByPeer", "ready 5"])
        }
    }
}

/// Connects, and releases its session within the first event of the adapter.
private final class ReleasingObserver: CentralObserver {
    let session = Lock<RemoteCentralSession?>(nil)

    func adapterStateChanged(_ state: AdapterState) {
        let session = session.withLock { session in
            defer { session = nil }
            return session
        }
        session?.connect(CentralBench.peer(5), options: ConnectionOptions())
    }
    func discovered(_ discovery: Discovery) {}
    func connected(_ peer: PeerRecord) {}
    func connectionFailed(_ peer: PeerIdentifier, _ failure: ConnectionError) {}
    func disconnected(_ peer: PeerIdentifier, _ end: LinkEnd, isReconnecting: Bool) {}
    func completed(_ operation: GATTOperation, of peer: PeerIdentifier, _ result: Result<GATTResult, GATTError>) {}
    func received(_ value: Span<UInt8>, handle: UInt16, from peer: PeerIdentifier) {}
    func readyForWriteCommands(to peer: PeerIdentifier) {}
    func servicesChanged(_ range: HandleRange, of peer: PeerIdentifier) {}
    func nameChanged(_ name: String?, of peer: PeerIdentifier) {}
}
