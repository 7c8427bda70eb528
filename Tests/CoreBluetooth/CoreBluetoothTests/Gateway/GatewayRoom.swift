import BLEAdapter
import BLEGatewayAdapter
import BLEStore
import BLETransport
import BLEVirtualRadio
import BLEWire
import BluetoothGateway
import NoiseChannel
import Testing

@testable import BLESimulator

/// A gateway in a world, and the network between it and its clients, in virtual time.
final class GatewayRoom: GatewayNetwork, @unchecked Sendable {
    static let key = PreSharedKey(octets: Array(1...32))!

    let device: VirtualDevice
    let scheduler: VirtualTimeScheduler
    let server: GatewayServer
    let ended = Locked<[String]>([])
    let refusedCount = Locked(0)
    private let world: World
    private struct State {
        var isAway = false
        var count = 0
        var streams: [MemoryStream] = []
    }
    private let content = Locked(State())

    init(_ world: World, slots: Int = 3, key: PreSharedKey? = GatewayRoom.key, at position: Position = Position(x: 1)) {
        self.world = world
        device = world.addDevice("Gateway", at: position)
        scheduler = VirtualTimeScheduler(world.radio)
        let configuration = GatewayConfiguration(
            name: "hall", version: "1", macAddress: "02:00:00:00:00:01", slots: slots, key: key)
        server = GatewayServer(adapter: device.adapter, configuration: configuration, scheduler: scheduler)!
        let (ended, refusedCount) = (ended, refusedCount)
        scheduler.submit { [server] in
            server.onEvent = { event in
                switch event {
                case .clientConnected: break
                case .clientEnded(_, let reason): ended { $0.append(reason) }
                case .clientRefused: refusedCount { $0 += 1 }
                }
            }
        }
    }

    var description: String { "the hall" }

    /// An adapter of another machine, with a memory of its own.
    func adapter(key: PreSharedKey? = GatewayRoom.key) -> GatewayAdapter {
        var random = SeededRandom(seed: 99)
        return GatewayAdapter(
            self, key: key, identification: DeviceStore(key: StoreKey(using: &random)), scheduler: scheduler,
            callbacks: device.adapter.callbackScheduler)
    }

    func connect(_ completion: @escaping @Sendable (Result<any ByteStream, TransportError>) -> Void) {
        scheduler.submit { [self] in
            guard let stream = open() else {
                return completion(.failure(TransportError(.refused, "The network is away.")))
            }
            completion(.success(stream))
        }
    }

    /// A connection of a client; nil while the network is away. Used on the scheduler.
    ///
    /// - Parameter host: The numeric address of the client's machine.
    func open(from host: String? = nil) -> MemoryStream? {
        let name: String? = content { content in
            content.count += 1
            guard !content.isAway else { return nil }
            return host.map { TransportAddress.tcp(host: $0, port: UInt16(1000 + content.count)).description }
                ?? "client \(content.count)"
        }
        guard let name else { return nil }
        let (client, gateway) = MemoryStream.pair((name, "gateway"), on: scheduler)
        content { $0.streams.append(client) }
        server.accept(gateway)
        return client
    }

    /// The connections that clients tried.
    var attempts: Int { content.value.count }

    /// Takes the network away, or brings it back. Its connections break.
    func setAway(_ isAway: Bool) {
        let streams = content { content in
            content.isAway = isAway
            defer { content.streams = [] }
            return content.streams
        }
        scheduler.submit { for stream in streams { stream.cut() } }
    }

    /// Lets octets in both directions disappear from now on, without an end of a connection.
    func loseOctets() {
        let streams = content.value.streams
        scheduler.submit { for stream in streams { stream.losesOctets = true } }
    }

    /// Reads a value on the scheduler, while time stands still.
    func read<Value: Sendable>(_ body: @escaping @Sendable (GatewayServer) -> Value) async -> Value? {
        let result = Locked<Value?>(nil)
        scheduler.submit { [server] in
            let value = body(server)
            result { $0 = value }
        }
        await world.run(timeout: .seconds(1)) { result.value != nil }
        return result.value
    }
}

/// How the phones of scenes reach the air.
enum PhonePath {
    /// Whether phones use the radio of their device over a gateway's protocol.
    @TaskLocal static var isOverGateway = false
    /// The device of a scene whose program is behind the bluetoothd of this machine, which has a controller of the world.
    @TaskLocal static var daemon: DaemonRoom.Place?
    /// The code of a link that is lost. A bluetoothd before 5.83 gives no reasons, and such an end counts as one by the device.
    static var lossCode: Int { daemon == .phone ? 7 : 6 }
}
