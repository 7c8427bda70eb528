import BLEAdapter
import BLESimulator
import BluetoothPairing
import Foundation
import Testing

/// Pairings with out-of-band data, over two hosts and their controllers (Vol 3, Part H, 2.3.5.6.4 and 2.3.5.4).
@Suite struct OutOfBandTests {
    enum Direction: CaseIterable {
        case toCentral
        case toPeripheral
        case both
    }

    /// Runs until the manager has drawn its data.
    private func makeData(
        _ manager: PairingManager, in world: World, _ kind: OutOfBandData.Kind = .secureConnections
    ) async throws -> OutOfBandData {
        let result = Lock<OutOfBandData?>(nil)
        manager.makeOutOfBandData(kind) { data in result.withLock { $0 = data } }
        try #require(await world.run(timeout: .seconds(1), until: { result.withLock { $0 } != nil }))
        return try #require(result.withLock { $0 })
    }

    @Test(arguments: Direction.allCases)
    func dataInOneDirectionAuthenticatesThePairing(direction: Direction) async throws {
        let scene = PairingScene(lock: nil)
        let identifier = try await scene.connect()
        if direction != .toPeripheral {
            scene.phonePairing.setOutOfBandData(
                try await makeData(scene.lockPairing, in: scene.world), of: identifier)
        }
        if direction != .toCentral {
            // The lock does not know the identifier of the phone.
            scene.lockPairing.setOutOfBandData(try await makeData(scene.phonePairing, in: scene.world))
        }
        let security = try await scene.pair(minimum: .secureConnections).get()
        #expect(security.level == .secureConnections)
        #expect(scene.phonePairing.bonds.map(\.security.level) == [.secureConnections])
        #expect(scene.lockPairing.bonds.map(\.security.level) == [.secureConnections])
    }

    @Test func aTemporaryKeyOfBothDevicesAuthenticatesALegacyPairing() async throws {
        let scene = PairingScene(lock: nil)
        let identifier = try await scene.connect()
        let data = try await makeData(scene.phonePairing, in: scene.world, .legacy)
        scene.phonePairing.setOutOfBandData(data, of: identifier)
        scene.lockPairing.setOutOfBandData(data)
        let security = try await scene.pair(minimum: .authenticated).get()
        #expect(security.level == .authenticated)
    }

    @Test(arguments: Direction.allCases)
    func dataOfAnotherDeviceFailsThePairing(direction: Direction) async throws {
        let scene = PairingScene(lock: nil)
        let identifier = try await scene.connect()
        // The lock's earlier data, and data of a device that is not there.
        let old = try await makeData(scene.lockPairing, in: scene.world)
        _ = try await makeData(scene.lockPairing, in: scene.world)
        _ = try await makeData(scene.phonePairing, in: scene.world)
        if direction != .toPeripheral { scene.phonePairing.setOutOfBandData(old, of: identifier) }
        if direction != .toCentral { scene.lockPairing.setOutOfBandData(old) }
        let ending = try await scene.pair(minimum: .authenticated)
        guard case .failure(let error) = ending else {
            Issue.record("a pairing with foreign data succeeded")
            return
        }
        // Confirm Value Failed (Vol 3, Part H, 2.3.5.6.4).
        #expect(error.code == .wrongPasskey)
        #expect(error.isFromPeer == (direction == .toPeripheral))
        #expect(scene.phonePairing.bonds.isEmpty && scene.lockPairing.bonds.isEmpty)
    }

    @Test func aWrongTemporaryKeyFailsThePairing() async throws {
        let scene = PairingScene(lock: nil)
        let identifier = try await scene.connect()
        scene.phonePairing.setOutOfBandData(
            try await makeData(scene.phonePairing, in: scene.world, .legacy), of: identifier)
        scene.lockPairing.setOutOfBandData(try await makeData(scene.lockPairing, in: scene.world, .legacy))
        #expect(try await scene.pair(minimum: .authenticated).code == .wrongPasskey)
        #expect(scene.phonePairing.bonds.isEmpty && scene.lockPairing.bonds.isEmpty)
    }

    @Test func dataServesOnePairing() async throws {
        let scene = PairingScene(lock: nil)
        let identifier = try await scene.connect()
        let data = try await makeData(scene.lockPairing, in: scene.world)
        scene.phonePairing.setOutOfBandData(data, of: identifier)
        let first = try await scene.pair(minimum: .secureConnections).get()
        #expect(first.level == .secureConnections)
        // Both devices delete the keys and try the same data again.
        let isRemoved = Lock(0)
        for (manager, peer) in [(scene.phonePairing, identifier), (scene.lockPairing, nil)] {
            guard let peer = peer ?? manager.bonds.first?.identifier else { continue }
            manager.unpair(peer) { _ in isRemoved.withLock { $0 += 1 } }
        }
        try #require(await scene.world.run(timeout: .seconds(5), until: { isRemoved.withLock { $0 } == 2 }))
        try #require(
            await scene.world.run(
                timeout: .seconds(5), until: { !scene.central.isConnected.withLock { $0 } }))
        let peripheral = try #require(scene.central.peripheral.withLock { $0 })
        scene.central.manager.connect(peripheral)
        scene.phonePairing.setOutOfBandData(data, of: identifier)
        let second = try await scene.pair(minimum: .secureConnections)
        // OOB Not Available: the lock has no data any longer.
        #expect(second.code == .outOfBandDataMissing)
        #expect(scene.phonePairing.bonds.isEmpty)
    }

    @Test func removedDataDoesNotAuthenticate() async throws {
        let scene = PairingScene(lock: nil)
        let identifier = try await scene.connect()
        scene.phonePairing.setOutOfBandData(
            try await makeData(scene.lockPairing, in: scene.world), of: identifier)
        scene.phonePairing.setOutOfBandData(nil, of: identifier)
        #expect(try await scene.pair().get().level == .encrypted)
    }

    @Test func valuesHaveTheOrderOfADStructuresAndStayHidden() async throws {
        let world = World()
        let device = world.addDevice("Lock")
        let manager = device.run { PairingManager(queue: DispatchQueue(label: "pairing")) }
        let data = try await makeData(manager, in: world)
        let random = try #require(data.random)
        let confirm = try #require(data.confirm)
        #expect(random.count == 16 && confirm.count == 16 && data.temporaryKey == nil)
        #expect(OutOfBandData(random: random, confirm: confirm) == data)
        let octets = Data((1...16).map { UInt8($0) })
        let key = try #require(OutOfBandData(temporaryKey: octets))
        #expect(key.temporaryKey == octets && key.kind == .legacy && key.random == nil)
        #expect(OutOfBandData(temporaryKey: octets.dropLast()) == nil)
        #expect(OutOfBandData(temporaryKey: Data(count: 16)) == nil)
        #expect(OutOfBandData(random: octets, confirm: octets + octets) == nil)
        var dumped = ""
        dump(key, to: &dumped)
        for text in ["\(key)", "\(String(reflecting: key))", dumped] {
            #expect(!text.contains("1339673755198158349044581307228491536") && !text.contains("\(octets)"), "\(text)")
        }
        #expect("\(key)" == "OutOfBandData(legacy, redacted)")
    }
}
