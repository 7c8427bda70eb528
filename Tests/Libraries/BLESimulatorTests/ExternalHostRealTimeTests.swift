import BLEAdapter
import BLEHost
import BLEHostAdapter
import BLERuntime
import BLESimulator
import BLEStore
import BLETransport
import BLEWire
import Foundation
import Testing

/// External hosts on virtual controllers of a world, over real sockets and in (hurried) real time.
final class ExternalHostRealTimeTests {
    /// In /tmp, whatever the environment: the path of a socket must be short.
    private let folder = "/tmp/ocb-external-\(UUID().uuidString.prefix(8))"

    init() throws { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    private func address(_ name: String) -> String { "unix:" + folder + "/" + name }

    /// A program whose controller is behind a socket.
    private func externalHost(_ address: String, in world: World) throws -> TestCentral {
        var configuration = HostConfiguration()
        configuration.commandTimeout = .seconds(5)
        let adapter = try ControllerSupervisor.adapter(
            for: SocketControllerSource(try TransportAddress(parsing: address)), seed: 1, configuration: configuration,
            store: DeviceStore(key: StoreKey(high: 1, low: 2)))
        return TestCentral(adapter, in: world)
    }

    @Test func anExternalHostConnectsToADeviceOfTheWorld() async throws {
        let world = World(seed: 1, pace: .multiple(8))
        let server = try world.serve(at: address("talk"))
        let band = TestPeripheral(world.addDevice("wristband", at: Position(x: 1)), in: world)
        try await band.publish("band")
        let central = try externalHost(server.address, in: world)
        try await central.poweredOn()
        let peer = try await central.find("band")
        try await central.connect(peer)
        let handle = try await central.characteristics(of: TestPeripheral.service, on: peer)[1].valueHandle
        let value = (0..<300).map { UInt8(truncatingIfNeeded: $0) }
        try await central.perform(.write(handle: handle, value: value), on: peer)
        #expect(band.value == value)
    }

    @Test func anExternalHostIsServedAtUnlimitedPace() async throws {
        let world = World(seed: 1)
        let server = try world.serve(at: address("hurry"))
        let band = TestPeripheral(world.addDevice("wristband", at: Position(x: 1)), in: world)
        try await band.publish("band")
        world.start()
        defer { world.stop() }
        let queue = DispatchQueue(label: "client")
        let address = try TransportAddress(parsing: server.address)
        let reset: [UInt8] = [1, 0x03, 0x0C, 0]
        let client = Lock<DispatchStream?>(nil)
        // One command after the answer to the other.
        let answers = await withCheckedContinuation { continuation in
            queue.async {
                StreamConnector.connect(to: address, queue: queue) { result in
                    guard let connection = try? result.get() else { return continuation.resume(returning: 0) }
                    let stream = DispatchStream(connection, queue: queue)
                    var count = 0
                    stream.onReceive = { [unowned stream] octets in
                        // Command Complete of seven octets.
                        count += octets.count / 7
                        if count < 200 { stream.send(reset.span) } else { continuation.resume(returning: count) }
                    }
                    stream.start()
                    stream.send(reset.span)
                    client.withLock { $0 = stream }
                }
            }
        }
        #expect(answers == 200)
        queue.sync { client.withLock { $0 }?.close() }
    }

    @Test func aControllerIsRemovedWithItsConnection() async throws {
        let world = World(seed: 2, pace: .multiple(8))
        let server = try world.serve(at: address("leave"))
        let band = TestPeripheral(world.addDevice("wristband", at: Position(x: 1)), in: world)
        try await band.publish("band")
        let speakers = Lock<Set<Int>>([])
        world.observeAir { packet, _ in
            let sender = packet.sender.rawValue
            speakers.withLock { _ = $0.insert(sender) }
        }
        let queue = DispatchQueue(label: "client")
        let address = try TransportAddress(parsing: server.address)
        // Reset, a random address, and advertising.
        let commands: [UInt8] =
            [1, 0x03, 0x0C, 0, 1, 0x05, 0x20, 6, 1, 2, 3, 4, 5, 0xC6]
            + [1, 0x06, 0x20, 15, 0x30, 0, 0x30, 0, 3, 1, 0, 0, 0, 0, 0, 0, 0, 7, 0] + [1, 0x0A, 0x20, 1, 1]
        let client = Lock<DispatchStream?>(nil)
        queue.async {
            StreamConnector.connect(to: address, queue: queue) { result in
                guard let connection = try? result.get() else { return }
                let stream = DispatchStream(connection, queue: queue)
                stream.start()
                stream.send(commands.span)
                client.withLock { $0 = stream }
            }
        }
        let isHeard = await world.run(timeout: .seconds(20)) { speakers.withLock { $0.contains(1) } }
        #expect(isHeard)
        queue.sync { client.withLock { $0 }?.close() }
        await world.run(for: .seconds(4))
        speakers.withLock { $0.removeAll() }
        await world.run(for: .seconds(1))
        #expect(speakers.withLock { $0 } == [0])
    }

    @Test func invalidOctetsEndOnlyTheirOwnConnection() async throws {
        let world = World(seed: 3, pace: .multiple(8))
        let server = try world.serve(at: address("garbage"))
        let band = TestPeripheral(world.addDevice("wristband", at: Position(x: 1)), in: world)
        try await band.publish("band")
        let good = try externalHost(server.address, in: world)
        try await good.poweredOn()
        let queue = DispatchQueue(label: "client")
        let address = try TransportAddress(parsing: server.address)
        let isClosed = Lock(false)
        let client = Lock<DispatchStream?>(nil)
        queue.async {
            StreamConnector.connect(to: address, queue: queue) { result in
                guard let connection = try? result.get() else { return }
                let stream = DispatchStream(connection, queue: queue)
                stream.onClose = { _ in isClosed.withLock { $0 = true } }
                stream.start()
                stream.send([UInt8](repeating: 0xEE, count: 10_000).span)
                client.withLock { $0 = stream }
            }
        }
        let hasEnded = await world.run(timeout: .seconds(20)) { isClosed.withLock { $0 } }
        #expect(hasEnded)
        let peer = try await good.find("band")
        try await good.connect(peer)
    }

    @Test(.timeLimit(.minutes(10))) func theEndOfTheWorldClosesExternalConnections() async throws {
        let world = Lock<World?>(nil)
        let target = try TransportAddress(parsing: address("end"))
        let server = Lock<ControllerServer?>(nil)
        do {
            let beginning = World(seed: 6, pace: .realTime)
            let listener = try beginning.serve(at: target.description)
            server.withLock { $0 = listener }
            beginning.start()
            world.withLock { $0 = beginning }
        }
        let queue = DispatchQueue(label: "client")
        let client = Lock<DispatchStream?>(nil)
        await withCheckedContinuation { continuation in
            queue.async {
                StreamConnector.connect(to: target, queue: queue) { result in
                    guard let connection = try? result.get() else { return }
                    let stream = DispatchStream(connection, queue: queue)
                    // The answer to the Reset: the host has its controller.
                    stream.onReceive = { _ in world.withLock { $0 = nil } }
                    stream.onClose = { _ in continuation.resume() }
                    stream.start()
                    let reset: [4 of UInt8] = [1, 0x03, 0x0C, 0]
                    stream.send(reset.span)
                    client.withLock { $0 = stream }
                }
            }
        }
        server.withLock { $0 = nil }
    }

    @Test func aLostSocketIsResettingAndRecovers() async throws {
        let world = World(seed: 4, pace: .multiple(8))
        let address = address("lost")
        let served = try world.serve(at: address)
        let server = Lock<ControllerServer?>(served)
        let band = TestPeripheral(world.addDevice("wristband", at: Position(x: 1)), in: world)
        try await band.publish("band")
        let central = try externalHost(address, in: world)
        try await central.poweredOn()
        world.disconnectExternalHosts()
        try await central.wait("resetting") { $0 == .state(.resetting) ? true : nil }
        let start = central.events.count
        try await central.wait(from: start, "return") { $0 == .state(.poweredOn) ? true : nil }
        server.withLock { $0 = nil }
    }

    @Test func aControllerThatStopsAnsweringIsResetThenFails() async throws {
        let world = World(seed: 5, pace: .multiple(8))
        let server = try world.serve(at: address("mute"))
        world.start()
        var configuration = HostConfiguration()
        configuration.commandTimeout = .milliseconds(500)
        configuration.startAttempts = 2
        let adapter = try ControllerSupervisor.adapter(
            for: SocketControllerSource(try TransportAddress(parsing: server.address)), seed: 1,
            configuration: configuration,
            store: DeviceStore(key: StoreKey(high: 1, low: 2)))
        let (stream, continuation) = AsyncStream<TestCentral.Event>.makeStream()
        let central = TestCentral(adapter, in: world) { continuation.yield($0) }
        let other = world.addDevice("beacon")
        let peripheral = TestPeripheral(other, in: world)
        try await peripheral.publish("beacon")
        try await central.poweredOn()
        // The world stands still from here on: the controller is mute.
        world.stop()
        central.session.startScan(ScanRequest())
        for await event in stream where event == .state(.unsupported) { break }
        #expect(central.events.contains(.state(.resetting)))
    }
}
