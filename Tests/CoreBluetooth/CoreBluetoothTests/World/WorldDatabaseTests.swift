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
