import BLESimulator
import CoreBluetooth
import Testing

/// The contents of advertisements and of discoveries.
@Suite struct WorldAdvertisingTests {
    @Test func row022_newContentIsReportedDuringOneScan() async throws {
        let scene = try await Scene()
        scene.phone.manager.scanForPeripherals(withServices: [Gadget.service])
        try await scene.wait("discover")
        scene.gadget.manager.stopAdvertising()
        scene.gadget.manager.startAdvertising([
            CBAdvertisementDataLocalNameKey: "Renamed", CBAdvertisementDataServiceUUIDsKey: [Gadget.service],
        ])
        try await scene.wait("discover")
        await scene.world.run(for: .seconds(2))
        let names = scene.phone.recorder.advertisements.value.map { $0[CBAdvertisementDataLocalNameKey] as? String }
        #expect(names.first == "Gadget" && names.last == "Renamed")
        #expect(names.count <= 4, "not for each packet")
        #expect(scene.phone.recorder.peripherals.value.count == 1)
    }

    @Test func row032_onlyDocumentedKeysAreThere() async throws {
        let scene = try await Scene()
        _ = try await scene.discover()
        let documented: Set = [
            CBAdvertisementDataLocalNameKey, CBAdvertisementDataTxPowerLevelKey, CBAdvertisementDataServiceUUIDsKey,
            CBAdvertisementDataServiceDataKey, CBAdvertisementDataManufacturerDataKey,
            CBAdvertisementDataOverflowServiceUUIDsKey, CBAdvertisementDataIsConnectable,
            CBAdvertisementDataSolicitedServiceUUIDsKey,
        ]
        for advertisement in scene.phone.recorder.advertisements.value {
            #expect(documented.isSuperset(of: advertisement.keys))
        }
    }

    /// One 16-bit service takes 4 of the 28 octets, the name's header 2.
    @Test(arguments: [(1, 1), (22, 22), (23, 10), (60, 10)])
    func row126_servicesAndNameShare28OctetsAndTheNameHas10More(_ length: Int, _ seen: Int) async throws {
        let scene = try await Scene()
        let name = String("abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghij".prefix(length))
        let advertisement = try await scene.advertise([
            CBAdvertisementDataLocalNameKey: name, CBAdvertisementDataServiceUUIDsKey: [Gadget.service],
        ])
        #expect(advertisement[CBAdvertisementDataLocalNameKey] as? String == String(name.prefix(seen)))
        #expect(advertisement[CBAdvertisementDataServiceUUIDsKey] as? [CBUUID] == [Gadget.service])
    }

    @Test func row127_servicesThatDoNotFitAreNoError() async throws {
        let scene = try await Scene()
        let services = (0..<20).map { CBUUID(string: "71DA3FD1-7E10-41C1-B16F-4430B506CD\($0 + 10)") }
        let advertisement = try await scene.advertise([
            CBAdvertisementDataLocalNameKey: "Name that is long", CBAdvertisementDataServiceUUIDsKey: services,
        ])
        #expect(scene.gadget.events.last == "advertising true" && scene.gadget.recorder.errors.value.isEmpty)
        #expect(advertisement[CBAdvertisementDataServiceUUIDsKey] as? [CBUUID] == [services[0]])
        #expect(advertisement[CBAdvertisementDataLocalNameKey] as? String == "Name that ")
    }

    @Test(arguments: ["1812", "180F", "1800"])
    func row132_reservedServicesCanBeAdvertised(_ uuid: String) async throws {
        let scene = try await Scene()
        let advertisement = try await scene.advertise([CBAdvertisementDataServiceUUIDsKey: [CBUUID(string: uuid)]])
        #expect(advertisement[CBAdvertisementDataServiceUUIDsKey] as? [CBUUID] == [CBUUID(string: uuid)])
        #expect(scene.gadget.recorder.errors.value.isEmpty)
    }

    @Test func row125_row131_otherKeysAreNotOnTheAir() async throws {
        let scene = try await Scene()
        let advertisement = try await scene.advertise([
            CBAdvertisementDataManufacturerDataKey: Data([0x4C, 0, 1]), CBAdvertisementDataTxPowerLevelKey: 4,
        ])
        #expect(Array(advertisement.keys) == [CBAdvertisementDataIsConnectable])
    }

    @Test func row120_servicesNeedNotBeAdvertised() async throws {
        let scene = try await Scene()
        let hidden = service("FEE8", [characteristic("AB01", .read, .readable, value: Data([1]))])
        try await scene.publish(hidden)
        let (peripheral, characteristics) = try await scene.characteristics(in: hidden)
        let advertisement = try #require(scene.phone.recorder.advertisements.value.last)
        #expect(advertisement[CBAdvertisementDataServiceUUIDsKey] as? [CBUUID] == [Gadget.service])
        peripheral.readValue(for: characteristics[0])
        try await scene.wait("value [1]")
    }
}
