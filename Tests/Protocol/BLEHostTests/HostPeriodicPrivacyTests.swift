import BLECrypto
import BLESecurity
import BLEWire
import Testing

@testable import BLEHost

/// Searches for trains of bonded devices with private addresses, on controllers without radio.
struct HostPeriodicPrivacyTests {
    private let bench = Bench()
    private static let identity = DeviceAddress(kind: .random, value: 0xC011_2233_4455)
    private static let key = IdentityResolvingKey(value: UInt128(7) << 90 | 5)
    private let train = PeriodicTrainIdentifier(address: identity, sid: 2)

    private static let bond = Bond(
        peer: identity,
        security: LinkSecurity(keySize: 16, isAuthenticated: false, isSecureConnections: true, isBonded: true),
        usesDebugKeys: false, localKey: nil, peerKey: nil, peerIdentityKey: key, localSignatureKey: nil,
        peerSignatureKey: nil, linkKey: nil)

    private func established(_ host: BenchHost) -> [PeriodicTrainIdentifier] {
        bench.settle()
        defer { host.clearEvents() }
        return host.events.compactMap {
            if case .periodic(.established(let train, _)) = $0.event { train } else { nil }
        }
    }

    /// A controller that does not resolve looks for the private address that was heard last. The program knows the identity.
    @Test func theHostResolvesTheAdvertiser() {
        let device = bench.ready { $0.becomePeriodic() }
        device.host.addBond(Self.bond)
        bench.settle()
        var crypto = SwiftCryptoProvider(generator: SeededRandom(seed: 9))
        for round in 1...2 as ClosedRange<UInt16> {
            device.host.synchronize(train, at: bench.now)
            bench.settle()
            var address = Self.identity
            for _ in 0..<2 {
                address = crypto.makeResolvableAddress(Self.key)
                device.controller.report(0, from: address, [2, 1, 6], sid: 2, primary: 1, secondary: 1)
                bench.settle()
                #expect(device.controller.syncs.searched == [PeriodicTrainIdentifier(address: address, sid: 2)])
                // The same address changes nothing.
                device.controller.clearLog()
                device.controller.report(0, from: address, [2, 1, 6], sid: 2, primary: 1, secondary: 1)
                bench.settle()
                #expect(device.controller.log.isEmpty)
            }
            device.controller.establish(address, sid: 2, handle: round)
            #expect(established(device) == [train])
            device.host.endSync(train, at: bench.now)
            bench.settle()
            #expect(device.controller.syncs.enables.isEmpty && !device.controller.isScanning)
        }
    }

    /// 7.8.38: the list must not change while the controller looks for a train. The search pauses, and goes on.
    @Test func theSearchPausesForTheResolvingList() {
        let device = bench.ready {
            $0.becomePeriodic(.privacy)
            for command in [
                .leAddDeviceToResolvingList, .leRemoveDeviceFromResolvingList, .leReadResolvingListSize,
                .leSetAddressResolutionEnable, .leSetResolvablePrivateAddressTimeout,
            ] as [HCI.Opcode] { $0.supported.insert(command) }
        }
        let other = PeriodicTrainIdentifier(address: DeviceAddress(kind: .random, value: 0xC000_0000_0001), sid: 1)
        device.host.synchronize(other, at: bench.now)
        bench.settle()
        device.controller.clearLog()
        device.host.addBond(Self.bond)
        bench.run(.seconds(1))
        #expect(
            device.controller.opcodes() == [
                .leSetExtendedScanEnable, .lePeriodicAdvertisingCreateSyncCancel, .leAddDeviceToResolvingList,
                .leSetAddressResolutionEnable, .leSetExtendedScanEnable, .lePeriodicAdvertisingCreateSync,
            ])
        #expect(device.controller.syncs.searched == [other] && device.controller.isScanning)
        // A controller that resolves knows the identity.
        device.host.endSync(other, at: bench.now)
        device.host.synchronize(train, at: bench.now)
        bench.settle()
        device.controller.establish(
            DeviceAddress(kind: .randomIdentity, value: Self.identity.value), sid: 2, handle: 4)
        #expect(established(device) == [train] && device.host.access.syncs.received == [train])
    }
}
