import BLESimulator
import CoreBluetooth
import Testing

/// The events of clients and of the program after changes of the database and of advertising.
@Suite struct WorldDatabaseTests {
    @Test func advertisingStartsAreReportedInTheOrderOfTheCalls() async throws {
        let scene = try await Scene()
        let manager: CBPeripheralManager = scene.gadget.manager
        manager.stopAdvertising()
        await scene.world.run(for: .seconds(1))
        scene.gadget.recorder.events { $0 = [] }
        for name in ["One", "Two", "Three"] { manager.startAdvertising([CBAdvertisementDataLocalNameKey: name]) }
        await scene.world.run(for: .seconds(1))
        let refused = "advertising true CBErrorDomain 9"
        #expect(scene.gadget.events == ["advertising true", refused, refused])
        manager.startAdvertising(nil)
        await scene.world.run(for: .seconds(1))
        #expect(scene.gadget.events.count == 4 && scene.gadget.events.last == refused)
    }

    @Test func removingAllServicesIsOneServiceChangedForAClient() async throws {
        let scene = try await Scene()
        let manager: CBPeripheralManager = scene.gadget.manager
        for uuid in ["FEE8", "FEE9"] { manager.add(service(uuid, [characteristic("AA11")])) }
        let peripheral = try await scene.connect()
        let characteristics = try await scene.characteristics(of: peripheral)
        peripheral.setNotifyValue(true, for: characteristics[1])
        try await scene.wait("notifying true")
        peripheral.discoverServices(nil)
        try await scene.wait("services")
        let sent = await scene.attributeOpcodes(of: scene.gadgetDevice)
        manager.removeAllServices()
        await scene.world.run(for: .seconds(5))
        #expect(sent.value.filter { $0 == 0x1D }.count == 1, "Handle Value Indications")
        let changes = scene.phone.newEvents().filter { $0.hasPrefix("modified") }
        #expect(changes.count == 1)
        for uuid in ["FEE7", "FEE8", "FEE9"] { #expect(changes.first?.contains(uuid) == true) }
        #expect(scene.gadget.events.last == "unsubscribe AA02 0")
    }

    @Test func aServiceIncludesAnother() async throws {
        let scene = try await Scene()
        let inner = service("FEE8", [characteristic("AB01", .read, .readable, value: Data([8]))])
        let outer = service("FEE9", [characteristic("AB02", .read, .readable, value: Data([9]))])
        try await scene.publish(inner)
        outer.includedServices = [inner]
        try await scene.publish(outer)
        let peripheral = try await scene.connect()
        peripheral.discoverServices([outer.uuid])
        try await scene.wait("services [\"FEE9\"]")
        let found = try #require(peripheral.services?.first)
        peripheral.discoverIncludedServices(nil, for: found)
        try await scene.wait("included [\"FEE8\"]")
        let included = try #require(found.includedServices?.first)
        peripheral.discoverCharacteristics(nil, for: included)
        try await scene.wait("characteristics [\"AB01\"]")
        peripheral.readValue(for: try #require(included.characteristics?.first))
        try await scene.wait("value [8]")
    }

    @Test func aValueOfMoreThan512OctetsIsAnErrorAtTheClient() async throws {
        let scene = try await Scene()
        let peripheral = try await scene.connect()
        let characteristics = try await scene.characteristics(of: peripheral)
        scene.gadget.storeContent { $0 = Data(repeating: 1, count: 513) }
        peripheral.readValue(for: characteristics[0])
        try await scene.wait("value [] CBATTErrorDomain 13")
        scene.gadget.storeContent { $0 = Data(repeating: 1, count: 512) }
        peripheral.readValue(for: characteristics[0])
        try await scene.wait("value [1, 1")
        #expect(characteristics[0].value?.count == 512)
    }
}
