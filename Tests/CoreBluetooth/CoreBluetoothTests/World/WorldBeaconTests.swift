import BLEAdapter
import BLEController
import BLEHostAdapter
import BLESimulator
import BLEWire
import CoreBluetooth
import Testing

/// What a central manager sees of advertisers without a host.
@Suite struct WorldBeaconTests {
    private let world = World(seed: 3)
    private let phone: Phone

    init() async throws {
        phone = Phone(world.addDevice("Phone", at: Position(x: 1)))
        let recorder = phone.recorder
        #expect(await world.run(timeout: .seconds(5)) { recorder.events.value.contains("state 5") })
    }

    /// Scans until something that has `key` is discovered, and gives its last advertisement.
    private func scan(until key: String? = nil) async throws -> [String: Any] {
        let recorder = phone.recorder
        phone.manager.scanForPeripherals(
            withServices: nil, options: [CBCentralManagerScanOptionAllowDuplicatesKey: true])
        let isFound = await world.run(timeout: .seconds(5)) {
            recorder.advertisements.value.contains { key == nil || $0[key ?? ""] != nil }
        }
        phone.manager.stopScan()
        #expect(isFound)
        return try #require(recorder.advertisements.value.last { key == nil || $0[key ?? ""] != nil })
    }

    private func isConnectable(_ advertisement: [String: Any]) -> Bool? {
        (advertisement[CBAdvertisementDataIsConnectable] as? NSNumber)?.boolValue
    }

    /// The values that one key had in the callbacks of a scan, in order, while the advertising data changes from 1 to 9.
    private func values(_ key: String, allowsDuplicates: Bool) async throws -> [Data] {
        func structures(_ number: UInt8) -> [AdvertisingStructure] {
            switch key {
            case CBAdvertisementDataManufacturerDataKey: [AdvertisingStructure(type: 0xFF, value: [0x59, 0, number])]
            case CBAdvertisementDataTxPowerLevelKey: [AdvertisingStructure(type: 0x0A, value: [number])]
            default: [AdvertisingStructure(type: 0x16, value: [0x0F, 0x18, number])]
            }
        }
        func advertisement(_ number: UInt8) -> RawAdvertisement {
            RawAdvertisement(.scannable, structures: structures(number), scanResponse: structures(99))
        }
        let device = try world.addAdvertiser("meter", advertisement(1))
        phone.manager.scanForPeripherals(
            withServices: nil, options: [CBCentralManagerScanOptionAllowDuplicatesKey: allowsDuplicates])
        for number in 1...9 as ClosedRange<UInt8> {
            try device.advertise(advertisement(number))
            await world.run(for: .seconds(1))
        }
        return phone.recorder.advertisements.value.compactMap { advertisement in
            switch advertisement[key] {
            case let data as Data: data.suffix(1)
            case let power as NSNumber: Data([power.uint8Value])
            case let services as [CBUUID: Data]: services[CBUUID(string: "180F")]
            default: nil
            }
        }
    }

    @Test(
        arguments: [
            CBAdvertisementDataManufacturerDataKey, CBAdvertisementDataTxPowerLevelKey,
            CBAdvertisementDataServiceDataKey,
        ], [true, false])
    func eachHalfOfAnAdvertisementIsReported(key: String, allowsDuplicates: Bool) async throws {
        let values = try await values(key, allowsDuplicates: allowsDuplicates)
        let expected = (1...9).map { Data([$0]) } + [Data([99])]
        #expect(Set(values) == Set(expected))
        // The advertising data in their order.
        let data = values.filter { $0 != Data([99]) }
        #expect(data == data.sorted { $0[$0.startIndex] < $1[$1.startIndex] })
        if allowsDuplicates {
            #expect(values.filter { $0 == Data([99]) }.count > 9, "with each scan response")
        } else {
            #expect(values.count == 10, "each half brings something new once: \(values)")
        }
    }

    @Test func severalStructuresOfAPacketAreOneValue() async throws {
        _ = try world.addAdvertiser(
            "two",
            RawAdvertisement(
                .scannable,
                structures: [
                    AdvertisingStructure(type: 0xFF, value: [0x59, 0, 1]),
                    AdvertisingStructure(type: 0xFF, value: [0x4C, 0, 2]),
                    AdvertisingStructure(type: 0x16, value: [0x0F, 0x18, 3]),
                    AdvertisingStructure(type: 0x16, value: [0x0F, 0x18, 4]),
                ]))
        let advertisement = try await scan()
        #expect(advertisement[CBAdvertisementDataManufacturerDataKey] as? Data == Data([0x59, 0, 1, 0x4C, 0, 2]))
        #expect(
            advertisement[CBAdvertisementDataServiceDataKey] as? [CBUUID: Data] == [
                CBUUID(string: "180F"): Data([3, 4])
            ])
    }

    @Test func anIBeaconIsNonconnectableManufacturerData() async throws {
        let uuid = try #require(UUID(uuidString: "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"))
        let structures: [AdvertisingStructure] = [.flags(), .iBeacon(uuid, major: 1, minor: 7)]
        let beacon = try world.addAdvertiser("door", RawAdvertisement(structures: structures))
        let advertisement = try await scan()
        let data = try #require(advertisement[CBAdvertisementDataManufacturerDataKey] as? Data)
        #expect([UInt8](data) == structures[1].value)
        #expect(isConnectable(advertisement) == false)
        #expect(beacon.name == "door")
    }

    @Test func row031_connectableFollowsTheTypeOfEachPDUOnTheAir() async throws {
        let onAir = Locked<Set<UInt8>>([])
        world.observeAir { packet, _ in
            guard packet.channel >= 37 else { return }
            let type = packet.pdu[0] & 0x0F
            onAir { _ = $0.insert(type) }
        }
        let beacon = try world.addAdvertiser("lamp", RawAdvertisement(structures: [.flags()]))
        // One device changes its type. PDU types: Vol 6, Part B, 2.3.
        let events: [(packet: RawAdvertisement.Packet, type: UInt8, isConnectable: Bool)] = [
            (.nonConnectable, 0x02, false), (.connectable, 0x00, true), (.scannable, 0x06, false),
            (.nonConnectable, 0x02, false),
        ]
        let recorder = phone.recorder
        for event in events {
            try beacon.advertise(RawAdvertisement(event.packet, structures: [.flags()]))
            // The events of the type before end.
            await world.run(for: .seconds(1))
            onAir { $0 = [] }
            recorder.advertisements { $0 = [] }
            phone.manager.scanForPeripherals(
                withServices: nil, options: [CBCentralManagerScanOptionAllowDuplicatesKey: true])
            await world.run(for: .seconds(5))
            phone.manager.stopScan()
            let advertisements = recorder.advertisements.value
            #expect(advertisements.count > 10)
            #expect(advertisements.allSatisfy { isConnectable($0) == event.isConnectable })
            let advertisingTypes: Set<UInt8> = [0x00, 0x01, 0x02, 0x06]
            #expect(onAir.value.intersection(advertisingTypes) == [event.type])
        }
    }

    @Test func aConnectionToANonconnectableAdvertiserStaysPendingUntilItIsConnectable() async throws {
        let beacon = try world.addAdvertiser("lock", RawAdvertisement(structures: [.manufacturer(0xFFFF, [1])]))
        _ = try await scan()
        let peripheral = try #require(phone.recorder.peripherals.value.first)
        phone.manager.connect(peripheral)
        await world.run(for: .seconds(60))
        #expect(peripheral.state == .connecting)
        #expect(!phone.events.contains { $0.hasPrefix("connect") || $0.hasPrefix("fail") })
        // The same device becomes connectable. There is no host behind it, so the link ends again.
        try beacon.advertise(RawAdvertisement(.connectable, structures: [.flags()]))
        let recorder = phone.recorder
        #expect(
            await world.run(timeout: .seconds(30)) {
                recorder.events.value.contains { $0.hasPrefix("fail CBErrorDomain 7") }
            })
        #expect(peripheral.state == .disconnected)
        // It continues to advertise.
        recorder.advertisements { $0 = [] }
        #expect(isConnectable(try await scan()) == true)
    }

    @Test func aScannableAdvertiserSendsItsScanResponseAndIsNotConnectable() async throws {
        let serviceData = try AdvertisingStructure.serviceData("FEAA", [0x10, 0xEB])
        _ = try world.addAdvertiser(
            "scale",
            RawAdvertisement(.scannable, structures: [serviceData], scanResponse: [.localName("Scale")]))
        let advertisement = try await scan(until: CBAdvertisementDataLocalNameKey)
        #expect(advertisement[CBAdvertisementDataLocalNameKey] as? String == "Scale")
        let data = advertisement[CBAdvertisementDataServiceDataKey] as? [CBUUID: Data]
        #expect(data == [CBUUID(string: "FEAA"): Data([0x10, 0xEB])])
        #expect(isConnectable(advertisement) == false)
    }

    @Test func aConnectableAdvertisersStructuresAreAllReported() async throws {
        let services = try AdvertisingStructure.services(["180D"])
        _ = try world.addAdvertiser(
            "band",
            RawAdvertisement(
                .connectable, structures: [.flags(), services, .transmitPower(4)],
                scanResponse: [.localName("Band"), .manufacturer(0x1234, [9])]),
            address: try RadioAddress("02:00:5E:00:00:01"))
        let advertisement = try await scan(until: CBAdvertisementDataManufacturerDataKey)
        #expect(advertisement[CBAdvertisementDataServiceUUIDsKey] as? [CBUUID] == [CBUUID(string: "180D")])
        #expect((advertisement[CBAdvertisementDataTxPowerLevelKey] as? NSNumber)?.intValue == 4)
        #expect(advertisement[CBAdvertisementDataManufacturerDataKey] as? Data == Data([0x34, 0x12, 9]))
        #expect(isConnectable(advertisement) == true)
    }

    @Test func aDirectedAdvertiserIsReportedToItsTargetAlone() async throws {
        let other = Phone(world.addDevice("Other", at: Position(x: 2)))
        let otherRecorder = other.recorder
        #expect(await world.run(timeout: .seconds(5)) { otherRecorder.events.value.contains("state 5") })
        let address = await withCheckedContinuation { continuation in
            world.start()
            world.radio.change { network in
                continuation.resume(returning: network.radio.status(of: ControllerIdentifier(rawValue: 0))?.address)
            }
        }
        world.stop()
        let text = try #require(address).description
        let target = try RadioAddress(text, isRandom: true)
        _ = try world.addAdvertiser("mouse", RawAdvertisement(.directed(to: target)))
        other.manager.scanForPeripherals(withServices: nil)
        let advertisement = try await scan()
        #expect(isConnectable(advertisement) == true)
        #expect(Array(advertisement.keys) == [CBAdvertisementDataIsConnectable])
        await world.run(for: .seconds(2))
        #expect(otherRecorder.advertisements.value.isEmpty)
    }

    @Test func reportsFollowPowerDistanceAndRemoval() async throws {
        let beacon = try world.addAdvertiser("near", RawAdvertisement(data: [2, 1, 6]), transmitPower: 10)
        let recorder = phone.recorder
        func signal() -> Int? {
            recorder.events.value.last { $0.hasPrefix("discover") }?.split(separator: " ").last.flatMap { Int($0) }
        }
        _ = try await scan()
        #expect(signal() == -30, "10 dBm less 40 dB of the first metre")
        beacon.move(to: Position(x: 11))
        recorder.advertisements { $0 = [] }
        _ = try await scan()
        #expect(signal() == -55)
        beacon.remove()
        await world.run(for: .seconds(1))
        recorder.advertisements { $0 = [] }
        phone.manager.scanForPeripherals(withServices: nil)
        await world.run(for: .seconds(3))
        #expect(recorder.advertisements.value.isEmpty)
    }
}
