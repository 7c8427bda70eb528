import BLEAdapter
import BLETransport
import BLEWire
import ESPHomeAPI
import NoiseChannel

@testable import BLEGatewayAdapter
@testable import BluetoothGateway

/// ESPHome's native API: octets of a stream for both ends, with and without Noise; messages of a hostile client for a session of the
/// gateway, with events of its adapter; and messages of a hostile gateway for the adapter over it.
enum GatewayTarget {
    private static let key = PreSharedKey(octets: [UInt8](repeating: 1, count: 32))
    private static let address: UInt64 = 0xC0FF_EE00_0001

    static func run(_ input: inout Input) {
        let what = input.octet()
        let key = what & 0x80 == 0 ? nil : Self.key
        switch what % 4 {
        case 0: checkStream(&input, key)
        case 1: checkSession(&input, key)
        case 2: checkAdapter(&input, key)
        default: checkMessages(&input)
        }
    }

    private static func connection(isServer: Bool, _ key: PreSharedKey?) -> APIConnection {
        var random = SeededRandom(seed: isServer ? 1 : 2)
        let role: APIConnection.Role =
            isServer
            ? .server(DeviceInfoResponse(name: "hall", macAddress: "02:00:00:00:00:01", bluetoothFeatures: 127))
            : .client(information: "fuzz", expectedName: "")
        return APIConnection(role: role, key: key, ephemeralKey: EphemeralKey(using: &random), at: .zero)
    }

    /// Passes octets between two ends. Returns the messages for the owner of the client.
    private static func exchange(_ one: inout APIConnection, _ other: inout APIConnection) -> [IncomingMessage] {
        var octets: [UInt8] = []
        var messages: [IncomingMessage] = []
        for _ in 0..<8 {
            one.takeOutgoing(&octets)
            other.receive(octets.span, at: .zero)
            while let message = try? other.next() { messages.append(message) }
            other.takeOutgoing(&octets)
            one.receive(octets.span, at: .zero)
            while let message = try? one.next() { messages.append(message) }
        }
        return messages
    }

    // MARK: Streams

    private static func checkStream(_ input: inout Input, _ key: PreSharedKey?) {
        var (server, client) = (connection(isServer: true, key), connection(isServer: false, key))
        try? client.greet()
        if input.octet() & 1 == 0 { _ = exchange(&client, &server) }
        while !input.isAtEnd {
            let octets = input.block()
            server.receive(octets.span, at: .zero)
            client.receive(octets.span, at: .zero)
            drain(&server)
            drain(&client)
        }
    }

    private static func drain(_ connection: inout APIConnection) {
        let wasClosed = connection.isClosed
        do {
            while let message = try connection.next() {
                require(!wasClosed, "a closed connection returns a message")
                _ = message.withPayload { $0.count }
            }
        } catch {
            require(connection.isClosed, "a connection that failed is open")
        }
        var octets: [UInt8] = []
        connection.takeOutgoing(&octets)
        require(octets.count < 1 << 20, "\(octets.count) octets in answer to 512")
    }

    // MARK: A session of the gateway

    private static func checkSession(_ input: inout Input, _ key: PreSharedKey?) {
        var client = connection(isServer: false, key)
        var session = GatewaySession(
            connection: connection(isServer: true, key), slots: ConnectionSlots(limit: 3),
            identify: { PeerIdentifier(high: UInt64($0.kind.rawValue), low: $0.value) })
        try? client.greet()
        _ = exchange(&client, &session.connection)
        let peer = PeerIdentifier(high: 1, low: address)
        var now = Instant.zero
        var steps = 0
        while !input.isAtEnd, steps < 200, !session.connection.isClosed {
            steps += 1
            let what = input.octet()
            switch what % 8 {
            case 0: session.adapterStateChanged(what & 0x40 == 0 ? .poweredOn : .resetting)
            case 1: session.connected(peer)
            case 2: session.disconnected(peer, .failed(.supervisionTimeout))
            case 3: session.completed(peer, result(&input), mtu: 247)
            case 4:
                now = now + .seconds(Int(what))
                session.handleTimeout(at: now)
                require(session.deadline.map { $0 > now } ?? true, "a deadline repeats at one instant")
            case 5: send(known(&input), to: &session, from: &client, at: now)
            default: send((input.number16(), input.block()), to: &session, from: &client, at: now)
            }
            session.commands = []
            require(session.linkCount <= 3, "\(session.linkCount) links of 3 slots")
            var octets: [UInt8] = []
            session.connection.takeOutgoing(&octets)
        }
    }

    private static func send(
        _ message: (UInt16, [UInt8]), to session: inout GatewaySession, from client: inout APIConnection,
        at now: Instant
    ) {
        client.send(APIMessageType(rawValue: message.0)) { $0.octets = message.1 }
        var octets: [UInt8] = []
        client.takeOutgoing(&octets)
        session.connection.receive(octets.span, at: now)
        while let message = try? session.connection.next() {
            guard (try? session.handle(message, at: now)) != nil else { return }
        }
    }

    /// A request that decodes, about the device of the test.
    private static func known(_ input: inout Input) -> (UInt16, [UInt8]) {
        let handle = UInt32(input.octet())
        func message<Message: APIMessage>(_ value: Message) -> (UInt16, [UInt8]) {
            (Message.type.rawValue, value.encoded)
        }
        switch input.octet() % 7 {
        case 0: return message(DeviceRequest(address: address, kind: handle % 8, hasAddressType: true, addressType: 1))
        case 1: return message(GATTReadRequest(address: address, handle: handle))
        case 2: return message(GATTGetServicesRequest(address: address))
        case 3: return message(GATTNotifyRequest(address: address, handle: handle, isEnabled: true))
        case 4: return message(GATTWriteDescriptorRequest(address: address, handle: handle, data: [1, 0]))
        case 5: return message(SubscribeAdvertisementsRequest(flags: 1))
        default: return message(GATTWriteRequest(address: address, handle: handle, needsResponse: true, data: [1]))
        }
    }

    private static func result(_ input: inout Input) -> Result<GATTResult, GATTError> {
        let start = UInt16(input.octet())
        let range = HandleRange(start: start, end: max(start, input.number16()))
        let uuid = BluetoothUUID(input.number16())
        switch input.octet() % 6 {
        case 0: return .failure(.attribute(input.octet()))
        case 1: return .success(.value(input.block()))
        case 2: return .success(.services([DiscoveredService(uuid: uuid, range: range, isPrimary: true)]))
        case 3:
            return .success(
                .characteristics([
                    DiscoveredCharacteristic(
                        uuid: uuid, properties: 16, declarationHandle: start, valueHandle: range.end, end: range.end)
                ]))
        case 4: return .success(.descriptors([DiscoveredDescriptor(uuid: uuid, handle: start)]))
        default: return .success(.done)
        }
    }

    // MARK: The adapter over a gateway

    private static func checkAdapter(_ input: inout Input, _ key: PreSharedKey?) {
        let scheduler = FuzzScheduler()
        let network = FuzzNetwork(scheduler)
        let observer = FuzzObserver()
        let adapter = GatewayAdapter(network, key: key, identification: FuzzIdentification(), scheduler: scheduler)
        let session = adapter.openCentral(observer: observer)
        scheduler.run()
        guard let stream = network.stream else { fatalError("the adapter does not connect") }
        var server = connection(isServer: true, key)
        var received: [UInt8] = []
        stream.onReceive = { octets in octets.withUnsafeBufferPointer { received.append(contentsOf: $0) } }
        stream.start()
        func pass() {
            scheduler.run()
            server.receive(received.span, at: scheduler.now)
            received = []
            while (try? server.next()) != nil {}
            var octets: [UInt8] = []
            server.takeOutgoing(&octets)
            if !octets.isEmpty { _ = stream.send(octets.span) }
            scheduler.run()
        }
        for _ in 0..<4 { pass() }
        scheduler.runLater()
        let peer = PeerIdentifier(high: 1, low: address)
        session.startScan(ScanRequest(allowDuplicates: true))
        session.connect(peer, options: ConnectionOptions())
        pass()
        var steps = 0
        while !input.isAtEnd, steps < 100 {
            steps += 1
            let what = input.octet()
            switch what % 8 {
            case 0: session.submit(.discoverServices(nil), to: peer)
            case 1: session.submit(.read(handle: UInt16(what)), to: peer)
            case 2: session.submit(.setNotify(valueHandle: UInt16(what), end: 0xFFFF, mode: .notification), to: peer)
            case 3: session.cancelConnection(peer)
            case 4: session.connect(peer, options: ConnectionOptions(reconnectsAutomatically: what & 0x40 != 0))
            case 5:
                scheduler.now = scheduler.now + .seconds(Int(what))
                scheduler.runLater()
            case 6:
                server.send(
                    DeviceConnectionResponse(address: address, isConnected: what & 0x40 != 0, mtu: 247, error: 0x3E))
            default:
                let (type, octets) = (input.number16(), input.block())
                server.send(APIMessageType(rawValue: type)) { $0.octets = octets }
            }
            pass()
            require(adapter.links.count <= 1 && adapter.peers.count <= 1, "more links than devices")
        }
        withExtendedLifetime(session) {}
    }

    // MARK: Messages

    /// What decodes has to encode, and to decode again to the same message.
    private static func checkMessages(_ input: inout Input) {
        let kinds: [any APIMessage.Type] = [
            HelloRequest.self, DeviceInfoResponse.self, DeviceRequest.self, DeviceConnectionResponse.self,
            GATTGetServicesResponse.self, GATTReadResponse.self, GATTWriteRequest.self, GATTNotifyDataResponse.self,
            ConnectionsFreeResponse.self, GATTErrorResponse.self, DevicePairingResponse.self,
        ]
        let kind = input.one(of: kinds)
        check(kind, input.rest())
    }

    private static func check<Message: APIMessage>(_ kind: Message.Type, _ octets: [UInt8]) {
        guard let message = try? Message(decoding: octets.span) else { return }
        let encoded = message.encoded
        guard let again = try? Message(decoding: encoded.span) else { fatalError("\(kind) does not decode again") }
        require(again == message, "\(kind) has two forms")
    }
}

/// Runs calls when it is told to.
private final class FuzzScheduler: SerialScheduler, @unchecked Sendable {
    private var calls: [@Sendable () -> Void] = []
    private var later: [@Sendable () -> Void] = []
    var now = Instant.zero

    func submit(_ body: @escaping @Sendable () -> Void) { calls.append(body) }
    func submit(after delay: TimeSpan, _ body: @escaping @Sendable () -> Void) { later.append(body) }

    func run() {
        for _ in 0..<1000 where !calls.isEmpty { calls.removeFirst()() }
        require(calls.isEmpty, "calls never end")
    }

    func runLater() {
        let current = later
        later = []
        for call in current { call() }
        run()
    }
}

private final class FuzzNetwork: GatewayNetwork, @unchecked Sendable {
    private let scheduler: FuzzScheduler
    var stream: MemoryStream?

    init(_ scheduler: FuzzScheduler) { self.scheduler = scheduler }

    var description: String { "the gateway" }

    /// The first connection is the only one.
    func connect(_ completion: @escaping @Sendable (Result<any ByteStream, TransportError>) -> Void) {
        guard stream == nil else { return completion(.failure(TransportError(.refused, "refused"))) }
        let (client, gateway) = MemoryStream.pair(("client", "gateway"), on: scheduler)
        stream = gateway
        completion(.success(client))
    }
}

private struct FuzzIdentification: PeerIdentification {
    func identifier(for address: DeviceAddress) -> PeerIdentifier {
        PeerIdentifier(high: UInt64(address.kind.rawValue), low: address.value)
    }
    func address(of identifier: PeerIdentifier) -> DeviceAddress? {
        DeviceAddress(kind: identifier.high == 0 ? .public : .random, value: identifier.low)
    }
}

private final class FuzzObserver: CentralObserver {
    func adapterStateChanged(_ state: AdapterState) {}
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
