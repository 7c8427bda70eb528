import BLEAdapter
import BLEGatewayAdapter
import BLEStore
import BLETransport
import BLEVirtualRadio
import BLEWire
import ESPHomeAPI
import NoiseChannel

@testable import BLESimulator

/// A gateway whose answers the test chooses, in virtual time.
final class ScriptedGateway: GatewayNetwork, @unchecked Sendable {
    let world: World
    let scheduler: VirtualTimeScheduler
    let adapter = Locked<GatewayAdapter?>(nil)
    /// The requests of the adapter, as words.
    let requests = Locked<[String]>([])
    /// The same requests.
    let messages = Locked<[IncomingMessage]>([])
    /// The octets that came last.
    let lastOctets = Locked<[UInt8]>([])
    /// What the gateway says that it can do.
    let features = Locked<BluetoothFeatures>([.activeConnections, .remoteCaching, .rawAdvertisements, .pairing])
    /// The key of the gateway; nil for none.
    let key = Locked<PreSharedKey?>(nil)
    /// The ends of connections that the gateway saw.
    let ends = Locked(0)
    /// Whether the gateway accepts connections of the network.
    let isAway = Locked(false)
    /// The times of the attempts to connect, in seconds.
    let attempts = Locked<[Int]>([])
    /// Answers a request for a link or for its end.
    let onDevice = Locked<(@Sendable (ScriptedGateway, DeviceRequest) -> Void)?>(nil)
    private var stream: MemoryStream?
    /// The end that the adapter has. A network may keep its streams, so their release ends nothing.
    private var clientStream: MemoryStream?
    private var connection: APIConnection?

    init(seed: UInt64) {
        world = World(seed: seed)
        scheduler = VirtualTimeScheduler(world.radio)
    }

    var description: String { "the test" }

    /// The adapter of the program.
    func makeAdapter(key: PreSharedKey? = nil) -> GatewayAdapter {
        var random = SeededRandom(seed: 99)
        return GatewayAdapter(
            self, key: key, identification: DeviceStore(key: StoreKey(using: &random)), scheduler: scheduler)
    }

    func connect(_ completion: @escaping @Sendable (Result<any ByteStream, TransportError>) -> Void) {
        scheduler.submit { [self] in
            attempts { $0.append(Int(scheduler.now.nanoseconds / 1_000_000_000)) }
            guard !isAway.value else {
                return completion(.failure(TransportError(.refused, "The network is away.")))
            }
            let (client, gateway) = MemoryStream.pair(("client", "gateway"), on: scheduler)
            var random = SeededRandom(seed: 5)
            let information = DeviceInfoResponse(
                name: "hall", macAddress: "02:00:00:00:00:01", version: "1", model: "m", projectName: "p",
                projectVersion: "1", manufacturer: "o", friendlyName: "hall",
                bluetoothFeatures: features.value.rawValue,
                bluetoothMACAddress: "02:00:00:00:00:01")
            connection = APIConnection(
                role: .server(information), key: key.value, ephemeralKey: EphemeralKey(using: &random),
                at: scheduler.now)
            (stream, clientStream) = (gateway, client)
            gateway.onReceive = { [unowned self] octets in receive(octets) }
            gateway.onClose = { [ends] _ in ends { $0 += 1 } }
            gateway.start()
            completion(.success(client))
        }
    }

    private func receive(_ octets: Span<UInt8>) {
        let all = [UInt8](octets)
        lastOctets { $0 = all }
        connection?.receive(octets, at: scheduler.now)
        while let message = (try? connection?.next()) ?? nil { handle(message) }
        flush()
    }

    private func handle(_ message: IncomingMessage) {
        messages { $0.append(message) }
        guard message.type == DeviceRequest.type, let request = try? message.decode(DeviceRequest.self) else {
            return requests { $0.append("message \(message.type.rawValue)") }
        }
        requests { $0.append("device \(request.kind)") }
        onDevice.value?(self, request)
    }

    /// Sends a message to the adapter. Call it on the scheduler, or within `onDevice`.
    func send(_ message: some APIMessage) {
        connection?.send(message)
        flush()
    }

    /// Sends a message to the adapter at this moment.
    func tell(_ message: some APIMessage) { scheduler.submit { [self] in send(message) } }

    /// Sends octets that need be no message. Call it on the scheduler.
    func sendOctets(_ octets: [UInt8]) { _ = stream?.send(octets.span) }

    /// The requests of a type since the last call for it.
    func take<Message: APIMessage>(_ type: Message.Type) -> [Message] {
        messages { messages in
            let found = messages.filter { $0.type == Message.type }.compactMap { try? $0.decode(Message.self) }
            messages.removeAll { $0.type == Message.type }
            return found
        }
    }

    /// Sends an advertisement. Call it on the scheduler.
    func sendAdvertisement(_ address: UInt64, _ data: [UInt8]) {
        connection?.send(AdvertisementBatch.batchType) { writer in
            AdvertisementBatch.append(
                address: DeviceAddress(kind: .random, value: address), rssi: -50, data: data.span, scanResponse: Span(),
                to: &writer)
        }
        flush()
    }

    private func flush() {
        var octets: [UInt8] = []
        connection?.takeOutgoing(&octets)
        if !octets.isEmpty { _ = stream?.send(octets.span) }
    }

    /// Lets the octets of the gateway disappear from now on, without an end of the connection.
    func loseOctets() { scheduler.submit { [self] in stream?.losesOctets = true } }

    /// Breaks the connection.
    func cut() { scheduler.submit { [self] in stream?.cut() } }
}

/// What a session is told, as words.
final class LinkRecorder: CentralObserver {
    let events = Locked<[String]>([])

    func adapterStateChanged(_ state: AdapterState) { events { $0.append("state \(state)") } }
    func discovered(_ discovery: Discovery) { events { $0.append("discovered") } }
    func connected(_ peer: PeerRecord) { events { $0.append("connected") } }
    func connectionFailed(_ peer: PeerIdentifier, _ failure: ConnectionError) {
        events { $0.append("failed \(failure)") }
    }
    func disconnected(_ peer: PeerIdentifier, _ end: LinkEnd, isReconnecting: Bool) {
        let reason =
            switch end {
            case .cancelled: "cancelled"
            case .failed(let failure): "failed \(failure)"
            }
        events { $0.append("disconnected \(reason) \(isReconnecting)") }
    }
    func completed(_ operation: GATTOperation, of peer: PeerIdentifier, _ result: Result<GATTResult, GATTError>) {
        events { $0.append("completed") }
    }
    func received(_ value: Span<UInt8>, handle: UInt16, from peer: PeerIdentifier) {
        let count = value.count
        events { $0.append("value \(count)") }
    }
    func readyForWriteCommands(to peer: PeerIdentifier) { events { $0.append("ready") } }
    func servicesChanged(_ range: HandleRange, of peer: PeerIdentifier) {}
    func nameChanged(_ name: String?, of peer: PeerIdentifier) {}
}
