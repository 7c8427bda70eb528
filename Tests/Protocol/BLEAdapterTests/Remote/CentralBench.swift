import BLEWire

@testable import BLEAdapter

/// Identifiers that are addresses; those with another upper half have none.
struct PlainIdentification: PeerIdentification {
    func identifier(for address: DeviceAddress) -> PeerIdentifier { PeerIdentifier(high: 1, low: address.value) }
    func address(of identifier: PeerIdentifier) -> DeviceAddress? {
        identifier.high == 1 ? DeviceAddress(kind: .random, value: identifier.low) : nil
    }
}

/// The events of a session, as words.
final class EventRecorder: CentralObserver {
    private let events = Lock<[String]>([])

    /// The events since the last call.
    func take() -> [String] {
        events.withLock { events in
            defer { events = [] }
            return events
        }
    }

    private func add(_ event: String) { events.withLock { $0.append(event) } }

    func adapterStateChanged(_ state: AdapterState) { add("state \(state)") }
    func discovered(_ discovery: Discovery) {
        let names = discovery.content.names
        let name = "\(discovery.peer.name ?? "-") (\(names.deviceName ?? "-"), \(names.advertisedName ?? "-"))"
        let octets = discovery.octets
        let count = octets.data.count
        add("discovered \(discovery.peer.identifier.low) \(name) \(count) \(discovery.rssi)")
    }
    func connected(_ peer: PeerRecord) { add("connected \(peer.identifier.low) \(peer.name ?? "-")") }
    func connectionFailed(_ peer: PeerIdentifier, _ failure: ConnectionError) { add("failed \(peer.low) \(failure)") }
    func disconnected(_ peer: PeerIdentifier, _ end: LinkEnd, isReconnecting: Bool) {
        let reason =
            switch end {
            case .cancelled: "cancelled"
            case .failed(let failure): "\(failure)"
            }
        add("disconnected \(peer.low) \(reason)\(isReconnecting ? ", reconnects" : "")")
    }
    func completed(_ operation: GATTOperation, of peer: PeerIdentifier, _ result: Result<GATTResult, GATTError>) {
        let kind =
            switch operation {
            case .read(let handle): "read \(handle)"
            case .write(let handle, _): "write \(handle)"
            case .setNotify(let handle, _, let mode): "notify \(handle) \(mode)"
            default: "operation"
            }
        switch result {
        case .success: add(kind)
        case .failure(let failure): add("\(kind) \(failure)")
        }
    }
    func received(_ value: Span<UInt8>, handle: UInt16, from peer: PeerIdentifier) {
        let count = value.count
        add("received \(handle) \(count)")
    }
    func readyForWriteCommands(to peer: PeerIdentifier) { add("ready \(peer.low)") }
    func servicesChanged(_ range: HandleRange, of peer: PeerIdentifier) { add("changed \(range.start) \(range.end)") }
    func nameChanged(_ name: String?, of peer: PeerIdentifier) { add("named \(name ?? "-")") }
    func channelOpened(_ result: Result<ChannelHandle, ChannelError>, psm: UInt16, of peer: PeerIdentifier) {
        if case .failure(let failure) = result { add("channel \(psm) \(failure)") }
    }
}

/// A central whose host is the test, in virtual time.
struct CentralBench {
    var central: RemoteCentral
    private(set) var now = Instant.zero

    /// - Parameter isOn: Whether the state is powered on.
    init(isOn: Bool = true) {
        central = RemoteCentral(RemoteSnapshot(PlainIdentification()))
        if isOn { central.set(.poweredOn) }
    }

    var snapshot: RemoteSnapshot { central.snapshot }

    static func peer(_ number: UInt64) -> PeerIdentifier { PeerIdentifier(high: 1, low: number) }

    /// Opens a session, and takes the report of the state.
    mutating func open(_ number: Int) -> EventRecorder {
        let recorder = EventRecorder()
        central.open(number, recorder, at: now)
        run(for: .milliseconds(10))
        _ = recorder.take()
        return recorder
    }

    /// Moves the time, and calls the central at its deadlines.
    mutating func run(for span: TimeSpan) {
        let end = now + span
        while let deadline = central.deadline, deadline <= end {
            now = max(now, deadline)
            central.handleTimeout(at: now)
        }
        now = end
    }

    /// The requests since the last call, as words.
    mutating func requests() -> [String] {
        central.takeRequests().map { request in
            switch request {
            case .scan(let isWanted): "scan \(isWanted)"
            case .connect(let peer): "connect \(peer.low)"
            case .disconnect(let peer): "disconnect \(peer.low)"
            case .perform(.read(let handle), _): "read \(handle)"
            case .perform(.write(let handle, _), _): "write \(handle)"
            case .perform(.setNotify(let handle, _, let mode), _): "notify \(handle) \(mode)"
            case .perform: "operation"
            case .write(let value, let handle, _): "command \(handle) \(value.count)"
            case .openChannel(let psm, _): "channel \(psm)"
            case .forget(let peer): "forget \(peer.low)"
            }
        }
    }

    // MARK: Sessions

    mutating func connect(_ session: Int, _ peer: UInt64 = 5, reconnects: Bool = false, after delay: TimeSpan = .zero) {
        let options = ConnectionOptions(startDelay: delay, reconnectsAutomatically: reconnects)
        central.connect(RemoteUse(session: session, peer: Self.peer(peer)), options, at: now)
    }

    mutating func cancel(_ session: Int, _ peer: UInt64 = 5) {
        central.cancel(RemoteUse(session: session, peer: Self.peer(peer)), at: now)
    }

    mutating func submit(_ session: Int, _ operation: GATTOperation, _ peer: UInt64 = 5) {
        central.submit(operation, RemoteUse(session: session, peer: Self.peer(peer)), at: now)
    }

    mutating func notify(_ session: Int, _ handle: UInt16, _ mode: GATTOperation.NotifyMode = .notification) {
        submit(session, .setNotify(valueHandle: handle, end: 99, mode: mode))
    }

    mutating func close(_ session: Int) { central.close(session, at: now) }

    // MARK: The host

    mutating func connected(_ peer: UInt64 = 5, mtu: Int = 100) { central.connected(Self.peer(peer), mtu: mtu) }

    mutating func ended(_ peer: UInt64 = 5, _ failure: ConnectionError = .endedByPeer) {
        central.ended(Self.peer(peer), failure, at: now)
    }

    mutating func finish(_ result: Result<GATTResult, GATTError> = .success(.done), _ peer: UInt64 = 5) {
        central.finished(Self.peer(peer), result, at: now)
    }

    func receive(_ handle: UInt16, _ value: [UInt8] = [1], _ peer: UInt64 = 5) {
        central.received(value.span, handle: handle, from: Self.peer(peer))
    }

    mutating func advertise(_ peer: UInt64, _ data: [UInt8]) {
        central.report(DeviceAddress(kind: .random, value: peer), rssi: -50, data.span)
    }

    /// A link of the sessions.
    mutating func link(_ sessions: [Int]) {
        for session in sessions { connect(session) }
        connected()
        _ = requests()
    }
}
