import BLEAdapter
import BLEHostAdapter
import BLESimulator
import BLEWire
import Testing

/// A phone and a band with a service whose value is protected: the first read pairs them.
struct BondedPair {
    static let service = BluetoothUUID(UInt16(0xFEE8))

    let pair: ConversationTests.Pair
    let handle: UInt16

    /// - Parameter prepare: Called with the phone before the bond.
    init(
        _ world: World = World(seed: 1), phone platform: Platform? = nil, _ prepare: (VirtualDevice) -> Void = { _ in }
    ) async throws {
        pair = try await ConversationTests.Pair(world, phone: platform)
        prepare(pair.phone)
        try await Self.publish(Self.service, token: 2, on: pair.peripheral)
        // Its Service Changed arrives before the bond.
        await world.run(for: .seconds(3))
        let found = try await pair.central.characteristics(of: Self.service, on: pair.peer)
        handle = try #require(found.first).valueHandle
        try await read()
        // The hosts exchange their keys, and the phone validates its cache.
        await world.run(for: .seconds(3))
        try #require(pair.phone.links.first?.isEncrypted == true)
    }

    /// Adds a service with one protected value.
    static func publish(_ service: BluetoothUUID, token: Int, on peripheral: TestPeripheral) async throws {
        let value = CharacteristicDefinition(
            uuid: BluetoothUUID(UInt16(0xFECB)), properties: 2, permissions: 4, value: [9], descriptors: [])
        peripheral.session.add(
            ServiceDefinition(uuid: service, isPrimary: true, includedServices: [], characteristics: [value]),
            token: token)
        try await peripheral.wait(.added(token, nil))
    }

    func read() async throws {
        let result = try await pair.central.perform(.read(handle: handle), on: pair.peer)
        #expect(result == .value([9]))
    }

    /// Ends the link from the phone's side.
    func disconnect() async throws {
        let (peer, start) = (pair.peer, pair.central.events.count)
        pair.central.session.cancelConnection(peer)
        try await pair.central.wait(from: start, "the end") { $0.isLoss ? true : nil }
        await pair.world.run(for: .seconds(1))
    }
}
