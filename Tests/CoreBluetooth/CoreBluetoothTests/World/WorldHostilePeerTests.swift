import BLEAdapter
import BLEHostAdapter
import BLESimulator
import BLEWire
import CoreBluetooth
import Testing

@testable import BLEHost

/// What a peer says against the specification does not reach the program.
@Suite struct WorldHostilePeerTests {
    @Test(
        arguments: [
            [], [0x42, 0xFF], [0x41, 0xE6, 0x89], [0x42, 0x61, 0, 0],
        ] as [[UInt8]])
    func row037_aMalformedDeviceNameDoesNotBecomeTheName(_ name: [UInt8]) async throws {
        let scene = try await MisbehavingScene()
        scene.peer.change {
            // Read By Type Response with the device name, which has handle 3.
            $0 = { pdu in pdu[0] == 0x09 && pdu[2] == 3 ? [0x09, UInt8(2 + name.count), 3, 0] + name : pdu }
        }
        let peripheral = try await scene.discover()
        scene.phone.manager.connect(peripheral)
        try await scene.wait("connect")
        await scene.world.run(for: .seconds(10))
        #expect(peripheral.name == "Peer" && scene.phone.newEvents().isEmpty)
        scene.peer.change { $0 = nil }
        // A name that is one is still taken.
        scene.peer.act { host, now in host.databaseChanged([host.database.gapService], at: now) }
        try await scene.wait("name Peer GAP")
    }

    @Test(arguments: [HandleRange(start: 0, end: 0), HandleRange(start: 0, end: 0xFFFF), HandleRange(start: 9, end: 8)])
    func row124_aServiceChangedWithoutARangeIsIgnored(_ range: HandleRange) async throws {
        let scene = try await MisbehavingScene()
        let peripheral = try await scene.connect()
        scene.peer.indicateServicesChanged(range)
        await scene.world.run(for: .seconds(5))
        #expect(scene.phone.newEvents().isEmpty)
        scene.peer.indicateServicesChanged(HandleRange(start: 1, end: 0xFFFF))
        #expect(try await scene.wait("modified") == "modified []")
        withExtendedLifetime(peripheral) {}
    }

    /// The broken end of one part costs nothing of the other, on the whole way from the air.
    @Test(
        arguments: [
            ([2, 1, 6, 9, 9, 0x58], [3, 3, 0xE7, 0xFE, 5, 9, 0x50, 0x65, 0x65, 0x72]),
            ([2, 1, 6, 3, 3, 0xE7, 0xFE, 5, 9, 0x50, 0x65, 0x65, 0x72, 200], [20, 9, 0x58, 0x58]),
            ([2, 1, 6, 5, 8, 0x50, 0x65, 0x65, 0x72, 31, 0xFF], [5, 9, 0x50, 0x65, 0x65, 0x72, 3, 3, 0xE7, 0xFE, 1]),
        ] as [([UInt8], [UInt8])])
    func row027_malformedAdvertisingDataLeavesTheScanResponse(_ data: [UInt8], _ scanResponse: [UInt8]) async throws {
        let scene = try await MisbehavingScene(data: data, scanResponse: scanResponse)
        let peripheral = try await scene.discover()
        #expect(peripheral.name == "Peer")
        let advertisement = try #require(scene.phone.recorder.advertisements.value.last)
        #expect(advertisement[CBAdvertisementDataLocalNameKey] as? String == "Peer")
        #expect(advertisement[CBAdvertisementDataServiceUUIDsKey] as? [CBUUID] == [MisbehavingPeer.service])
        #expect(advertisement[CBAdvertisementDataManufacturerDataKey] == nil)
        scene.phone.manager.connect(peripheral)
        try await scene.wait("connect 2")
        let connected = scene.phone.manager.retrieveConnectedPeripherals(withServices: [MisbehavingPeer.service])
        #expect(connected == [peripheral], "what it advertised is known of a connected device, too")
    }

    @Test func row038_aRenamedLocalDeviceIsReportedToItsPeers() async throws {
        let scene = try await Scene()
        let peripheral = try await scene.connect()
        if peripheral.name != "Gadget GAP" { try await scene.wait("name Gadget GAP") }
        await scene.world.run(for: .seconds(5))
        scene.gadgetDevice.run { LocalBluetoothDevice.rename("Kitchen") }
        try await scene.wait("name Kitchen")
        #expect(peripheral.name == "Kitchen")
    }
}
