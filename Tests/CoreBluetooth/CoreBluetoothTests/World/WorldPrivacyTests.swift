import BLESimulator
import CoreBluetooth
import Testing

/// Devices with private addresses that change.
@Suite struct WorldPrivacyTests {
    @Test func aBondedPeerKeepsItsIdentifierThroughAddressChanges() async throws {
        let scene = try await Scene(privateAddressInterval: .seconds(60))
        let secret = service("FEE8", [characteristic("AB01", .read, .readEncryptionRequired, value: Data([7]))])
        try await scene.publish(secret)
        let (peripheral, characteristics) = try await scene.characteristics(in: secret)
        // The first read pairs.
        peripheral.readValue(for: characteristics[0])
        try await scene.wait("value")
        for _ in 0..<3 {
            scene.phone.manager.cancelPeripheralConnection(peripheral)
            try await scene.wait("disconnect")
            await scene.world.run(for: .seconds(61))
            let again = try await scene.discover()
            #expect(again === peripheral)
            let found = scene.phone.manager.retrievePeripherals(withIdentifiers: [peripheral.identifier])
            #expect(found.count == 1)
            scene.phone.manager.connect(peripheral)
            try await scene.wait("connect")
        }
    }

    /// A request for a connection lasts as long as the peer is away, whatever address it returns with.
    @Test func aBondedPeerIsConnectedWhenItReturnsWithAnotherAddress() async throws {
        let scene = try await Scene(privateAddressInterval: .seconds(60))
        let secret = service("FEE8", [characteristic("AB01", .read, .readEncryptionRequired, value: Data([7]))])
        try await scene.publish(secret)
        let (peripheral, characteristics) = try await scene.characteristics(in: secret)
        peripheral.readValue(for: characteristics[0])
        try await scene.wait("value")
        scene.gadget.manager.stopAdvertising()
        scene.phone.manager.cancelPeripheralConnection(peripheral)
        try await scene.wait("disconnect")
        await scene.world.run(for: .seconds(61))
        scene.phone.manager.connect(peripheral)
        await scene.world.run(for: .seconds(100))
        scene.gadget.manager.startAdvertising([CBAdvertisementDataServiceUUIDsKey: [Gadget.service]])
        try await scene.wait("connect", within: .seconds(5))
    }

    @Test func aStrangerSeesAnotherDeviceAfterEachChange() async throws {
        let scene = try await Scene(privateAddressInterval: .seconds(60))
        var identifiers: Set<UUID> = []
        for _ in 0..<3 {
            identifiers.insert(try await scene.discover().identifier)
            await scene.world.run(for: .seconds(61))
        }
        #expect(identifiers.count == 3)
        let known = try await Scene()
        var same: Set<UUID> = []
        for _ in 0..<3 {
            same.insert(try await known.discover().identifier)
            await known.world.run(for: .seconds(61))
        }
        #expect(same.count == 1)
    }
}
