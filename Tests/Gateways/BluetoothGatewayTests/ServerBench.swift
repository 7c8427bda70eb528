import BLEAdapter
import BLESecurity
import BLETransport
import BLEWire
import ESPHomeAPI
import TestDoubles

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
