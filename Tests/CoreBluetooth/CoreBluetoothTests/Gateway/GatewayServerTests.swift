import BLEAdapter
import BLESimulator
import BLETransport
import BLEWire
import BluetoothGateway
import ESPHomeAPI
import NoiseChannel
import Testing

/// A client of the protocol without an adapter. Everything happens on the scheduler.
private final class RawClient: @unchecked Sendable {
    let messages = Locked<[APIMessageType]>([])
    let end = Locked<String?>(nil)
    private let stream: MemoryStream
    private var connection: APIConnection

    init(_ stream: MemoryStream, key: PreSharedKey?, at now: Instant) {
        var random = SeededRandom(seed: 1)
        self.stream = stream
        connection = APIConnection(
            role: .client(information: "raw", expectedName: ""), key: key, ephemeralKey: .init(using: &random), at: now)
        stream.onReceive = { [weak self] octets in self?.receive(octets, at: now) }
        stream.onClose = { [end] reason in end { $0 = "\(reason)" } }
        stream.start()
    }

    func greet() {
        try? connection.greet()
        flush()
    }

    func send(_ message: some APIMessage) {
        connection.send(message)
        flush()
    }

    func send(_ octets: [UInt8]) { _ = stream.send(octets.span) }
    func close() { stream.close() }
    func pause() { stream.pause() }

    private func receive(_ octets: Span<UInt8>, at now: Instant) {
        connection.receive(octets, at: now)
        while let message = try? connection.next() { messages { $0.append(message.type) } }
        flush()
    }

    private func flush() {
        var octets: [UInt8] = []
        connection.takeOutgoing(&octets)
        if !octets.isEmpty { _ = stream.send(octets.span) }
    }
}

@Suite struct GatewayServerTests {
    private let world = World(seed: 1)

    /// Opens connections, and greets with them if asked to.
    private func open(
        _ count: Int, to gateway: GatewayRoom, from host: (@Sendable (Int) -> String)? = nil, greets: Bool
    ) async -> [RawClient] {
        let clients = Locked<[RawClient]>([])
        gateway.scheduler.submit { [scheduler = gateway.scheduler] in
            for number in 0..<count {
                guard let stream = gateway.open(from: host?(number)) else { continue }
                let client = RawClient(stream, key: GatewayRoom.key, at: scheduler.now)
                if greets { client.greet() }
                clients { $0.append(client) }
            }
        }
        await world.run(for: .milliseconds(100))
        return clients.value
    }

    @Test func silentStrangersLockNoClientOut() async throws {
        let gateway = GatewayRoom(world)
        let strangers = await open(200, to: gateway, greets: false)
        #expect(await gateway.read { $0.strangerCount } == GatewayServer.strangerLimit)
        #expect(strangers.count { $0.end.value == nil } == GatewayServer.strangerLimit, "the oldest are displaced")
        #expect(strangers.suffix(GatewayServer.strangerLimit).allSatisfy { $0.end.value == nil })
        let clients = await open(GatewayServer.clientLimit, to: gateway, greets: true)
        #expect(await gateway.read { $0.clientCount } == GatewayServer.clientLimit)
        #expect(clients.allSatisfy { $0.messages.value.contains(DeviceInfoResponse.type) })
        let more = await open(300, to: gateway, greets: false)
        #expect(await gateway.read { $0.clientCount } == GatewayServer.clientLimit, "strangers displace no client")
        #expect(clients.allSatisfy { $0.end.value == nil })
        await world.run(for: .seconds(16))
        #expect(await gateway.read { $0.strangerCount } == 0, "a stranger has 15 s")
        withExtendedLifetime(more) {}
    }

    /// The addresses of an IPv6 network count as one machine.
    @Test(arguments: ["192.0.2.7", "2001:db8:0:1::7"]) func aFloodFromOneMachineDisplacesItself(host: String)
        async throws
    {
        let gateway = GatewayRoom(world)
        let slow = await open(1, to: gateway, from: { _ in host }, greets: false)
        let flood = await open(
            100, to: gateway, from: { "2001:db8:0:2::\(String($0, radix: 16))" }, greets: false)
        #expect(await gateway.read { $0.strangerCount } == GatewayServer.strangerLimit)
        #expect(flood.count { $0.end.value == nil } == GatewayServer.strangerLimit - 1)
        gateway.scheduler.submit { slow[0].greet() }
        await world.run(for: .milliseconds(100))
        #expect(slow[0].end.value == nil && slow[0].messages.value.contains(DeviceInfoResponse.type))
        #expect(gateway.ended.value.isEmpty, "strangers cause no events")
        gateway.scheduler.submit { slow[0].close() }
        await world.run(for: .milliseconds(100))
        #expect(gateway.ended.value.count == 1)
    }

    @Test func aClientTooManyIsToldApart() async throws {
        let gateway = GatewayRoom(world)
        let clients = await open(GatewayServer.clientLimit, to: gateway, greets: true)
        let late = await open(1, to: gateway, greets: true)
        #expect(late[0].end.value != nil)
        #expect(gateway.refusedCount.value == 1 && gateway.ended.value.isEmpty)
        gateway.scheduler.submit { clients[0].close() }
        await world.run(for: .seconds(1))
        let next = await open(1, to: gateway, greets: true)
        #expect(next[0].end.value == nil && next[0].messages.value.contains(DeviceInfoResponse.type))
    }

    @Test func aStrangerUsesNothingOfTheAdapter() async throws {
        let gateway = GatewayRoom(world, key: nil)
        let clients = await open(1, to: gateway, greets: false)
        // A plaintext frame: a subscription to advertisements, before the greeting.
        gateway.scheduler.submit { clients[0].send([0, 0, 66]) }
        await world.run(for: .seconds(1))
        #expect(clients[0].end.value != nil)
        #expect(await gateway.read { $0.strangerCount } == 0)
        #expect(gateway.ended.value.isEmpty)
    }

    @Test func theSixteenSecondsOfAClientThatGreetedDoNotEndIt() async throws {
        let gateway = GatewayRoom(world)
        let clients = await open(2, to: gateway, greets: true)
        await world.run(for: .seconds(59))
        #expect(clients.allSatisfy { $0.end.value == nil })
        #expect(await gateway.read { $0.clientCount } == 2)
    }

    @Test func aClientThatReadsSlowlyLosesAdvertisementsAndKeepsItsConnection() async throws {
        let gateway = GatewayRoom(world)
        let gadgets = (0..<20).map { number in world.addDevice("G\(number)").run { Gadget(name: "G\(number)") } }
        let clients = await open(1, to: gateway, greets: true)
        gateway.scheduler.submit { clients[0].send(SubscribeAdvertisementsRequest(flags: 1)) }
        await world.run(for: .seconds(2))
        gateway.scheduler.submit { clients[0].pause() }
        // 20 devices fill the backlog of 256 KiB in some 20 seconds.
        for _ in 0..<60 where await gateway.read({ $0.counts.droppedAdvertisements }) == 0 {
            await world.run(for: .seconds(1))
        }
        #expect(await gateway.read { $0.counts.droppedAdvertisements > 0 } == true)
        // A full backlog does not need advertisements to stay full.
        for gadget in gadgets { gadget.manager.stopAdvertising() }
        await world.run(for: .seconds(120))
        #expect(clients[0].end.value == nil)
    }
}
