import BLEAdapter
import BLEHostAdapter
import BLERuntime
import BLESimulator
import BLEVirtualRadio
import BLEWire
import Dispatch
import Foundation
import TestConditions
import Testing

@Suite(.timeLimit(.minutes(10)))
struct WorldTests {
    @Test func timePassesOnlyInRuns() async {
        let world = World()
        #expect(world.now == .zero)
        await world.run(for: .seconds(90))
        #expect(world.now == .seconds(90))
        await world.run(until: .seconds(100))
        #expect(world.now == .seconds(100))
        await world.run(until: .seconds(5))
        #expect(world.now == .seconds(100))
    }

    @Test func blockingRunWaitsOnAPlainThread() async {
        let world = World()
        let device = world.addDevice("phone")
        let central = TestCentral(device, in: world)
        let isMet = await withCheckedContinuation { continuation in
            DispatchQueue(label: "plain thread").async {
                world.runBlocking(for: .seconds(1))
                world.runBlocking(until: .seconds(2))
                continuation.resume(
                    returning: world.runBlocking(timeout: .seconds(1)) { central.events.contains(.state(.poweredOn)) })
            }
        }
        #expect(isMet)
        #expect(world.now == .seconds(2))
    }

    @Test func aReleasedWorldIsFreedWithTheNetworkAndItsHosts() async throws {
        weak var network: VirtualRadioNetwork?
        weak var engine: VirtualTimeEngine?
        weak var adapter: HostAdapter?
        var sockets: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &sockets) == 0)
        defer { close(sockets[1]) }
        do {
            let world = World(seed: 1)
            (network, engine) = (world.radio.network.object, world.radio.engine)
            let device = world.addDevice("wristband", at: Position(x: 1))
            adapter = device.adapter
            let band = TestPeripheral(device, in: world)
            try await band.publish("band")
            let central = TestCentral(world.addDevice("phone"), in: world)
            try await central.poweredOn()
            try await central.connect(try await central.find("band"))
            world.radio.attach(descriptor: sockets[0], name: "external", at: .origin)
            let advertiser = try world.addAdvertiser("beacon", RawAdvertisement(data: [2, 1, 6]))
            await world.run(for: .seconds(1))
            _ = advertiser
            world.start()
        }
        #expect(await eventually { network == nil && engine == nil && adapter == nil })
        // The other end of the external host's connection.
        var octet: UInt8 = 0
        #expect(recv(sockets[1], &octet, 1, Int32(MSG_DONTWAIT)) == 0)
    }

    @Test func scopeBindsManagersToItsDevice() async {
        let world = World()
        let device = world.addDevice("phone")
        let other = world.addDevice("tablet")
        device.run {
            #expect(AdapterBinding.current() === device.adapter)
            other.run { #expect(AdapterBinding.current() === other.adapter) }
        }
        await device.run {
            await Task { #expect(AdapterBinding.current() === device.adapter) }.value
        }
        #expect(AdapterBinding.scoped == nil)
    }

    @Test func aFreeRunExecutesCallsUntilItIsStopped() async {
        let world = World()
        let (states, continuation) = AsyncStream<TestCentral.Event>.makeStream()
        let first = TestCentral(world.addDevice("phone"), in: world) { continuation.yield($0) }
        world.start()
        let second = TestCentral(world.addDevice("tablet"), in: world) { continuation.yield($0) }
        var count = 0
        for await event in states where event == .state(.poweredOn) {
            count += 1
            if count == 2 { break }
        }
        world.stop()
        withExtendedLifetime((first, second)) { #expect(count == 2) }
    }

    @Test func runEndsWithItsTask() async {
        let world = World(pace: .multiple(0.001))
        let task = Task { await world.run(for: .seconds(3600)) }
        task.cancel()
        await task.value
        #expect(world.now < .seconds(3600))
    }

    @Test func distanceWeakensTheSignal() async throws {
        let pair = try await ConversationTests.Pair()
        let near = try await pair.central.signal(of: pair.peer)
        pair.band.move(to: Position(x: 20))
        await pair.world.run(for: .seconds(1))
        let far = try await pair.central.signal(of: pair.peer)
        // Ten times as far at an exponent of 2.5: 25 dB.
        #expect(abs(near - far - 25) <= 1)
    }

    @Test func wallsWeakenTheSignal() async throws {
        let pair = try await ConversationTests.Pair()
        pair.band.move(to: Position(x: 20))
        await pair.world.run(for: .seconds(1))
        let free = try await pair.central.signal(of: pair.peer)
        let brick = Wall(from: Position(x: 10, y: -3), to: Position(x: 10, y: 3), attenuation: 10)
        pair.world.setEnvironment(RadioEnvironment(walls: [brick]))
        await pair.world.run(for: .seconds(1))
        let behind = try await pair.central.signal(of: pair.peer)
        #expect(abs(free - behind - 10) <= 1)
    }

    @Test func anUnwritableCaptureFolderIsReported() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            setenv("BLUETOOTH_CAPTURE_WORLDS", "/no such folder", 1)
            _ = World(seed: 1)
            _ = World(seed: 2)
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.components(separatedBy: "BLUETOOTH_CAPTURE_WORLDS: ").count == 2)
        #expect(text.contains("/no such folder/world-"))
    }

    /// Where time stands still, a blocking run would never end.
    @Test func runningAWorldInsideItsOwnCallbackEndsTheProgramWithAMessage() async {
        let inCallback = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let world = World(seed: 1)
            let device = world.addDevice("phone")
            let queue = DispatchQueue(label: "delegate")
            device.adapter.callbackScheduler?.scheduleCallback({ world.runBlocking(for: .seconds(1)) }, on: queue)
            await world.run(for: .seconds(1))
        }
        let inCondition = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let world = World(seed: 1)
            await world.run(timeout: .seconds(1)) {
                world.runBlocking(timeout: .seconds(1)) { true }
            }
        }
        let inObserver = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let world = World(seed: 1)
            let device = world.addDevice("phone")
            device.observeHCI { _, _, _ in world.runBlocking(until: .seconds(2)) }
            await world.run(for: .seconds(1))
        }
        for result in [inCallback, inCondition, inObserver] {
            let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
            #expect(
                text.contains("World.runBlocking was called inside a delegate callback, a condition or an observer"))
            #expect(text.contains("the run would never end"))
        }
    }

    @Test func aCallbackMayRunAnotherWorld() async {
        let world = World(seed: 1)
        let other = World(seed: 2)
        let device = world.addDevice("phone")
        let scheduler = device.adapter.callbackScheduler
        let time = Lock(Duration.zero)
        scheduler?.scheduleCallback(
            {
                other.runBlocking(for: .seconds(3))
                time.withLock { $0 = other.now }
            }, on: DispatchQueue(label: "delegate"))
        await world.run(for: .seconds(1))
        #expect(time.withLock { $0 } == .seconds(3))
    }
}
