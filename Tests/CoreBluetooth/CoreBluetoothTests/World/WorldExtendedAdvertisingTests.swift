import BLESimulator
import BLEWire
import CoreBluetooth
import Testing

@testable import BLEHost

/// Advertisements on the secondary channels, from the air to the program.
@Suite struct WorldExtendedAdvertisingTests {
    /// `MisbehavingScene.advertisement`, and service data of 200 octets for each of these services.
    private static func advertisement(_ services: ClosedRange<UInt16>) -> [UInt8] {
        services.reduce(into: MisbehavingScene.advertisement) { data, service in
            data += [203, 0x16, UInt8(service & 0xFF), UInt8(service >> 8)]
            data += (0..<200).map { UInt8(truncatingIfNeeded: Int(service) + $0) }
        }
    }

    private func serviceData(_ advertisement: [String: Any]) -> [CBUUID: Data] {
        advertisement[CBAdvertisementDataServiceDataKey] as? [CBUUID: Data] ?? [:]
    }

    @Test(arguments: [HCI.PHY.le1M, .le2M, .leCoded], [false, true])
    func row027_aLongAdvertisementArrivesWhole(_ phy: HCI.PHY, _ isScanResponse: Bool) async throws {
        let long = Self.advertisement(0xAA00...0xAA06)
        #expect(long.count > 1400)
        let scene = try await MisbehavingScene(
            AdvertisingParameters(
                data: isScanResponse ? [] : long, scanResponse: isScanResponse ? long : [], isConnectable: false,
                // An event on Coded lasts 100 ms.
                intervalMinimum: 320, intervalMaximum: 320, pdus: .extended(ExtendedAdvertising(secondaryPHY: phy))))
        let peripheral = try await scene.discover()
        #expect(peripheral.name == "Peer")
        let advertisement = try #require(scene.phone.recorder.advertisements.value.last)
        let data = serviceData(advertisement)
        #expect(data.count == 7)
        for service in 0xAA00...0xAA06 as ClosedRange<UInt16> {
            #expect(
                data[CBUUID(string: String(service, radix: 16))]
                    == Data((0..<200).map { UInt8(truncatingIfNeeded: Int(service) + $0) }))
        }
        #expect(advertisement[CBAdvertisementDataIsConnectable] as? Bool == false)
    }

    @Test(arguments: [HCI.PHY.le1M, .le2M, .leCoded])
    func aDeviceThatIsConnectableOnSecondaryChannelsConnects(_ phy: HCI.PHY) async throws {
        let scene = try await MisbehavingScene(
            AdvertisingParameters(
                data: Self.advertisement(0xAA00...0xAA00), pdus: .extended(ExtendedAdvertising(secondaryPHY: phy))))
        for _ in 0..<2 {
            let peripheral = try await scene.discover()
            let advertisement = try #require(scene.phone.recorder.advertisements.value.last)
            #expect(advertisement[CBAdvertisementDataIsConnectable] as? Bool == true)
            #expect(serviceData(advertisement).count == 1)
            scene.phone.manager.connect(peripheral)
            try await scene.wait("connect 2")
            peripheral.discoverServices([MisbehavingPeer.service])
            try await scene.wait("services")
            scene.phone.manager.cancelPeripheralConnection(peripheral)
            try await scene.wait("disconnect")
        }
    }

    /// The data changes while the scan runs: the program gets each whole advertisement, and never a mixture.
    @Test func aLongAdvertisementThatChangesIsNeverAMixture() async throws {
        let scene = try await MisbehavingScene(
            AdvertisingParameters(
                data: Self.advertisement(0xAA00...0xAA04), isConnectable: false,
                pdus: .extended(ExtendedAdvertising())))
        scene.phone.manager.scanForPeripherals(
            withServices: [MisbehavingPeer.service], options: [CBCentralManagerScanOptionAllowDuplicatesKey: true])
        for first in stride(from: UInt16(0xAB00), to: 0xAB40, by: 8) {
            await scene.world.run(for: .milliseconds(777))
            scene.peer.act { host, now in
                host.setAdvertising(
                    AdvertisingParameters(
                        data: Self.advertisement(first...(first + 4)), isConnectable: false,
                        pdus: .extended(ExtendedAdvertising())), at: now)
            }
        }
        await scene.world.run(for: .seconds(2))
        let seen = scene.phone.recorder.advertisements.value.map { serviceData($0).keys.map(\.uuidString).sorted() }
        let expected = [0xAA00] + Array(stride(from: 0xAB00, to: 0xAB40, by: 8))
        let whole = expected.map { first in (0..<5).map { String(first + $0, radix: 16, uppercase: true) } }
        #expect(Set(seen) == Set(whole))
    }

    @Test func row062_aDeviceWithExtendedAdvertisingSupportsExtendedScanAndConnect() async throws {
        let scene = try await MisbehavingScene()
        scene.phone.device.run { #expect(CBCentralManager.supports(.extendedScanAndConnect)) }
    }

    /// A gateway of this library passes on what its radio receives, also more than the 62 octets of an ESP32.
    @Test(arguments: [1, 8] as [UInt16]) func aLongAdvertisementArrivesWholeOverAGateway(_ count: UInt16) async throws {
        let world = World(seed: 4)
        let phone = Phone(over: GatewayRoom(world))
        try #require(await world.run(timeout: .seconds(5)) { phone.events.contains("state 5") })
        let services = 0xAA00...0xAA00 + count - 1
        let data = Self.advertisement(services)
        #expect((count == 1 ? 62..<230 : 1600..<1651).contains(data.count))
        let sender = try world.addAdvertiser("sign", RawAdvertisement(data: data, extended: .init(secondaryPHY: .twoM)))
        phone.manager.scanForPeripherals(withServices: [MisbehavingPeer.service])
        try #require(await world.run(timeout: .seconds(20)) { !phone.recorder.advertisements.value.isEmpty })
        sender.remove()
        let advertisement = try #require(phone.recorder.advertisements.value.last)
        #expect(advertisement[CBAdvertisementDataLocalNameKey] as? String == "Peer")
        let found = serviceData(advertisement)
        #expect(found.count == count)
        for service in services {
            #expect(
                found[CBUUID(string: String(service, radix: 16))]
                    == Data((0..<200).map { UInt8(truncatingIfNeeded: Int(service) + $0) }))
        }
    }
}
