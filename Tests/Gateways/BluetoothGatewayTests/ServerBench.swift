import BLEAdapter
import BLESecurity
import BLETransport
import BLEWire
import ESPHomeAPI

@testable import BluetoothGateway

/// A server with an adapter, streams and a clock of the test. Everything runs on the thread of the test.
final class ServerBench {
    let scheduler = ManualScheduler()
    let adapter = FakeAdapter()
    let server: GatewayServer
    private(set) var events: [String] = []

    init(slots: Int = 2) throws {
        let configuration = GatewayConfiguration(
            name: "hall", version: "1.2", macAddress: "AC:BC:32:89:0E:A9", slots: slots, key: nil)
        guard let server = GatewayServer(adapter: adapter, configuration: configuration, scheduler: scheduler) else {
            throw TransportError(.system, "The adapter has addresses.")
        }
        self.server = server
        server.onEvent = { [unowned self] event in
            switch event {
            case .clientConnected(let name): events.append("\(name) connected")
            case .clientEnded(let name, let reason): events.append("\(name) ended: \(reason)")
            case .clientRefused(let name): events.append("\(name) refused")
            }
        }
    }

    /// A connection that has not greeted.
    func open(_ name: String = "client") -> TestClient {
        let client = TestClient(FakeStream(name), scheduler)
        server.accept(client.stream)
        return client
    }

    /// A client whose greeting is done, on an adapter that is on.
    func connect(_ name: String = "client") throws -> TestClient {
        let client = open(name)
        try client.connection.greet()
        try client.exchange()
        client.messages = []
        if let session = adapter.centrals.last { session.observer?.adapterStateChanged(.poweredOn) }
        scheduler.run()
        return client
    }

    /// Reports an event to the session of the client that connected last, and lets the server take it.
    func report(_ body: (any CentralObserver) -> Void) {
        if let observer = adapter.centrals.last?.observer { body(observer) }
        scheduler.run()
    }

    /// A client with a link to `peer`, which registered for the values of the handle 3.
    func connectWithLink() throws -> TestClient {
        let client = try connect()
        try client.send(SessionBench.connectRequest)
        report { $0.connected(PeerRecord(identifier: SessionBench.peer, name: nil)) }
        report { $0.completed(.readRSSI, of: SessionBench.peer, .success(.rssi(-50))) }
        try client.send(GATTNotifyRequest(address: SessionBench.address, handle: 3, isEnabled: true))
        client.messages = []
        _ = adapter.centrals.last?.take()
        return client
    }
}

/// A scheduler whose time the test moves.
final class ManualScheduler: SerialScheduler, @unchecked Sendable {
    // `@unchecked Sendable`: used on the thread of the test only.

    private(set) var now = Instant.zero
    private var work: [(time: Instant, body: @Sendable () -> Void)] = []

    var waitingCount: Int { work.count }

    func submit(_ body: @escaping @Sendable () -> Void) { submit(after: .zero, body) }

    func submit(after delay: TimeSpan, _ body: @escaping @Sendable () -> Void) { work.append((now + delay, body)) }

    /// Runs what is due until the end of a span, in order.
    func run(for span: TimeSpan = .zero) {
        let end = now + span
        while let next = work.indices.filter({ work[$0].time <= end }).min(by: { work[$0].time < work[$1].time }) {
            let (time, body) = work.remove(at: next)
            now = max(now, time)
            body()
        }
        now = end
    }
}

final class FakeStream: ByteStream {
    let name: String
    var queuedOctets = 0
    var onReceive: ((Span<UInt8>) -> Void)?
    var onClose: ((StreamError) -> Void)?
    var onDrain: (() -> Void)?
    var onEmpty: (() -> Void)?
    private(set) var isStarted = false
    private(set) var isClosed = false
    /// True and false for each `pause` and `resume`.
    var pauses: [Bool] = []
    var result = StreamSendResult.sent
    var sent: [UInt8] = []
    /// The octets of each call of `send`.
    var portions: [Int] = []

    init(_ name: String) { self.name = name }

    func start() { isStarted = true }

    func send(_ bytes: Span<UInt8>) -> StreamSendResult {
        portions.append(bytes.count)
        if result != .full { sent += [UInt8](bytes) }
        return result
    }

    func pause() { pauses.append(true) }
    func resume() { pauses.append(false) }
    func close() { isClosed = true }
}

/// The other end of a stream.
final class TestClient {
    let stream: FakeStream
    var connection: APIConnection
    var messages: [IncomingMessage] = []
    private let scheduler: ManualScheduler

    init(_ stream: FakeStream, _ scheduler: ManualScheduler) {
        var random = SeededRandom(seed: 1)
        (self.stream, self.scheduler) = (stream, scheduler)
        connection = APIConnection(
            role: .client(information: "test", expectedName: ""), key: nil, ephemeralKey: .init(using: &random),
            at: .zero)
    }

    /// Passes octets until neither end has more.
    func exchange() throws {
        var octets: [UInt8] = []
        while connection.outgoingCount + stream.sent.count > 0 {
            connection.takeOutgoing(&octets)
            if !octets.isEmpty { stream.onReceive?(octets.span) }
            let answer = stream.sent
            stream.sent = []
            connection.receive(answer.span, at: scheduler.now)
            while let message = try connection.next() { messages.append(message) }
        }
    }

    func send(_ message: some APIMessage) throws {
        connection.send(message)
        try exchange()
        scheduler.run()
        try exchange()
    }

    /// The messages of a type since the last call of this function for any type.
    func take<Message: APIMessage>(_ type: Message.Type) throws -> [Message] {
        try exchange()
        defer { messages = [] }
        return try messages.filter { $0.type == Message.type }.map { try $0.decode(Message.self) }
    }

    /// The advertisements of each batch since the last call.
    func takeBatches() throws -> [[[UInt8]]] {
        try exchange()
        defer { messages = [] }
        return try messages.filter { $0.type == AdvertisementBatch.batchType }.map { message in
            var found: [[UInt8]] = []
            try message.withPayload { payload throws(ProtobufError) in
                try AdvertisementBatch.forEach(in: payload) { _, _, data in found.append([UInt8](data)) }
            }
            return found
        }
    }
}

final class FakeAdapter: BluetoothAdapter, PeerIdentification, @unchecked Sendable {
    // `@unchecked Sendable`: used on the thread of the test only.

    var knowsAddresses = true
    private(set) var centrals: [FakeCentral] = []
    private(set) var pairings: [FakePairing] = []
    /// The sessions that were not released.
    var liveCentralCount: Int { liveCentrals.count { $0.session != nil } }
    private var liveCentrals: [Weak] = []

    private struct Weak { weak var session: WeakSession? }

    func openCentral(observer: any CentralObserver) -> any CentralSession {
        let central = FakeCentral(observer)
        centrals.append(central)
        let session = WeakSession(central)
        liveCentrals.append(Weak(session: session))
        return session
    }

    func openPairing(observer: any PairingObserver) -> any PairingSession {
        let pairing = FakePairing(observer)
        pairings.append(pairing)
        return pairing
    }

    func openPeripheral(observer: any PeripheralObserver) -> any PeripheralSession { UnavailableSession() }

    var peerIdentification: (any PeerIdentification)? { knowsAddresses ? self : nil }
    func identifier(for address: DeviceAddress) -> PeerIdentifier { SessionBench.identifier(address) }
    func address(of identifier: PeerIdentifier) -> DeviceAddress? { nil }
}

/// What the commands of a session were.
final class FakeCentral: @unchecked Sendable {
    // `@unchecked Sendable`: used on the thread of the test only.

    enum Command: Equatable {
        case startScan(ScanRequest)
        case stopScan
        case connect(PeerIdentifier, ConnectionOptions)
        case cancelConnection(PeerIdentifier)
        case submit(GATTOperation, PeerIdentifier)
        case write([UInt8], handle: UInt16, PeerIdentifier)
    }

    private(set) weak var observer: (any CentralObserver)?
    var commands: [Command] = []
    var hasRoom = true
    var mtu: Int? = 247

    init(_ observer: any CentralObserver) { self.observer = observer }

    func take() -> [Command] {
        defer { commands = [] }
        return commands
    }
}

/// The session that the server has; its release ends it.
private final class WeakSession: CentralSession {
    private let central: FakeCentral

    init(_ central: FakeCentral) { self.central = central }

    func startScan(_ scan: ScanRequest) { central.commands.append(.startScan(scan)) }
    func stopScan() { central.commands.append(.stopScan) }
    func connect(_ peer: PeerIdentifier, options: ConnectionOptions) {
        central.commands.append(.connect(peer, options))
    }
    func cancelConnection(_ peer: PeerIdentifier) { central.commands.append(.cancelConnection(peer)) }
    func submit(_ operation: GATTOperation, to peer: PeerIdentifier) {
        central.commands.append(.submit(operation, peer))
    }
    func writeCommand(_ value: Span<UInt8>, handle: UInt16, to peer: PeerIdentifier) -> Bool {
        central.commands.append(.write([UInt8](value), handle: handle, peer))
        return central.hasRoom
    }
    func canWriteCommand(to peer: PeerIdentifier) -> Bool { central.hasRoom }
    func knownPeers(_ identifiers: [PeerIdentifier]) -> [PeerRecord] { [] }
    func connectedPeers(services: [BluetoothUUID]) -> [PeerRecord] { [] }
    func maximumTransmissionUnit(of peer: PeerIdentifier) -> Int? { central.mtu }
    func openChannel(psm: UInt16, to peer: PeerIdentifier) {}
}

final class FakePairing: PairingSession, @unchecked Sendable {
    // `@unchecked Sendable`: used on the thread of the test only.

    private(set) weak var observer: (any PairingObserver)?
    private(set) var pairs: [(peer: PeerIdentifier, minimum: LinkSecurity.Level)] = []
    private(set) var unpaired: [PeerIdentifier] = []

    init(_ observer: any PairingObserver) { self.observer = observer }

    func pair(_ peer: PeerIdentifier, minimum: LinkSecurity.Level) { pairs.append((peer, minimum)) }
    func unpair(_ peer: PeerIdentifier) { unpaired.append(peer) }
    func setAgent(_ agent: PairingAgentCapability?) {}
    func setPolicy(_ policy: PairingPolicy) {}
    func cancelPairing(with peer: PeerIdentifier) {}
    func answer(_ question: PairingQuestionNumber, _ answer: AgentAnswer) {}
    func makeOutOfBandData(
        _ kind: OutOfBandBlock.Kind, completion: @escaping @Sendable (OutOfBandBlock?) -> Void
    ) {}
    func setOutOfBandData(_ block: OutOfBandBlock?, of peer: PeerIdentifier?) {}
    var bonds: [BondRecord] { [] }
}
