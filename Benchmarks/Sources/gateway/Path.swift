import BLEAdapter
import BLEGatewayAdapter
import BLETransport
import BLEWire
import BluetoothGateway

/// A scheduler that runs its calls when it is told to, on one thread.
final class StepScheduler: SerialScheduler, @unchecked Sendable {
    private var calls: [@Sendable () -> Void] = []
    private var later: [@Sendable () -> Void] = []
    var now = Instant.zero

    func submit(_ body: @escaping @Sendable () -> Void) { calls.append(body) }
    func submit(after delay: TimeSpan, _ body: @escaping @Sendable () -> Void) { later.append(body) }

    func run() {
        while !calls.isEmpty {
            let current = calls
            calls.removeAll(keepingCapacity: true)
            for call in current { call() }
        }
    }

    /// Runs the delayed calls once.
    func runLater() {
        let current = later
        later = []
        for call in current { call() }
        run()
    }
}

/// The way of an event from the gateway's adapter to the program's observer, with Noise, in one thread and without sockets.
final class Path: GatewayNetwork, @unchecked Sendable {
    let scheduler = StepScheduler()
    let client: Client
    private let feeding = FeedingAdapter(rate: 0)
    private let server: GatewayServer
    private var adapter: GatewayAdapter?
    private let event: (any CentralObserver, Int) -> Void
    private var number = 0

    /// The events of a round: they arrive together, as in one packet of a controller.
    static let burst = 8

    init(_ work: Client.Work) {
        client = Client(work, capacity: 16)
        event = work == .advertisements ? { Event.advertise($0, $1) } : { Event.notify($0, $1) }
        server = GatewayServer(
            adapter: feeding,
            configuration: GatewayConfiguration(
                name: "hall", version: "1", macAddress: "02:00:00:00:00:01", slots: 3, key: Client.key),
            scheduler: scheduler)!
        let adapter = GatewayAdapter(self, key: Client.key, identification: feeding, scheduler: scheduler)
        self.adapter = adapter
        client.open(adapter)
        scheduler.run()
        scheduler.runLater()
        scheduler.run()
    }

    var description: String { "the gateway" }

    func connect(_ completion: @escaping @Sendable (Result<any ByteStream, TransportError>) -> Void) {
        let (client, gateway) = MemoryStream.pair(("client", "gateway"), on: scheduler)
        server.accept(gateway)
        completion(.success(client))
    }

    func round() {
        guard let observer = feeding.observer else { return }
        for _ in 0..<Self.burst {
            event(observer, number)
            number += 1
        }
        scheduler.run()
        client.forget()
    }
}
