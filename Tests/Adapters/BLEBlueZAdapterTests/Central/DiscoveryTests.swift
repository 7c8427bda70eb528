import BLEAdapter
import BLEWire
import BlueZBench
import SystemBus
import Testing

@testable import BLEBlueZAdapter

struct DiscoveryTests {
    private let device = CentralBench.device()

    @Test func aScanFiltersForDevicesOfLE() throws {
        let bench = CentralBench.on()
        bench.session?.startScan(ScanRequest())
        bench.run()
        let calls = bench.bluez.calls.filter { $0.method.hasPrefix("Adapter1") }
        #expect(calls.map(\.method) == ["Adapter1.SetDiscoveryFilter", "Adapter1.StartDiscovery"])
        let filter = try #require(calls[0].arguments.first?.properties)
        #expect(filter == ["Transport": .string("le"), "DuplicateData": .bool(true)])
        bench.session?.stopScan()
        bench.run()
        #expect(bench.bluez.calls.last?.method == "Adapter1.StopDiscovery")
    }

    @Test func anAdvertisementArrivesWithItsData() throws {
        let bench = CentralBench.on()
        bench.session?.startScan(ScanRequest())
        bench.run()
        var device = device
        device.txPower = -4
        device.manufacturerData = [0x004C: [2, 21]]
        device.serviceData = ["0000feaa-0000-1000-8000-00805f9b34fb": [0x10]]
        device.uuids.append("7e570000-0c0b-4b1e-8000-0123456789ab")
        device.properties = [
            "AdvertisingFlags": .octets([6]),
            "AdvertisingData": .array(
                "{yv}",
                [
                    .entry(.byte(0x15), .variant(.octets(Array(1...16)))),
                    // bluetoothd has a property of its own for these.
                    .entry(.byte(0x09), .variant(.octets([0x58]))),
                ]),
        ]
        bench.bluez.advertise(device)
        bench.run()
        #expect(bench.lines() == ["discovered strap -60"])
        let found = try #require(bench.recorder.discoveries.withLock { $0.first })
        #expect(
            found.address == DeviceAddress(kind: .random, value: 0xC000_0000_0001)
                && found.peer.identifier == bench.peer)
        let octets = found.octets
        #expect(
            [UInt8](octets.data) == [
                2, 0x01, 6, 3, 0x03, 0x0D, 0x18, 17, 0x07, 0xAB, 0x89, 0x67, 0x45, 0x23, 0x01, 0x00, 0x80, 0x1E, 0x4B,
                0x0B,
                0x0C, 0, 0, 0x57, 0x7E, 6, 0x09, 0x73, 0x74, 0x72, 0x61, 0x70, 2, 0x0A, 0xFC, 5, 0xFF, 0x4C, 0, 2, 21,
                4, 0x16,
                0xAA, 0xFE, 0x10, 17, 0x15,
            ] + Array(1...16))
    }

    @Test func anotherProgramThatStartsItsDiscoveryIsNoError() {
        let bench = CentralBench.on()
        bench.bluez.script("Adapter1.StartDiscovery", .fails(.busy), .fails(.busy))
        bench.session?.startScan(ScanRequest())
        bench.run(.seconds(3))
        #expect(bench.bluez.calls(of: "Adapter1.StartDiscovery").count == 3)
        bench.bluez.advertise(device)
        bench.run()
        #expect(bench.lines() == ["discovered strap -60"])
    }

    @Test func twoSessionsShareOneDiscoveryAndSelectForThemselves() {
        let bench = CentralBench.on()
        let other = bench.open()
        bench.session?.startScan(ScanRequest(services: [BluetoothUUID(0x180F as UInt16)]))
        other.session?.startScan(ScanRequest(services: [BluetoothUUID(0x180D as UInt16)]))
        bench.run()
        bench.bluez.advertise(device)
        bench.run()
        #expect(bench.lines() == [] && other.recorder.take() == ["discovered strap -60"])
        #expect(bench.bluez.calls(of: "Adapter1.StartDiscovery").count == 1)
        other.session?.stopScan()
        bench.run()
        #expect(bench.bluez.calls(of: "Adapter1.StopDiscovery").isEmpty)
        bench.session?.stopScan()
        bench.run()
        #expect(bench.bluez.calls(of: "Adapter1.StopDiscovery").count == 1)
    }

    /// bluetoothd reports changes only, and another program may have found the device before.
    @Test func aDeviceThatIsKnownIsReportedToEachNewScan() {
        let bench = CentralBench.on()
        bench.bluez.addDevice(device)
        var silent = CentralBench.device("C0:00:00:00:00:02", name: "away")
        silent.rssi = nil
        bench.bluez.addDevice(silent)
        bench.run()
        bench.session?.startScan(ScanRequest())
        bench.run()
        #expect(bench.lines() == ["discovered strap -60"])
        let other = bench.open()
        other.session?.startScan(ScanRequest())
        bench.run()
        #expect(bench.lines() == [] && other.recorder.take() == ["discovered strap -60"])
        bench.session?.startScan(ScanRequest())
        bench.run()
        #expect(bench.lines() == ["discovered strap -60"])
    }

    @Test func duplicatesComeOnlyToThoseThatWantThem() {
        let bench = CentralBench.on()
        let other = bench.open()
        bench.session?.startScan(ScanRequest())
        other.session?.startScan(ScanRequest(allowDuplicates: true))
        bench.run()
        var device = device
        for rssi in [-60, -61, -62] as [Int16] {
            device.rssi = rssi
            bench.bluez.advertise(device)
            bench.run()
        }
        #expect(bench.lines() == ["discovered strap -60"])
        #expect(other.recorder.take() == ["discovered strap -60", "discovered strap -61", "discovered strap -62"])
    }

    @Test func aDiscoveryThatDoesNotRunAnyMoreIsStartedAgain() {
        let bench = CentralBench.on()
        bench.session?.startScan(ScanRequest())
        bench.run()
        bench.bluez.set(CentralBench.hci0, BlueZ.adapter, ["Discovering": .bool(false)])
        bench.run(.seconds(14))
        #expect(bench.bluez.calls(of: "Adapter1.StartDiscovery").count == 1)
        bench.run(.seconds(2))
        #expect(bench.bluez.calls(of: "Adapter1.StopDiscovery").count == 1)
        #expect(bench.bluez.calls(of: "Adapter1.StartDiscovery").count == 2)
    }

    @Test func aFloodOfSignalsAndHostileDevicesAreBounded() {
        let bench = CentralBench.on()
        bench.session?.startScan(ScanRequest(allowDuplicates: true))
        bench.run()
        let path = bench.bluez.addDevice(device)
        bench.run()
        bench.bluez.flood(path, count: 10_000)
        bench.run()
        #expect(bench.lines().count > 9_000)
        var hostile = ScriptedDevice("C0:00:00:00:00:03", name: String(repeating: "e\u{301}", count: 5_000))
        hostile.uuids = (0..<5_000).map { "\($0)" } + Array(repeating: hostile.address, count: 2_000)
        hostile.manufacturerData = [1: [UInt8](repeating: 7, count: 60_000)]
        hostile.properties = [
            "ServiceData": .bool(true), "AdvertisingData": .path("/x"), "AdvertisingFlags": .octets([]),
        ]
        bench.bluez.advertise(hostile)
        bench.run()
        let found = bench.recorder.discoveries.withLock { $0.last }
        #expect((found?.octets.data.count ?? 0) <= 1650)
        bench.bluez.advertise(ScriptedDevice("no address", name: "nobody"))
        bench.run()
    }

    /// `bluetoothd` has one name for the advertised one and that of the GAP service.
    @Test func theNamesAreToldApart() throws {
        let bench = CentralBench.on()
        let path = bench.connected(CentralBench.device(name: "advertised"))
        bench.bluez.set(path, BlueZ.device, ["Name": .string("in GAP")])
        bench.run()
        #expect(bench.lines() == ["name in GAP"])
        bench.session?.cancelConnection(bench.peer)
        bench.session?.startScan(ScanRequest())
        bench.run(.seconds(3))
        _ = bench.lines()
        var device = CentralBench.device(name: "advertised again")
        device.rssi = -50
        bench.bluez.advertise(device)
        bench.run()
        // The name of the peer is the one in its GAP service, as on Apple's systems.
        #expect(bench.lines() == ["discovered in GAP -50"])
        let found = try #require(bench.recorder.discoveries.withLock { $0.last })
        #expect(found.content.advertisedName == "advertised again")
    }
}
