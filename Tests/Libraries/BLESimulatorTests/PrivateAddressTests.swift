import BLEAdapter
import BLEController
import BLECrypto
import BLEHost
import BLEHostAdapter
import BLERuntime
import BLESimulator
import BLEStore
import BLETransport
import BLEVirtualRadio
import BLEWire
import Foundation
import Testing

/// Programs that use private addresses by `BLUETOOTH_PRIVATE_ADDRESS`, with their controller behind a socket.
final class PrivateAddressTests {
    private let folder = "/tmp/ocb-private-\(UUID().uuidString.prefix(8))"

    init() throws { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    /// The addresses that advertise, in the order of their first packet.
    private final class Advertisers: Sendable {
        private let content = Lock<[DeviceAddress]>([])
        var addresses: [DeviceAddress] { content.withLock { $0 } }

        init(_ world: World) {
            world.observeAir { [weak self] packet, _ in
                // ADV_IND (Vol 6, Part B, 2.3.1.1): the address follows the header, whose bit 6 says that it is random.
                guard let self, packet.accessAddress == 0x8E89_BED6, packet.pdu.count >= 8, packet.pdu[0] & 0xF == 0
                else { return }
                var value: UInt64 = 0
                for index in (2..<8).reversed() { value = value << 8 | UInt64(packet.pdu[index]) }
                let address = DeviceAddress(kind: packet.pdu[0] & 0x40 != 0 ? .random : .public, value: value)
                content.withLock { if !$0.contains(address) { $0.append(address) } }
            }
        }
    }

    /// The adapter of a program, as `ProcessAdapter` makes it, but patient with a busy machine.
    private func adapter(_ privacy: PrivacyConfiguration, _ store: DeviceStore) throws -> HostAdapter {
        var configuration = HostConfiguration()
        configuration.commandTimeout = .seconds(600)
        configuration.privacy = privacy
        return try ControllerSupervisor.adapter(
            for: SocketControllerSource(.unix(path: folder + "/radio")), seed: 1, configuration: configuration,
            store: store)
    }

    /// - Parameter listSize: The entries of the controller's resolving list; 0 for a controller without address resolution.
    @Test(arguments: [0, 8] as [UInt8]) func theAddressChangesAfterTheIntervalInRealTime(listSize: UInt8) async throws {
        let world = World(seed: 1, pace: .multiple(8))
        let heartbeat = Heartbeat(world)
        defer { withExtendedLifetime(heartbeat) {} }
        var configuration = ControllerConfiguration()
        configuration.resolvingListSize = listSize
        let server = try world.radio.serve(
            at: .unix(path: folder + "/radio"), position: .origin, configuration: configuration, platforms: [:])
        defer { server.stop() }
        let (privacy, complaint) = PrivateAddressSetting.configuration("1")
        #expect(complaint == nil)
        let store = DeviceStore(key: StoreKey(high: 1, low: 2))
        let advertisers = Advertisers(world)
        let program = TestPeripheral(try adapter(privacy, store), in: world)
        try await program.publish("private")
        try #require(await world.run(timeout: .seconds(4800), until: { advertisers.addresses.count >= 3 }))
        let seen = advertisers.addresses
        for address in seen { #expect(address.isResolvable) }
        // A bonded peer resolves all of them by the IRK of the store.
        let key = try #require(store.bonds.localIdentityKey)
        let crypto = SwiftCryptoProvider()
        for address in seen { #expect(crypto.resolves(address, key)) }
    }

    @Test func withoutTheVariableTheAddressIsTheIdentityInRealTime() async throws {
        let world = World(seed: 1, pace: .multiple(8))
        let heartbeat = Heartbeat(world)
        defer { withExtendedLifetime(heartbeat) {} }
        let server = try world.radio.serve(
            at: .unix(path: folder + "/radio"), position: .origin, configuration: ControllerConfiguration(),
            platforms: [:])
        defer { server.stop() }
        let advertisers = Advertisers(world)
        let privacy = PrivateAddressSetting.configuration(nil).setting
        let program = TestPeripheral(
            try adapter(privacy, DeviceStore(key: StoreKey(high: 1, low: 2))), in: world)
        try await program.publish("public")
        await world.run(for: .seconds(2))
        #expect(!advertisers.addresses.isEmpty)
        #expect(advertisers.addresses.allSatisfy { !$0.isResolvable })
    }

    @Test(
        arguments: [
            (nil, false, 900, false), ("", false, 900, false), ("off", false, 900, false), ("on", true, 900, false),
            ("1", true, 1, false), ("3600", true, 3600, false), ("0", true, 900, true), ("3601", true, 900, true),
            ("yes", true, 900, true), ("-5", true, 900, true),
        ] as [(String?, Bool, Int, Bool)])
    func theVariableSelectsTheInterval(_ text: String?, _ isPrivate: Bool, _ seconds: Int, _ complains: Bool) {
        let (configuration, complaint) = PrivateAddressSetting.configuration(text)
        #expect(configuration.usesPrivateAddress == isPrivate)
        #expect(configuration.addressLifetime == .seconds(seconds))
        #expect((complaint != nil) == complains)
    }
}
