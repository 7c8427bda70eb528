import BLEController
import BLEWire
import Testing

/// Private addresses on the air (Vol 6, Part B, 6). The cases of LL.TS are in the comments of the tests.
@Suite struct PrivacyTests {
    private let bench = Bench()

    /// Records the addresses of all advertising PDUs.
    private final class AirLog {
        var packets: [AirAddresses] = []

        init(_ bench: Bench) {
            bench.radio.airObserver = { [unowned self] packet in
                if let addresses = AirAddresses(packet) { packets.append(addresses) }
            }
        }

        func all(_ types: LL.AdvertisingPDUType...) -> [AirAddresses] { packets.filter { types.contains($0.type) } }
    }

    /// Two hosts whose controllers have each other in the resolving list.
    private func pair() -> (PrivateHost, PrivateHost) {
        let (one, other) = (PrivateHost(bench, key: 0xA1), PrivateHost(bench, key: 0xB2))
        one.add(other)
        other.add(one)
        one.resolve()
        other.resolve()
        return (one, other)
    }

    // MARK: Advertising

    /// LL/SEC/ADV/BV-03-C, LL/SEC/ADV/BV-05-C
    @Test(arguments: [
        HCI.AdvertisingType.nonconnectableUndirected, .scannableUndirected, .connectableUndirected,
    ])
    func anAdvertiserChangesItsPrivateAddress(type: HCI.AdvertisingType) {
        let (device, scanner) = (PrivateHost(bench, key: 0xA1), PrivateHost(bench, key: 0xB2))
        let air = AirLog(bench)
        device.host.send(HCI.LESetResolvablePrivateAddressTimeout(timeout: 10))
        device.add(scanner)
        scanner.host.scan(.active)
        device.host.advertise(type, interval: 0xA0, peer: scanner.identity, own: .resolvableOrRandom)
        bench.run(for: .seconds(35))
        let sent = air.all(.advInd, .advScanInd, .advNonconnInd, .scanRsp)
        var addresses: [DeviceAddress] = []
        for packet in sent where addresses.last != packet.sender {
            // The change is due every 10 s and takes effect with the next event.
            let late = packet.start.nanoseconds % 10_000_000_000
            #expect(late < 200_000_000)
            addresses.append(packet.sender)
        }
        #expect(Set(addresses).count == 4 && addresses.count == 4)
        #expect(addresses.allSatisfy { device.owns($0) && !scanner.owns($0) })
        let responses = air.all(.scanRsp).count
        #expect(type == .nonconnectableUndirected ? responses == 0 : responses > 100)
        // The scanner does not resolve.
        #expect(Set(scanner.host.reports.map(\.address)) == Set(addresses.map(\.value)))
    }

    /// A role without a matching entry uses the address beside the resolving list (Vol 4, Part E, 7.8.5).
    @Test func withoutAnEntryTheOtherAddressIsUsed() {
        let device = PrivateHost(bench, key: 0xA1) {
            $0.publicAddress = DeviceAddress(kind: .public, value: 0x00_1122_3344_55)
        }
        let (known, unknown) = (PrivateHost(bench, key: 0xB2), PrivateHost(bench, key: 0xC3))
        let air = AirLog(bench)
        device.add(known)
        for (peer, own) in [(unknown, HCI.OwnAddressType.resolvableOrPublic), (unknown, .resolvableOrRandom)] {
            device.host.advertise(interval: 0x20, peer: peer.identity, own: own)
            bench.run(for: .milliseconds(100))
            device.host.send(HCI.LESetAdvertisingEnable(enable: false))
        }
        #expect(Set(air.packets.map(\.sender)) == [device.identity, device.host.address])
        air.packets.removeAll()
        device.host.advertise(interval: 0x20, peer: known.identity, own: .resolvableOrPublic)
        bench.run(for: .milliseconds(100))
        #expect(!air.packets.isEmpty && air.packets.allSatisfy { device.owns($0.sender) })
    }

    /// LL/SEC/ADV/BV-11-C: the addresses of directed advertising with all combinations of IRKs, and a connection.
    @Test(arguments: [true, false], [true, false])
    func directedAdvertisingUsesTheKeysOfItsEntry(hasLocalKey: Bool, hasPeerKey: Bool) throws {
        let (device, central) = (PrivateHost(bench, key: 0xA1), PrivateHost(bench, key: 0xB2))
        let air = AirLog(bench)
        let none = IdentityResolvingKey.none
        device.add(central, peerKey: hasPeerKey ? central.key : none, localKey: hasLocalKey ? device.key : none)
        device.resolve()
        central.add(device, peerKey: hasLocalKey ? device.key : none, localKey: hasPeerKey ? central.key : none)
        central.resolve()
        device.host.advertise(
            .connectableDirectedLowDutyCycle, interval: 0x20, peer: central.identity, own: .resolvableOrRandom)
        bench.run(for: .milliseconds(100))
        #expect(!air.packets.isEmpty)
        for packet in air.packets {
            let target = try #require(packet.receiver)
            #expect(hasLocalKey ? device.owns(packet.sender) : packet.sender == device.identity)
            #expect(hasPeerKey ? central.owns(target) : target == central.identity)
        }
        central.host.connect(to: device.identity, own: .resolvableOrRandom)
        #expect(bench.run(atMost: .seconds(1)) { !device.connections.isEmpty })
        let (there, here) = (try #require(central.connections.first), try #require(device.connections.first))
        #expect(there.peerAddress == (hasLocalKey ? device.identity.asResolved : device.identity))
        #expect(here.peerAddress == (hasPeerKey ? central.identity.asResolved : central.identity))
        #expect(device.owns(here.localResolvablePrivateAddress) == hasLocalKey)
        #expect(central.owns(here.peerResolvablePrivateAddress) == hasPeerKey)
        // The initiator does not repeat the target, which the advertiser generated (Vol 6, Part B, 6.4).
        if hasPeerKey {
            let request = try #require(air.all(.connectInd).first)
            #expect(request.sender != air.packets[0].receiver && central.owns(request.sender))
        }
    }

    /// LL/SEC/ADV/BV-11-C: without address resolution the advertiser does not know its target.
    @Test func withoutResolutionADirectedAdvertiserAcceptsNoPrivateAddress() {
        let (device, central) = pair()
        device.resolve(false)
        device.host.advertise(
            .connectableDirectedLowDutyCycle, interval: 0x20, peer: central.identity, own: .resolvableOrRandom)
        central.host.connect(to: device.identity, own: .resolvableOrRandom)
        bench.run(for: .seconds(1))
        // The central sent CONNECT_IND, which the advertiser ignored.
        #expect(device.connections.isEmpty)
        #expect(central.host.disconnections.map(\.reason) == [.connectionFailedToBeEstablished])
        device.host.send(HCI.LESetAdvertisingEnable(enable: false))
        device.resolve()
        device.host.send(HCI.LESetAdvertisingEnable(enable: true))
        central.host.connect(to: device.identity, own: .resolvableOrRandom)
        #expect(bench.run(atMost: .seconds(2)) { !device.connections.isEmpty })
    }

    @Test func theTargetOfDirectedAdvertisingRotates() {
        let (device, central) = (PrivateHost(bench, key: 0xA1), PrivateHost(bench, key: 0xB2))
        let air = AirLog(bench)
        device.host.send(HCI.LESetResolvablePrivateAddressTimeout(timeout: 1))
        device.add(central)
        device.host.advertise(
            .connectableDirectedHighDutyCycle, peer: central.identity, own: .resolvableOrRandom)
        bench.run(for: .seconds(2))
        #expect(Set(air.packets.map(\.receiver)).count == 2 && Set(air.packets.map(\.sender)).count == 2)
        #expect(air.packets.allSatisfy { $0.receiver.map(central.owns) == true })
    }

    // MARK: Connecting

    /// LL/SEC/ADV/BV-10-C, LL/CON/INI/BV-09-C: two devices whose addresses rotate.
    @Test func devicesWithRotatingAddressesConnectAgainAndAgain() throws {
        let (central, peripheral) = pair()
        var used: Set<DeviceAddress> = []
        for device in [central, peripheral] {
            device.host.send(HCI.LESetResolvablePrivateAddressTimeout(timeout: 5))
        }
        for round in 0..<4 {
            peripheral.host.advertise(interval: 0x20, peer: central.identity, own: .resolvableOrRandom)
            central.host.connect(to: peripheral.identity, own: .resolvableOrRandom)
            #expect(
                bench.run(atMost: .seconds(1)) {
                    central.connections.count > round && peripheral.connections.count > round
                })
            let (there, here) = (central.connections[round], peripheral.connections[round])
            #expect(there.peerAddress == peripheral.identity.asResolved)
            #expect(here.peerAddress == central.identity.asResolved)
            #expect(peripheral.owns(there.peerResolvablePrivateAddress))
            #expect(central.owns(there.localResolvablePrivateAddress))
            #expect(here.localResolvablePrivateAddress == there.peerResolvablePrivateAddress)
            #expect(here.peerResolvablePrivateAddress == there.localResolvablePrivateAddress)
            used.formUnion([here.localResolvablePrivateAddress, there.localResolvablePrivateAddress])
            central.host.connect(to: peripheral.identity.asResolved)
            bench.deliver()
            #expect(central.host.status(of: .leCreateConnection) == .connectionAlreadyExists)
            central.host.send(HCI.Disconnect(connectionHandle: there.connectionHandle))
            bench.run(for: .seconds(6))
        }
        #expect(used.count == 8)
    }

    /// LL/CON/INI/BV-08-C: the initiator is private, the advertiser is not.
    @Test func anInitiatorUsesItsLocalKeyWithAPeerThatHasNone() throws {
        let (central, peripheral) = (PrivateHost(bench, key: 0xA1), PrivateHost(bench, key: 0xB2))
        central.add(peripheral, peerKey: IdentityResolvingKey.none)
        central.resolve()
        peripheral.host.advertise(interval: 0x20)
        central.host.connect(to: peripheral.identity, own: .resolvableOrRandom)
        #expect(bench.run(atMost: .seconds(1)) { !peripheral.connections.isEmpty })
        let (there, here) = (try #require(central.connections.first), try #require(peripheral.connections.first))
        #expect(there.peerAddress == peripheral.identity && there.peerResolvablePrivateAddress.isZero)
        #expect(here.peerAddress == there.localResolvablePrivateAddress && central.owns(here.peerAddress))
        #expect(here.localResolvablePrivateAddress.isZero && here.peerResolvablePrivateAddress.isZero)
    }

    /// LL/CON/INI/BV-09-C, LL/CON/INI/BV-10-C: a private address of another IRK is another device.
    @Test(arguments: [HCI.AdvertisingType.connectableUndirected, .connectableDirectedLowDutyCycle])
    func anInitiatorConnectsOnlyToTheKeyInItsList(type: HCI.AdvertisingType) throws {
        let central = PrivateHost(bench, key: 0xA1) {
            $0.publicAddress = DeviceAddress(kind: .public, value: 0x00_1122_3344_55)
        }
        let peripheral = PrivateHost(bench, key: 0xB2)
        central.add(peripheral)
        central.resolve()
        let wrong = IdentityResolvingKey(value: 0xBAD)
        for key in [wrong, peripheral.key] {
            peripheral.host.send(HCI.LEClearResolvingList())
            peripheral.add(central, peerKey: IdentityResolvingKey.none, localKey: key)
            peripheral.host.advertise(type, interval: 0x20, peer: central.identity, own: .resolvableOrRandom)
            if key == wrong { central.host.connect(to: peripheral.identity.asResolved, own: .public) }
            bench.run(for: .seconds(1))
            #expect(central.connections.isEmpty == (key == wrong))
            peripheral.host.send(HCI.LESetAdvertisingEnable(enable: false))
        }
        let complete = try #require(central.connections.first)
        #expect(complete.peerAddress == peripheral.identity.asResolved)
        #expect(peripheral.owns(complete.peerResolvablePrivateAddress))
        #expect(complete.localResolvablePrivateAddress.isZero)
    }

    /// LL/CON/INI/BV-11-C: the target of directed advertising must resolve with the local IRK.
    @Test func anInitiatorIgnoresDirectedAdvertisingToAnotherKey() throws {
        let (central, peripheral) = (PrivateHost(bench, key: 0xA1), PrivateHost(bench, key: 0xB2))
        central.add(peripheral)
        central.resolve()
        let wrong = IdentityResolvingKey(value: 0xBAD)
        for key in [wrong, central.key] {
            peripheral.host.send(HCI.LEClearResolvingList())
            peripheral.add(central, peerKey: key)
            peripheral.resolve()
            peripheral.host.advertise(
                .connectableDirectedLowDutyCycle, interval: 0x20, peer: central.identity, own: .resolvableOrRandom)
            if key == wrong { central.host.connect(to: peripheral.identity, own: .resolvableOrRandom) }
            bench.run(for: .seconds(1))
            #expect(central.connections.isEmpty == (key == wrong))
            peripheral.host.send(HCI.LESetAdvertisingEnable(enable: false))
        }
    }

    /// Vol 6, Part B, 6.4: in network privacy mode an initiator does not answer for its identity address.
    @Test(arguments: [PrivacyMode.network, .device])
    func directedAdvertisingToTheIdentityNeedsDevicePrivacyMode(mode: PrivacyMode) {
        let (central, peripheral) = (PrivateHost(bench, key: 0xA1), PrivateHost(bench, key: 0xB2))
        central.add(peripheral)
        central.setMode(mode, of: peripheral)
        central.resolve()
        peripheral.add(central, peerKey: IdentityResolvingKey.none)
        peripheral.host.advertise(
            .connectableDirectedLowDutyCycle, interval: 0x20, peer: central.identity, own: .resolvableOrRandom)
        central.host.connect(to: peripheral.identity, own: .resolvableOrRandom)
        bench.run(for: .seconds(1))
        #expect(central.connections.isEmpty == (mode == .network))
    }

    /// LL/CON/INI/BV-12-C: the accept list has the identity; it applies only while the controller resolves.
    @Test func acceptListsHaveIdentities() throws {
        let (central, peripheral) = pair()
        central.host.send(HCI.LEAddDeviceToFilterAcceptList(address: peripheral.identity))
        peripheral.host.send(HCI.LEAddDeviceToFilterAcceptList(address: central.identity))
        central.resolve(false)
        peripheral.host.advertise(
            interval: 0x20, peer: central.identity, policy: .bothFromAcceptList, own: .resolvableOrRandom)
        central.host.scan(.active, policy: .acceptList, own: .resolvableOrRandom)
        central.host.connect(to: DeviceAddress(kind: .public, value: 0), policy: .acceptList, own: .resolvableOrRandom)
        bench.run(for: .seconds(2))
        #expect(central.connections.isEmpty && central.host.reports.isEmpty)
        central.host.send(HCI.LECreateConnectionCancel())
        central.host.send(HCI.LESetScanEnable(enable: false, filterDuplicates: false))
        central.resolve()
        // The scan request of a stranger is not answered, that of the central is.
        let stranger = PrivateHost(bench, key: 0xC3)
        stranger.host.scan(.active)
        central.host.scan(.active, policy: .acceptList, own: .resolvableOrRandom)
        bench.run(for: .seconds(2))
        #expect(Set(central.host.reports.map(\.type)) == [0, 4])
        #expect(
            central.host.reports.allSatisfy { $0.kind == .randomIdentity && $0.address == peripheral.identity.value })
        #expect(Set(stranger.host.reports.map(\.type)) == [0])
        let address = try #require(stranger.host.reports.first).address
        stranger.host.connect(to: DeviceAddress(kind: .random, value: address))
        bench.run(for: .seconds(1))
        #expect(peripheral.connections.isEmpty)
        central.host.connect(to: DeviceAddress(kind: .public, value: 0), policy: .acceptList, own: .resolvableOrRandom)
        #expect(bench.run(atMost: .seconds(2)) { !peripheral.connections.isEmpty })
        #expect(peripheral.connections[0].peerAddress == central.identity.asResolved)
    }

    /// A host that resolves addresses by itself names the private address, whatever its controller's list holds.
    @Test func aPrivateAddressMayBeRequestedItself() throws {
        let (central, peripheral) = pair()
        peripheral.host.advertise(interval: 0x20, peer: central.identity, own: .resolvableOrRandom)
        peripheral.host.send(HCI.LEReadLocalResolvableAddress(identity: central.identity))
        bench.deliver()
        let answer = try #require(peripheral.host.events.last)
        let address = try HCI.ResolvableAddressReturn(decoding: answer.span.extracting(droppingFirst: 5)).address
        #expect(peripheral.owns(address))
        central.host.connect(to: address)
        #expect(bench.run(atMost: .seconds(1)) { !central.connections.isEmpty })
        #expect(central.connections[0].peerAddress == peripheral.identity.asResolved)
        // The central read which address its peer uses.
        central.host.send(HCI.LEReadPeerResolvableAddress(identity: peripheral.identity))
        bench.deliver()
        let read = try #require(central.host.events.last)
        let seen = try HCI.ResolvableAddressReturn(decoding: read.span.extracting(droppingFirst: 5))
        #expect(seen == .init(status: .success, address: address))
    }

    // MARK: Scanning

    /// LL/DDI/SCN/BV-13-C
    @Test func aScannerReportsTheIdentityWhileItResolves() {
        let (scanner, advertiser) = pair()
        advertiser.host.advertise(
            .nonconnectableUndirected, interval: 0xA0, peer: scanner.identity, own: .resolvableOrRandom)
        scanner.host.scan(.passive, own: .resolvableOrRandom)
        bench.run(for: .seconds(2))
        #expect(scanner.host.reports.count > 10)
        #expect(
            scanner.host.reports.allSatisfy { $0.address == advertiser.identity.value && $0.kind == .randomIdentity })
        scanner.host.send(HCI.LESetScanEnable(enable: false, filterDuplicates: false))
        scanner.resolve(false)
        scanner.host.events.removeAll()
        scanner.host.scan(.passive, own: .resolvableOrRandom)
        bench.run(for: .seconds(2))
        #expect(scanner.host.reports.count > 10)
        #expect(
            scanner.host.reports.allSatisfy {
                $0.kind == .random && advertiser.owns(DeviceAddress(kind: $0.kind, value: $0.address))
            })
    }

    /// LL/DDI/SCN/BV-18-C
    @Test func anActiveScannerRequestsWithAPrivateAddress() {
        let (scanner, advertiser) = pair()
        let stranger = PrivateHost(bench, key: 0xC3)
        let air = AirLog(bench)
        advertiser.host.advertise(.scannableUndirected, peer: scanner.identity, own: .resolvableOrRandom)
        stranger.host.advertise(.scannableUndirected)
        scanner.host.scan(.active, own: .resolvableOrRandom)
        bench.run(for: .seconds(5))
        let requests = air.all(.scanReq)
        #expect(requests.contains { $0.receiver == stranger.identity })
        #expect(requests.contains { $0.receiver != stranger.identity })
        for request in requests {
            // The list has no local IRK for the stranger.
            #expect(
                request.receiver == stranger.identity
                    ? request.sender == scanner.identity : scanner.owns(request.sender))
        }
        let known = scanner.host.reports.filter { $0.address == advertiser.identity.value }
        #expect(Set(known.map(\.type)) == [2, 4] && known.allSatisfy { $0.kind == .randomIdentity })
    }

    @Test func theDuplicateFilterKnowsDevicesByTheirIdentity() {
        let (scanner, advertiser) = pair()
        advertiser.host.send(HCI.LESetResolvablePrivateAddressTimeout(timeout: 1))
        advertiser.host.advertise(
            .nonconnectableUndirected, interval: 0xA0, peer: scanner.identity, own: .resolvableOrRandom)
        scanner.host.scan(.passive, filtering: true)
        bench.run(for: .seconds(5))
        #expect(scanner.host.reports.count == 1)
    }

    /// LL/DDI/SCN/BV-14-C: the extended policies report a target that the controller cannot resolve.
    @Test(arguments: [
        HCI.ScanFilterPolicy.everyone, .acceptList, .everyoneExtended, .acceptListExtended,
    ])
    func extendedPoliciesReportUnresolvedTargets(policy: HCI.ScanFilterPolicy) {
        let (scanner, advertiser) = (PrivateHost(bench, key: 0xA1), PrivateHost(bench, key: 0xB2))
        scanner.host.send(HCI.LEAddDeviceToFilterAcceptList(address: advertiser.identity))
        scanner.add(advertiser)
        scanner.resolve()
        let stranger = IdentityResolvingKey(value: 0xC3)
        advertiser.add(scanner, peerKey: stranger)
        advertiser.host.advertise(
            .connectableDirectedLowDutyCycle, interval: 0xA0, peer: scanner.identity, own: .resolvableOrRandom)
        scanner.host.scan(.passive, policy: policy, own: .resolvableOrRandom)
        bench.run(for: .seconds(1))
        let isExtended = policy == .everyoneExtended || policy == .acceptListExtended
        let reports = scanner.host.all(HCI.LEDirectedAdvertisingReport.self)
        #expect(reports.isEmpty == !isExtended && scanner.host.reports.isEmpty)
        #expect(reports.allSatisfy { $0.address == advertiser.identity.asResolved && $0.directAddress.isResolvable })
        // Its own private address resolves, so the report is an ordinary one.
        advertiser.host.send(HCI.LESetAdvertisingEnable(enable: false))
        advertiser.host.send(HCI.LEClearResolvingList())
        advertiser.add(scanner)
        advertiser.host.send(HCI.LESetAdvertisingEnable(enable: true))
        scanner.host.events.removeAll()
        bench.run(for: .seconds(1))
        #expect(!scanner.host.reports.isEmpty && scanner.host.all(HCI.LEDirectedAdvertisingReport.self).isEmpty)
        #expect(scanner.host.reports.allSatisfy { $0.type == 1 && $0.kind == .randomIdentity })
    }

    /// LL/DDI/SCN/BV-14-C with the scanner's own local IRK: the advertiser's private address does not resolve, because its entry has no IRK of
    /// it. The local IRK of an entry is for the device of this entry, so the target does not resolve either.
    @Test(arguments: [
        HCI.ScanFilterPolicy.everyone, .everyoneExtended,
    ])
    func aTargetResolvesForTheDeviceOfItsEntryOnly(policy: HCI.ScanFilterPolicy) {
        let (scanner, advertiser) = (PrivateHost(bench, key: 0xA1), PrivateHost(bench, key: 0xB2))
        scanner.add(advertiser, peerKey: IdentityResolvingKey.none)
        scanner.resolve()
        advertiser.add(scanner)
        advertiser.host.advertise(
            .connectableDirectedLowDutyCycle, interval: 0xA0, peer: scanner.identity, own: .resolvableOrRandom)
        scanner.host.scan(.passive, policy: policy, own: .resolvableOrRandom)
        bench.run(for: .seconds(1))
        let reports = scanner.host.all(HCI.LEDirectedAdvertisingReport.self)
        #expect(reports.isEmpty == (policy == .everyone) && scanner.host.reports.isEmpty)
        #expect(reports.allSatisfy { advertiser.owns($0.address) && scanner.owns($0.directAddress) })
    }

    // MARK: Privacy modes

    /// Vol 6, Part B, 4.7: the identity address of a peer with an IRK, whether or not the controllers resolve addresses (LL/CON/INI/BV-24-C).
    @Test(arguments: [PrivacyMode.network, .device], [true, false])
    func anIdentityAddressNeedsDevicePrivacyMode(mode: PrivacyMode, resolvesAddresses: Bool) {
        let (one, other) = pair()
        for (device, peer) in [(one, other), (other, one)] {
            device.resolve(false)
            device.setMode(mode, of: peer)
            device.resolve(resolvesAddresses)
        }
        // Both use their identity addresses.
        other.host.advertise(interval: 0xA0)
        one.host.scan(.active)
        bench.run(for: .seconds(2))
        #expect(one.host.reports.isEmpty == (mode == .network))
        #expect(one.host.reports.allSatisfy { $0.kind == .random && $0.address == other.identity.value })
        one.host.connect(to: other.identity)
        bench.run(for: .seconds(2))
        #expect(one.connections.isEmpty == (mode == .network))
        #expect(other.connections.isEmpty == (mode == .network))
        #expect(one.connections.allSatisfy { $0.peerAddress == other.identity })
    }

    /// An advertiser in network privacy mode ignores requests from the identity address.
    @Test(arguments: [PrivacyMode.network, .device])
    func anAdvertiserAnswersIdentityAddressesInDevicePrivacyMode(mode: PrivacyMode) {
        let (advertiser, central) = (PrivateHost(bench, key: 0xA1), PrivateHost(bench, key: 0xB2))
        advertiser.add(central)
        advertiser.setMode(mode, of: central)
        advertiser.resolve()
        advertiser.host.advertise(interval: 0x20)
        central.host.scan(.active)
        bench.run(for: .seconds(1))
        #expect(Set(central.host.reports.map(\.type)) == (mode == .network ? [0] : [0, 4]))
        central.host.connect(to: advertiser.identity)
        bench.run(for: .seconds(1))
        #expect(advertiser.connections.isEmpty == (mode == .network))
    }
}
