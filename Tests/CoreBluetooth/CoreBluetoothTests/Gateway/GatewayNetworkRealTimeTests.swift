import BLEAdapter
import BLESimulator
import BLETransport
import CoreBluetooth
import Testing

/// What a program over a gateway sees when the network, the gateway or another program fails.
@Suite struct GatewayNetworkRealTimeTests {
    /// A scene whose phone has a gateway's radio.
    private static func scene() async throws -> (Scene, GatewayRoom) {
        let scene = try await PhonePath.$isOverGateway.withValue(true) { try await Scene() }
        return (scene, try #require(scene.phone.gateway))
    }

    /// Whether the gadget has a link: each phone that subscribes is one.
    private static func subscribe(_ scene: Scene, on phone: Phone? = nil) async throws -> CBPeripheral {
        let peripheral = try await scene.connect(on: phone)
        let characteristics = try await scene.characteristics(of: peripheral, on: phone)
        peripheral.setNotifyValue(true, for: characteristics[1])
        try await scene.wait("notifying true", on: phone)
        return peripheral
    }

    @Test func aLostNetworkIsResettingAndConnectionsWorkAgainAfterIt() async throws {
        let (scene, gateway) = try await Self.scene()
        let peripheral = try await Self.subscribe(scene)
        let identifier = peripheral.identifier
        gateway.setAway(true)
        try await scene.wait("state 1")
        #expect(scene.phone.manager.state == .resetting)
        let gadget = scene.gadget
        #expect(
            await scene.world.run(timeout: .seconds(10)) { gadget.events.last == "unsubscribe AA02 0" },
            "the gateway ends the links of a client that is gone")
        await scene.world.run(for: .seconds(120))
        #expect(scene.phone.manager.state == .resetting)
        gateway.setAway(false)
        try await scene.wait("state 5", within: .seconds(31))
        // A power cycle invalidates peripherals (row 8); a program retrieves them and connects without a scan.
        let again = try #require(scene.phone.manager.retrievePeripherals(withIdentifiers: [identifier]).first)
        again.delegate = scene.phone.recorder
        scene.phone.manager.connect(again)
        try await scene.wait("connect 2")
        let characteristics = try await scene.characteristics(of: again)
        again.setNotifyValue(true, for: characteristics[1])
        try await scene.wait("notifying true")
        gadget.send([Data([42])])
        try await scene.wait("value [42]")
        #expect(await gateway.read { $0.clientCount } == 1)
    }

    @Test func aNetworkThatSwallowsOctetsIsNoticedAtBothEnds() async throws {
        let (scene, gateway) = try await Self.scene()
        _ = try await Self.subscribe(scene)
        gateway.loseOctets()
        scene.phone.manager.scanForPeripherals(withServices: nil)
        try await scene.wait("state 1", within: .seconds(152))
        let gadget = scene.gadget
        #expect(await scene.world.run(timeout: .seconds(152)) { gadget.events.last == "unsubscribe AA02 0" })
        try await scene.wait("state 5", within: .seconds(20))
        _ = try await scene.connect()
    }

    @Test func aScanOverALostNetworkBeginsAnewByTheProgram() async throws {
        let (scene, gateway) = try await Self.scene()
        _ = try await scene.discover()
        scene.phone.manager.scanForPeripherals(withServices: [Gadget.service])
        try await scene.wait("discover")
        gateway.setAway(true)
        try await scene.wait("state 1")
        #expect(!scene.phone.manager.isScanning)
        gateway.setAway(false)
        try await scene.wait("state 5", within: .seconds(20))
        _ = scene.phone.newEvents()
        await scene.world.run(for: .seconds(5))
        #expect(scene.phone.newEvents().isEmpty)
        _ = try await scene.discover()
    }

    @Test func programsShareAGatewayAndADevice() async throws {
        let (scene, gateway) = try await Self.scene()
        let other = Phone(over: gateway)
        try await scene.wait("state 5", on: other)
        _ = try await Self.subscribe(scene)
        _ = try await Self.subscribe(scene, on: other)
        scene.gadget.send([Data([7])])
        try await scene.wait("value [7]")
        try await scene.wait("value [7]", on: other)
        #expect(await gateway.read { $0.clientCount } == 2)
        // One program goes: the link stays for the other.
        other.manager.cancelPeripheralConnection(try #require(other.recorder.peripherals.value.last))
        try await scene.wait("disconnect 0", on: other)
        scene.gadget.send([Data([8])])
        try await scene.wait("value [8]")
    }

    @Test func linksOfAProgramThatIsKilledAreClosed() async throws {
        let (scene, gateway) = try await Self.scene()
        let gadget = scene.gadget
        do {
            let victim = Phone(over: gateway)
            try await scene.wait("state 5", on: victim)
            _ = try await Self.subscribe(scene, on: victim)
            #expect(await gateway.read { $0.clientCount } == 2)
        }
        gateway.setAway(true)
        gateway.setAway(false)
        #expect(await scene.world.run(timeout: .seconds(10)) { gadget.events.last == "unsubscribe AA02 0" })
        #expect(await gateway.read { $0.freeSlots } == 3)
    }

    @Test func aWrongKeyIsUnauthorizedAndTriedAgain() async throws {
        let world = World(seed: 4)
        let gateway = GatewayRoom(world)
        let recorder = CentralRecorder()
        let adapter = gateway.adapter(key: nil)
        let manager = AdapterBinding.$scoped.withValue(adapter) {
            CBCentralManager(delegate: recorder, queue: DispatchQueue(label: "phone"))
        }
        #expect(await world.run(timeout: .seconds(5)) { recorder.events.value == ["state 3"] })
        #expect(manager.state == .unauthorized)
        await world.run(for: .seconds(95))
        // Attempts at 0, 30, 60 and 90 s. Each loss starts one, also where sending fails at the same time.
        #expect(gateway.attempts == 4)
        #expect(recorder.events.value == ["state 3"])
    }

    @Test func aDeviceThatTheGatewayGivesUpIsAskedForAgain() async throws {
        let (scene, _) = try await Self.scene()
        let peripheral = try await scene.discover()
        scene.gadgetDevice.move(to: Position(x: 100_000))
        scene.phone.manager.connect(peripheral)
        await scene.world.run(for: .seconds(200))
        #expect(scene.phone.newEvents().isEmpty && peripheral.state == .connecting)
        scene.gadgetDevice.move(to: .origin)
        try await scene.wait("connect 2", within: .seconds(10))
    }

    @Test func slotsBoundTheLinksOfAllPrograms() async throws {
        let world = World(seed: 5)
        let gateway = GatewayRoom(world, slots: 1)
        let gadgets = ["A", "B"].map { name in world.addDevice(name).run { Gadget(name: name) } }
        let phone = Phone(over: gateway)
        let recorder = phone.recorder
        await world.run(timeout: .seconds(5)) { recorder.events.value.contains("state 5") }
        phone.manager.scanForPeripherals(withServices: [Gadget.service])
        #expect(await world.run(timeout: .seconds(5)) { recorder.peripherals.value.count == 2 })
        for peripheral in recorder.peripherals.value { phone.manager.connect(peripheral) }
        #expect(await world.run(timeout: .seconds(5)) { recorder.events.value.contains("connect 2") })
        #expect(recorder.events.value.contains { $0.hasPrefix("fail") })
        withExtendedLifetime(gadgets) {}
    }
}
