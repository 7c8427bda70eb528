import BLESimulator
import CoreBluetooth
import Testing

/// Names, identifiers, and the three ways to reconnect.
@Suite struct WorldIdentityTests {
    @Test func row036_theIdentifierIsTheSameInTheNextRun() async throws {
        let scene = try await RestartScene()
        var identifiers: Set<UUID> = []
        for _ in 0..<3 {
            let program = RestoredProgram()
            scene.start(program) { $0.makeCentral(nil) }
            try await scene.wait("state 5", program)
            program.central?.scanForPeripherals(withServices: [Gadget.service])
            try await scene.wait("discover", program)
            identifiers.insert(try #require(program.recorder.peripherals.value.first).identifier)
            await scene.crash()
        }
        #expect(identifiers.count == 1, "for a device that was never connected, too")
        let stranger = Phone(scene.world.addDevice("stranger", at: Position(x: 2)))
        let recorder = stranger.recorder
        await scene.world.run(timeout: .seconds(5)) { recorder.events.value.contains("state 5") }
        stranger.manager.scanForPeripherals(withServices: [Gadget.service])
        await scene.world.run(timeout: .seconds(5)) { !recorder.peripherals.value.isEmpty }
        #expect(recorder.peripherals.value.first.map { !identifiers.contains($0.identifier) } == true)
    }

    @Test func row036_row058_aNewRunConnectsByIdentifierWithoutAScan() async throws {
        let scene = try await RestartScene()
        let before = try await scene.connectedProgram(nil)
        let identifier = try #require(before.recorder.peripherals.value.first?.identifier)
        // Time to read the GAP device name.
        await scene.world.run(for: .seconds(2))
        await scene.crash()
        let program = RestoredProgram()
        scene.start(program) { $0.makeCentral(nil) }
        try await scene.wait("state 5", program)
        let found = try #require(program.central?.retrievePeripherals(withIdentifiers: [UUID(), identifier, UUID()]))
        #expect(found.map(\.identifier) == [identifier], "row 58: the unknown are left out")
        #expect(found[0].name == "Gadget GAP", "the name of the earlier run")
        program.central?.connect(found[0])
        try await scene.wait("connect 2", program)
        #expect(program.events.isEmpty)
        withExtendedLifetime(before) {}
    }

    @Test func row058_retrievedPeripheralsHaveTheRequestedOrder() async throws {
        let scene = try await RestartScene()
        let other = scene.world.addDevice("Other", at: Position(x: 2))
        let second = other.run { Gadget(name: "Other") }
        let program = RestoredProgram()
        scene.start(program) { $0.makeCentral(nil) }
        try await scene.wait("state 5", program)
        program.central?.scanForPeripherals(withServices: [Gadget.service])
        let recorder = program.recorder
        await scene.world.run(timeout: .seconds(10)) { recorder.peripherals.value.count == 2 }
        let identifiers = recorder.peripherals.value.map(\.identifier)
        try #require(identifiers.count == 2)
        for wanted in [identifiers, identifiers.reversed()] {
            let found = program.central?.retrievePeripherals(withIdentifiers: wanted)
            #expect(found?.map(\.identifier) == wanted)
            #expect(found?.allSatisfy { object in recorder.peripherals.value.contains { $0 === object } } == true)
        }
        #expect(program.central?.retrievePeripherals(withIdentifiers: []) == [])
        withExtendedLifetime(second) {}
    }

    @Test func row059_connectedPeripheralsOfAnotherManagerAreRetrieved() async throws {
        let scene = try await RestartScene()
        let first = try await scene.connectedProgram(nil)
        let second = RestoredProgram()
        scene.start(second) { $0.makeCentral(nil) }
        try await scene.wait("state 5", second)
        #expect(second.central?.retrieveConnectedPeripherals(withServices: [CBUUID(string: "FFFF")]) == [])
        #expect(second.central?.retrieveConnectedPeripherals(withServices: []) == [])
        // Nobody has discovered its services: that it advertises one is enough.
        let found = try #require(
            second.central?.retrieveConnectedPeripherals(withServices: [CBUUID(string: "FFFF"), Gadget.service]))
        #expect(found.count == 1 && found[0].state == .disconnected)
        second.central?.connect(found[0])
        try await scene.wait("connect 2", second, within: .milliseconds(1))
        withExtendedLifetime(first) {}
    }

    @Test func row060_retrievalIsEmptyWhilePoweredOff() async throws {
        let scene = try await RestartScene()
        let program = try await scene.connectedProgram(nil)
        let identifier = try #require(program.recorder.peripherals.value.first?.identifier)
        scene.machine.powerOff()
        try await scene.wait("state 4", program)
        #expect(program.central?.retrievePeripherals(withIdentifiers: [identifier]) == [])
        #expect(program.central?.retrieveConnectedPeripherals(withServices: [Gadget.service]) == [])
    }

    @Test func row037_aStoredGAPNameReplacesTheAdvertisedOne() async throws {
        let scene = try await RestartScene()
        let before = try await scene.connectedProgram(nil)
        await scene.world.run(for: .seconds(2))
        await scene.crash()
        let program = RestoredProgram()
        scene.start(program) { $0.makeCentral(nil) }
        try await scene.wait("state 5", program)
        program.central?.scanForPeripherals(withServices: [Gadget.service])
        try await scene.wait("discover Gadget GAP", program)
        let advertisement = try #require(program.recorder.advertisements.value.first)
        #expect(advertisement[CBAdvertisementDataLocalNameKey] as? String == "Gadget", "question 2 of the seeds")
        withExtendedLifetime(before) {}
    }

    @Test func row038_aPeerRenamedDuringAConnectionIsReported() async throws {
        let scene = try await Scene()
        let peripheral = try await scene.connect()
        await scene.world.run(for: .seconds(2))
        #expect(peripheral.name == "Gadget GAP")
        scene.gadgetDevice.rename("Another name")
        try await scene.wait("name Another name")
        #expect(peripheral.name == "Another name")
    }
}
