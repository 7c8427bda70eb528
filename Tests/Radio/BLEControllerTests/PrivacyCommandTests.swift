import BLEController
import BLEWire
import Testing

/// The commands of the resolving list (Vol 4, Part E, 7.8.38 to 7.8.45 and 7.8.77).
@Suite struct PrivacyCommandTests {
    private let bench = Bench()
    private let key = IdentityResolvingKey(value: 0xA1)
    private let peer = DeviceAddress(kind: .random, value: 0xC000_0000_0077)

    private func status<C: HCICommand>(_ host: RawHost, _ command: C) -> HCI.ErrorCode? {
        host.events.removeAll()
        host.send(command)
        bench.deliver()
        return host.status(of: C.opcode)
    }

    private func entry(
        _ identity: DeviceAddress, _ peerKey: UInt128, _ localKey: UInt128 = 0
    ) -> HCI.LEAddDeviceToResolvingList {
        .init(
            identity: identity, peerKey: IdentityResolvingKey(value: peerKey),
            localKey: IdentityResolvingKey(value: localKey))
    }

    /// HCI/CCO/BV-12-C, HCI/CCO/BV-13-C, HCI/CCO/BV-14-C
    @Test func theListHoldsWhatItSays() {
        let host = bench.addHost { $0.resolvingListSize = 5 }
        #expect(status(host, HCI.LEReadResolvingListSize()) == .success)
        #expect(host.events.last?.suffix(2) == [0, 5])
        for number in 1...5 as ClosedRange<UInt64> {
            let added = entry(DeviceAddress(kind: .public, value: number), UInt128(number), 7)
            #expect(status(host, added) == .success)
        }
        let sixth = entry(DeviceAddress(kind: .public, value: 6), 6)
        #expect(status(host, sixth) == .memoryCapacityExceeded)
        // An equal entry takes no place, a different one for the same device is refused.
        #expect(status(host, entry(DeviceAddress(kind: .public, value: 5), 5, 7)) == .success)
        #expect(status(host, entry(DeviceAddress(kind: .public, value: 5), 5, 8)) == .invalidHCICommandParameters)
        #expect(status(host, entry(DeviceAddress(kind: .public, value: 9), 5, 7)) == .invalidHCICommandParameters)
        let first = HCI.LERemoveDeviceFromResolvingList(identity: DeviceAddress(kind: .public, value: 1))
        #expect(status(host, first) == .success)
        #expect(status(host, first) == .unknownConnectionIdentifier)
        #expect(status(host, sixth) == .success)
        #expect(status(host, HCI.LEClearResolvingList()) == .success)
        for number in 1...5 as ClosedRange<UInt64> {
            // Zeros are no key, so any number of devices may have them.
            #expect(status(host, entry(DeviceAddress(kind: .public, value: number), 0)) == .success)
        }
        host.send(HCI.Reset())
        #expect(status(host, sixth) == .success)
    }

    @Test func onlyIdentityAddressesHaveEntries() {
        let host = bench.addHost()
        let addresses = [
            DeviceAddress(kind: .random, value: 0x4000_0000_0001), DeviceAddress(kind: .random, value: 1),
            DeviceAddress(kind: .publicIdentity, value: 1), DeviceAddress(kind: .init(rawValue: 0xFF), value: 1),
        ]
        for address in addresses {
            #expect(status(host, entry(address, 1)) == .invalidHCICommandParameters)
        }
        for kind in [2, 3, 0xFF] as [UInt8] {
            let address = DeviceAddress(kind: .init(rawValue: kind), value: 0xC000_0000_0077)
            #expect(
                status(host, HCI.LERemoveDeviceFromResolvingList(identity: address)) == .invalidHCICommandParameters)
            #expect(
                status(host, HCI.LESetPrivacyMode(identity: address, mode: .device)) == .invalidHCICommandParameters)
        }
    }

    /// HCI/CM/BV-01-C, HCI/CM/BV-02-C
    @Test func privateAddressesAreReadByIdentity() throws {
        let host = bench.addHost()
        #expect(status(host, HCI.LEReadLocalResolvableAddress(identity: peer)) == .unknownConnectionIdentifier)
        #expect(status(host, entry(peer, 1, 7)) == .success)
        #expect(status(host, HCI.LEReadLocalResolvableAddress(identity: peer)) == .success)
        let answer = try #require(host.events.last)
        let address = try HCI.ResolvableAddressReturn(decoding: answer.span.extracting(droppingFirst: 5)).address
        #expect(address.isResolvable)
        // The peer has not been heard.
        #expect(status(host, HCI.LEReadPeerResolvableAddress(identity: peer)) == .unknownConnectionIdentifier)
        #expect(host.events.last?.count == 12)
    }

    @Test(arguments: [0, 1, 3600, 3601, 0xFFFF] as [UInt16])
    func theTimeoutHasARange(seconds: UInt16) {
        let host = bench.addHost()
        let isValid = (1...3600).contains(seconds)
        #expect(
            status(host, HCI.LESetResolvablePrivateAddressTimeout(timeout: seconds))
                == (isValid ? .success : .invalidHCICommandParameters))
    }

    @Test func privacyModesBelongToEntries() {
        let host = bench.addHost()
        #expect(status(host, HCI.LESetPrivacyMode(identity: peer, mode: .device)) == .unknownConnectionIdentifier)
        #expect(status(host, entry(peer, 1)) == .success)
        #expect(status(host, HCI.LESetPrivacyMode(identity: peer, mode: .device)) == .success)
        #expect(
            status(host, HCI.LESetPrivacyMode(identity: peer, mode: .init(rawValue: 2)))
                == .invalidHCICommandParameters)
    }

    /// A role that is active.
    enum Role: CaseIterable { case advertiser, scanner, initiator }

    @Test(arguments: Role.allCases)
    func aListInUseDoesNotChange(role: Role) {
        let host = bench.addHost()
        func start() {
            switch role {
            case .advertiser: host.advertise()
            case .scanner: host.scan()
            case .initiator: host.connect(to: peer)
            }
        }
        func stop() {
            switch role {
            case .advertiser: host.send(HCI.LESetAdvertisingEnable(enable: false))
            case .scanner: host.send(HCI.LESetScanEnable(enable: false, filterDuplicates: false))
            case .initiator: host.send(HCI.LECreateConnectionCancel())
            }
        }
        func changes() -> [HCI.ErrorCode?] {
            [
                status(host, entry(peer, 1, 7)),
                status(host, HCI.LESetPrivacyMode(identity: peer, mode: .device)),
                status(host, HCI.LERemoveDeviceFromResolvingList(identity: peer)),
                status(host, HCI.LEClearResolvingList()),
            ]
        }
        let allowed = [HCI.ErrorCode?](repeating: .success, count: 4)
        let refused = [HCI.ErrorCode?](repeating: .commandDisallowed, count: 4)
        // The list is not in use while resolution is off.
        start()
        #expect(changes() == allowed)
        #expect(status(host, HCI.LESetAddressResolutionEnable(enable: true)) == .commandDisallowed)
        stop()
        #expect(status(host, HCI.LESetAddressResolutionEnable(enable: true)) == .success)
        #expect(changes() == allowed)
        start()
        #expect(changes() == refused)
        #expect(status(host, HCI.LESetAddressResolutionEnable(enable: false)) == .commandDisallowed)
        // Reading and the timeout are always allowed.
        #expect(status(host, HCI.LEReadResolvingListSize()) == .success)
        #expect(status(host, HCI.LESetResolvablePrivateAddressTimeout(timeout: 1)) == .success)
        stop()
        #expect(changes() == allowed)
    }

    /// A controller may lack the resolving list. It says so, and refuses what needs the list.
    @Test func aControllerWithoutAListHasNoPrivacy() throws {
        let (host, other) = (bench.addHost { $0.resolvingListSize = 0 }, bench.addHost())
        #expect(status(host, entry(peer, 1)) == .unknownHCICommand)
        #expect(status(host, HCI.LESetAddressResolutionEnable(enable: true)) == .unknownHCICommand)
        for (device, hasList) in [(host, false), (other, true)] {
            #expect(status(device, HCI.LEReadLocalSupportedFeatures()) == .success)
            let answer = try #require(device.events.last)
            let features = try HCI.LEReadLocalSupportedFeatures.ReturnParameters(
                decoding: answer.span.extracting(droppingFirst: 5)
            ).features
            #expect(features.contains(.privacy) == hasList)
            #expect(features.contains(.extendedScannerFilterPolicies) == hasList)
            #expect(status(device, HCI.ReadLocalSupportedCommands()) == .success)
            let list = try #require(device.events.last)
            let commands = try HCI.ReadLocalSupportedCommands.ReturnParameters(
                decoding: list.span.extracting(droppingFirst: 5)
            ).supportedCommands
            #expect(commands.contains(.leAddDeviceToResolvingList) == hasList)
            #expect(commands.contains(.leSetPrivacyMode) == hasList)
            let expected: HCI.ErrorCode = hasList ? .success : .unsupportedFeatureOrParameterValue
            #expect(status(device, HCI.LESetAdvertisingParameters(ownAddressType: .resolvableOrRandom)) == expected)
            let extended = HCI.LESetScanParameters(
                scanType: .active, interval: 16, window: 16, ownAddressType: .random, filterPolicy: .everyoneExtended)
            #expect(status(device, extended) == expected)
        }
    }

    /// An own address type with the resolving list needs an entry or the other address (Vol 4, Part E, 7.8.9 to 7.8.12).
    @Test func aRoleNeedsAnAddress() {
        let host = bench.addHost()
        host.send(HCI.Reset())
        func outcomes() -> [HCI.ErrorCode?] {
            host.events.removeAll()
            host.advertise(peer: peer, own: .resolvableOrPublic)
            host.scan(own: .resolvableOrPublic)
            host.connect(to: peer, own: .resolvableOrRandom)
            bench.deliver()
            return [.leSetAdvertisingEnable, .leSetScanEnable, .leCreateConnection].map { host.status(of: $0) }
        }
        #expect(outcomes() == [HCI.ErrorCode?](repeating: .invalidHCICommandParameters, count: 3))
        #expect(status(host, entry(peer, 1, 0)) == .success)
        #expect(outcomes() == [HCI.ErrorCode?](repeating: .invalidHCICommandParameters, count: 3))
        #expect(status(host, HCI.LEClearResolvingList()) == .success)
        #expect(status(host, entry(peer, 1, 7)) == .success)
        #expect(outcomes() == [HCI.ErrorCode?](repeating: .success, count: 3))
        // Resolution is off, so the list may lose the entry that a role uses. The roles go on.
        #expect(status(host, HCI.LEClearResolvingList()) == .success)
        bench.run(for: .seconds(2))
        #expect(status(host, HCI.LESetAdvertisingEnable(enable: false)) == .success)
    }
}
