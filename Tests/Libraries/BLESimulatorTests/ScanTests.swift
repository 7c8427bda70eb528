import BLEAdapter
import BLEHostAdapter
import BLESimulator
import BLEWire
import Testing

/// Semantics 18 to 31 as far as the adapter decides them.
struct ScanTests {
    private func world(_ seed: UInt64 = 5) async throws -> (
        world: World, central: TestCentral, peripheral: TestPeripheral
    ) {
        let world = World(seed: seed)
        let central = TestCentral(world.addDevice("phone"), in: world)
        let peripheral = TestPeripheral(world.addDevice("wristband", at: Position(x: 1)), in: world)
        try await central.poweredOn()
        try await peripheral.wait(.state(.poweredOn))
        return (world, central, peripheral)
    }

    private func discoveries(_ central: TestCentral) -> [TestCentral.Event] {
        central.events.filter { if case .discovered = $0 { true } else { false } }
    }

    @Test func deviceIsReportedOnceWithItsScanResponse() async throws {
        let (world, central, peripheral) = try await world()
        // 128 bits leave no room for this name: it goes to the scan response.
        let service = BluetoothUUID(high: 1, low: 2)
        peripheral.session.startAdvertising(Advertisement(localName: "wristband", services: [service]))
        central.session.startScan(ScanRequest())
        await world.run(for: .seconds(10))
        #expect(discoveries(central).count == 1)
        guard case .discovered(_, let name, let data, let isConnectable)? = discoveries(central).first else {
            Issue.record("\(central.events)")
            return
        }
        #expect(name == "wristband")
        let listsService = AD.contains(service: service, in: data.span)
        #expect(listsService)
        let advertisedName = AD.localName(in: data.span)
        #expect(advertisedName == "wristband")
        #expect(isConnectable)
        // A new scan begins with an empty filter.
        central.session.startScan(ScanRequest())
        await world.run(for: .seconds(1))
        #expect(discoveries(central).count == 2)
    }

    /// Extended packets, then legacy ones, then extended ones again.
    @Test(arguments: [RawAdvertisement.Packet.nonConnectable, .scannable, .connectable])
    func anAdvertiserWithExtendedPacketsIsFound(_ packet: RawAdvertisement.Packet) async throws {
        let world = World(seed: 5)
        let central = TestCentral(world.addDevice("phone"), in: world)
        try await central.poweredOn()
        func advertisement(_ value: UInt8) -> (RawAdvertisement, [UInt8]) {
            let structure = [100, 0xFF] + [UInt8](repeating: value, count: 99)
            let octets = (0..<(packet == .connectable ? 2 : 12)).flatMap { _ in structure }
            let isScannable = packet == .scannable
            return (
                RawAdvertisement(
                    packet, data: isScannable ? [] : octets, scanResponse: isScannable ? octets : [],
                    interval: .milliseconds(20), extended: .init(secondaryPHY: .coded, sid: 7)), octets
            )
        }
        func found() -> [[UInt8]] {
            central.events.compactMap { if case .discovered(_, _, let data, _) = $0 { data } else { nil } }
        }
        let (first, second) = (advertisement(1), advertisement(2))
        let advertiser = try world.addAdvertiser("sensor", first.0, at: Position(x: 1))
        central.session.startScan(ScanRequest())
        await world.run(for: .seconds(3))
        #expect(found() == [first.1])
        try advertiser.advertise(RawAdvertisement(data: [2, 1, 6]))
        await world.run(for: .seconds(3))
        #expect(found() == [first.1, [2, 1, 6]])
        try advertiser.advertise(second.0)
        await world.run(for: .seconds(3))
        #expect(found() == [first.1, [2, 1, 6], second.1])
    }

    @Test func anAdvertisementThatCannotBeSentIsRefused() throws {
        let world = World(seed: 5)
        let octets = [UInt8](repeating: 0, count: 1_651)
        for advertisement in [
            RawAdvertisement(data: octets, extended: .init()),
            RawAdvertisement(data: [], scanResponse: [0], extended: .init()),
            RawAdvertisement(.scannable, data: [0], scanResponse: [0], extended: .init()),
            RawAdvertisement(.scannable, extended: .init()),
            RawAdvertisement(.connectable, data: Array(octets.prefix(246)), extended: .init()),
            RawAdvertisement(.connectable, extended: .init(isAnonymous: true)),
            RawAdvertisement(extended: .init(primaryPHY: .twoM)), RawAdvertisement(extended: .init(sid: 16)),
            RawAdvertisement(extended: .init(sid: -1)), RawAdvertisement(data: Array(octets.prefix(32))),
        ] {
            #expect(throws: RawAdvertisement.ParameterError.self) { try world.addAdvertiser("a", advertisement) }
        }
    }

    @Test func everyPacketIsReportedIfDuplicatesAreAllowed() async throws {
        let (world, central, peripheral) = try await world()
        peripheral.session.startAdvertising(Advertisement(localName: "band", services: []))
        central.session.startScan(ScanRequest(allowDuplicates: true))
        await world.run(for: .seconds(10))
        #expect(discoveries(central).count > 100)
    }

    @Test func changedContentIsReportedAgain() async throws {
        let (world, central, peripheral) = try await world()
        peripheral.session.startAdvertising(Advertisement(localName: "one", services: []))
        central.session.startScan(ScanRequest())
        await world.run(for: .seconds(1))
        peripheral.session.stopAdvertising()
        peripheral.session.startAdvertising(Advertisement(localName: "two", services: []))
        await world.run(for: .seconds(1))
        let names = discoveries(central).compactMap { event -> String? in
            if case .discovered(_, let name, _, _) = event { name } else { nil }
        }
        #expect(names == ["one", "two"])
    }

    @Test func aFilterMatchesAnyOfItsServices() async throws {
        let (world, central, peripheral) = try await world()
        peripheral.session.startAdvertising(Advertisement(localName: nil, services: [TestPeripheral.service]))
        central.session.startScan(ScanRequest(services: [BluetoothUUID(UInt16(0x180D))]))
        await world.run(for: .seconds(2))
        #expect(discoveries(central).isEmpty)
        central.session.startScan(ScanRequest(services: [BluetoothUUID(UInt16(0x180D)), TestPeripheral.service]))
        await world.run(for: .seconds(2))
        #expect(discoveries(central).count == 1)
    }

    @Test func sessionsScanIndependently() async throws {
        let (world, central, peripheral) = try await world()
        peripheral.session.startAdvertising(Advertisement(localName: "band", services: [TestPeripheral.service]))
        let second = world.addDevice("phone 2", at: Position(y: 1))
        let all = TestCentral(second, in: world)
        let other = TestCentral(second, in: world)
        try await all.poweredOn()
        all.session.startScan(ScanRequest())
        other.session.startScan(ScanRequest(services: [BluetoothUUID(UInt16(0x180D))]))
        await world.run(for: .seconds(1))
        #expect(discoveries(all).count == 1)
        #expect(discoveries(other).isEmpty)
        #expect(discoveries(central).isEmpty)
        all.session.stopScan()
        other.session.startScan(ScanRequest())
        await world.run(for: .seconds(1))
        #expect(discoveries(other).count == 1)
    }

    @Test func aSecondAdvertisingStartIsRefused() async throws {
        let (world, _, peripheral) = try await world()
        peripheral.session.startAdvertising(Advertisement(localName: "band", services: []))
        try await peripheral.wait(.advertising(nil))
        peripheral.session.startAdvertising(Advertisement(localName: "band", services: []))
        try await peripheral.wait(.advertising(.alreadyAdvertising))
        peripheral.session.stopAdvertising()
        await world.run(for: .seconds(1))
        #expect(peripheral.events.count == 3)
    }

    @Test func eachAdvertisingStartIsAnsweredAfterAStop() async throws {
        let (world, _, peripheral) = try await world()
        let before = peripheral.events.count
        peripheral.session.startAdvertising(Advertisement(localName: "band", services: []))
        peripheral.session.startAdvertising(Advertisement(localName: "band", services: []))
        peripheral.session.stopAdvertising()
        await world.run(for: .seconds(2))
        #expect(peripheral.events.dropFirst(before) == [.advertising(nil), .advertising(.alreadyAdvertising)])
    }
}
