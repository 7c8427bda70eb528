import BLEController
import BLEWire
import Testing

/// Cases of LL.TS about network and device privacy mode (Vol 6, Part B, 4.7 and 6), by the keys in the resolving lists.
@Suite struct PrivacyCaseTests {
    private let bench = Bench()
    private let none = IdentityResolvingKey.none
    private let device: PrivateHost
    private let peer: PrivateHost

    init() {
        device = PrivateHost(bench, key: 0xA1)
        peer = PrivateHost(bench, key: 0xB2)
    }

    /// The addresses of the advertising PDUs of these types on the air while `body` runs.
    private func air(_ types: LL.AdvertisingPDUType..., while body: () throws -> Void) rethrows -> [AirAddresses] {
        var packets: [AirAddresses] = []
        bench.radio.airObserver = { packet in
            if let addresses = AirAddresses(packet), types.contains(addresses.type) { packets.append(addresses) }
        }
        defer { bench.radio.airObserver = nil }
        try body()
        return packets
    }

    private func allow(_ peer: PrivateHost, by device: PrivateHost) {
        device.host.send(HCI.LEAddDeviceToFilterAcceptList(address: peer.identity))
    }

    // MARK: The initiator

    /// LL/CON/INI/BV-18-C and BV-19-C (network privacy mode), BV-20-C and BV-21-C (device privacy mode): the advertiser uses its
    /// identity address although its IRK is known.
    @Test(arguments: [PrivacyMode.network, .device], [false, true])
    func anInitiatorTakesAKnownIdentityInDevicePrivacyModeOnly(mode: PrivacyMode, isDirected: Bool) {
        device.add(peer)
        device.setMode(mode, of: peer)
        device.resolve()
        peer.host.advertise(
            isDirected ? .connectableDirectedLowDutyCycle : .connectableUndirected, interval: 0x20,
            peer: device.identity)
        device.host.connect(to: peer.identity)
        bench.run(for: .seconds(2))
        #expect(device.connections.map(\.peerAddress) == (mode == .network ? [] : [peer.identity]))
        #expect(peer.connections.count == device.connections.count)
    }

    /// LL/CON/INI/BV-23-C: without address resolution the accept list has identity addresses, and the initiator still uses the
    /// private address of the entry.
    @Test func anInitiatorWithoutResolutionUsesTheKeyOfItsEntry() throws {
        device.add(peer, peerKey: none)
        allow(peer, by: device)
        for key in [0xC3, 0xD4] as [UInt128] {
            let other = PrivateHost(bench, key: key)
            device.add(other, peerKey: none, localKey: other.key)
            allow(other, by: device)
        }
        peer.add(device, localKey: none)
        peer.resolve()
        peer.host.advertise(interval: 0x20)
        device.host.connect(to: DeviceAddress(kind: .public, value: 0), policy: .acceptList, own: .resolvableOrRandom)
        #expect(bench.run(atMost: .seconds(2)) { !device.connections.isEmpty && !peer.connections.isEmpty })
        let (there, here) = (try #require(device.connections.first), try #require(peer.connections.first))
        #expect(there.peerAddress == peer.identity && device.owns(there.localResolvablePrivateAddress))
        #expect(here.peerAddress == device.identity.asResolved)
    }

    // MARK: The scanner

    /// LL/DDI/SCN/BV-15-C (no IRKs), BV-16-C (a local IRK), BV-17-C (an IRK of the peer): the addresses of active scanning.
    @Test(arguments: [(false, false), (true, false), (false, true)])
    func anActiveScannerUsesTheKeysOfItsEntry(hasLocalKey: Bool, hasPeerKey: Bool) {
        device.host.send(HCI.LESetResolvablePrivateAddressTimeout(timeout: 2))
        device.add(peer, peerKey: hasPeerKey ? peer.key : none, localKey: hasLocalKey ? device.key : none)
        device.resolve()
        peer.add(device, peerKey: hasLocalKey ? device.key : none, localKey: hasPeerKey ? peer.key : none)
        peer.resolve()
        let requests = air(.scanReq) {
            peer.host.advertise(.scannableUndirected, peer: device.identity, own: .resolvableOrRandom)
            device.host.scan(.active, own: .resolvableOrRandom)
            bench.run(for: .seconds(5))
        }
        #expect(requests.count > 10)
        for request in requests {
            #expect(hasLocalKey ? device.owns(request.sender) : request.sender == device.identity)
            #expect(request.receiver.map { hasPeerKey ? peer.owns($0) : $0 == peer.identity } == true)
        }
        // The private address changes every 2 s.
        #expect(Set(requests.map(\.sender)).count == (hasLocalKey ? 3 : 1))
        let reports = device.host.reports
        #expect(Set(reports.map(\.type)) == [2, 4])
        for report in reports {
            #expect(report.address == peer.identity.value && report.kind == (hasPeerKey ? .randomIdentity : .random))
        }
    }

    /// LL/DDI/SCN/BV-26-C (network privacy mode), BV-28-C (device privacy mode): the identity address of a peer with an IRK.
    @Test(arguments: [PrivacyMode.network, .device])
    func aPassiveScannerReportsAKnownIdentityInDevicePrivacyModeOnly(mode: PrivacyMode) {
        device.add(peer, localKey: none)
        device.setMode(mode, of: peer)
        device.resolve()
        peer.host.advertise(.nonconnectableUndirected, interval: 0x20)
        device.host.scan(.passive)
        bench.run(for: .seconds(1))
        #expect(device.host.reports.isEmpty == (mode == .network))
        #expect(mode == .network || device.host.reports.count >= 20)
        for report in device.host.reports { #expect(report.address == peer.identity.value) }
    }

    // MARK: The advertiser

    /// LL/SEC/ADV/BV-02-C, BV-04-C, BV-06-C: an entry without a local IRK, and a non-resolvable address beside the list. The initiators
    /// have a public, a static random and a non-resolvable address.
    @Test(arguments: [HCI.AdvertisingType.nonconnectableUndirected, .scannableUndirected, .connectableUndirected])
    func anEntryWithoutALocalKeyLeavesTheNonresolvableAddress(type: HCI.AdvertisingType) {
        let address = DeviceAddress(kind: .random, value: 0x1234_5678_9ABC)
        device.host.send(HCI.LESetRandomAddress(address: address))
        device.add(peer, peerKey: none, localKey: none)
        device.resolve()
        device.host.advertise(type, interval: 0xA0, peer: peer.identity, own: .resolvableOrRandom)
        peer.host.scan(.active)
        bench.run(for: .seconds(2))
        #expect(!peer.host.reports.isEmpty)
        for report in peer.host.reports { #expect(report.address == address.value && report.kind == .random) }
        #expect(peer.host.reports.contains { $0.type == 4 } == (type != .nonconnectableUndirected))
        peer.host.send(HCI.LESetScanEnable(enable: false, filterDuplicates: false))
        let publicHost = PrivateHost(bench, key: 0xC3) {
            $0.publicAddress = DeviceAddress(kind: .public, value: 0x00_1122_3344_55)
        }
        let nonresolvable = PrivateHost(bench, key: 0xD4)
        let other = DeviceAddress(kind: .random, value: 0x0102_0304_0506)
        nonresolvable.host.send(HCI.LESetRandomAddress(address: other))
        for (initiator, own) in [
            (publicHost, HCI.OwnAddressType.public), (peer, .random), (nonresolvable, .random),
        ] {
            initiator.host.connect(to: address, own: own)
            bench.run(for: .seconds(2))
            #expect(initiator.connections.map(\.peerAddress) == (type == .connectableUndirected ? [address] : []))
            device.host.send(HCI.LESetAdvertisingEnable(enable: true))
        }
        #expect(
            device.connections.map(\.peerAddress)
                == (type == .connectableUndirected ? [publicHost.identity, peer.identity, other] : []))
    }

    /// LL/SEC/ADV/BV-08-C (both IRKs), BV-09-C (the peer's alone): the accept list has the peer's identity address.
    @Test(arguments: [true, false]) func anAdvertiserResolvesItsAcceptList(hasLocalKey: Bool) throws {
        device.add(peer, localKey: hasLocalKey ? device.key : none)
        allow(peer, by: device)
        device.resolve()
        peer.add(device, peerKey: hasLocalKey ? device.key : none)
        peer.resolve()
        device.host.advertise(
            interval: 0x20, peer: peer.identity, policy: .bothFromAcceptList, own: .resolvableOrRandom)
        peer.host.connect(to: device.identity, own: .resolvableOrRandom)
        #expect(bench.run(atMost: .seconds(2)) { !device.connections.isEmpty && !peer.connections.isEmpty })
        let here = try #require(device.connections.first)
        #expect(here.peerAddress == peer.identity.asResolved && peer.owns(here.peerResolvablePrivateAddress))
        #expect(device.owns(here.localResolvablePrivateAddress) == hasLocalKey)
        device.host.send(HCI.Disconnect(connectionHandle: here.connectionHandle))
        #expect(bench.run(atMost: .seconds(2)) { !peer.host.disconnections.isEmpty })
    }

    /// LL/SEC/ADV/BV-10-C (undirected), BV-14-C (directed): the entry of the peer has another IRK than the peer.
    @Test(arguments: [HCI.AdvertisingType.connectableUndirected, .connectableDirectedHighDutyCycle])
    func anAdvertiserIgnoresAPeerWithAnotherKey(type: HCI.AdvertisingType) {
        for key in [IdentityResolvingKey(value: 0xBAD), peer.key] {
            device.host.send(HCI.LEClearResolvingList())
            device.add(peer, peerKey: key)
            allow(peer, by: device)
            device.resolve()
            peer.host.send(HCI.LEClearResolvingList())
            peer.add(device)
            peer.resolve()
            device.host.advertise(
                type, interval: 0x20, peer: peer.identity, policy: .bothFromAcceptList, own: .resolvableOrRandom)
            peer.host.connect(to: device.identity, own: .resolvableOrRandom)
            bench.run(for: .seconds(1))
            #expect(device.connections.isEmpty == (key != peer.key))
            device.host.send(HCI.LESetAdvertisingEnable(enable: false))
            peer.host.send(HCI.LECreateConnectionCancel())
            bench.run(for: .seconds(1))
            device.resolve(false)
            peer.resolve(false)
        }
    }

    /// LL/SEC/ADV/BV-12-C (a local IRK alone), BV-13-C (the peer's alone): directed advertising, before and after the private addresses
    /// change.
    @Test(arguments: [true, false]) func directedAdvertisingConnectsAfterTheAddressesChange(hasLocalKey: Bool) throws {
        for host in [device.host, peer.host] { host.send(HCI.LESetResolvablePrivateAddressTimeout(timeout: 2)) }
        device.add(peer, peerKey: hasLocalKey ? none : peer.key, localKey: hasLocalKey ? device.key : none)
        peer.add(device, peerKey: hasLocalKey ? device.key : none, localKey: hasLocalKey ? none : peer.key)
        device.resolve()
        peer.resolve()
        var addresses: [DeviceAddress] = []
        for round in 0..<2 {
            device.host.advertise(
                .connectableDirectedHighDutyCycle, peer: peer.identity, own: .resolvableOrRandom)
            peer.host.connect(to: device.identity, own: .resolvableOrRandom)
            #expect(
                bench.run(atMost: .seconds(1)) {
                    device.connections.count > round && peer.connections.count > round
                })
            let here = try #require(device.connections.last)
            let address = hasLocalKey ? here.localResolvablePrivateAddress : here.peerResolvablePrivateAddress
            #expect(hasLocalKey ? device.owns(address) : peer.owns(address))
            addresses.append(address)
            device.host.send(HCI.Disconnect(connectionHandle: here.connectionHandle))
            bench.run(for: .milliseconds(2500))
        }
        #expect(Set(addresses).count == 2)
    }

    /// LL/SEC/ADV/BV-15-C (network privacy mode), BV-18-C (device privacy mode): a scan request from the identity address of a peer with an
    /// IRK.
    @Test(arguments: [PrivacyMode.network, .device])
    func aScannableAdvertiserAnswersAKnownIdentityInDevicePrivacyModeOnly(mode: PrivacyMode) {
        device.add(peer)
        device.setMode(mode, of: peer)
        allow(peer, by: device)
        device.resolve()
        peer.add(device, localKey: none)
        peer.resolve()
        device.host.advertise(
            .scannableUndirected, peer: peer.identity, policy: .scanFromAcceptList, own: .resolvableOrRandom)
        let requests = air(.scanReq) {
            peer.host.scan(.active, own: .resolvableOrRandom)
            bench.run(for: .seconds(3))
        }
        #expect(!requests.isEmpty)
        for request in requests { #expect(request.sender == peer.identity) }
        #expect(Set(peer.host.reports.map(\.type)) == (mode == .network ? [2] : [2, 4]))
        for report in peer.host.reports { #expect(report.address == device.identity.value) }
    }

    /// LL/SEC/ADV/BV-16-C: a connection request from the identity address of a peer with an IRK, in network privacy mode.
    @Test(arguments: [PrivacyMode.network, .device])
    func anAdvertiserConnectsToAKnownIdentityInDevicePrivacyModeOnly(mode: PrivacyMode) {
        device.add(peer)
        device.setMode(mode, of: peer)
        allow(peer, by: device)
        device.resolve()
        peer.add(device, localKey: none)
        peer.resolve()
        device.host.advertise(
            interval: 0x20, peer: peer.identity, policy: .bothFromAcceptList, own: .resolvableOrRandom)
        let requests = air(.connectInd) {
            peer.host.connect(to: device.identity, own: .resolvableOrRandom)
            bench.run(for: .seconds(1))
        }
        #expect(!requests.isEmpty)
        for request in requests { #expect(request.sender == peer.identity) }
        #expect(device.connections.map(\.peerAddress) == (mode == .network ? [] : [peer.identity]))
    }

    /// LL/SEC/ADV/BV-17-C (network privacy mode), BV-20-C (device privacy mode): the target of directed advertising answers with its identity
    /// address.
    @Test(arguments: [PrivacyMode.network, .device])
    func aDirectedAdvertiserConnectsToAKnownIdentityInDevicePrivacyModeOnly(mode: PrivacyMode) {
        device.add(peer)
        device.setMode(mode, of: peer)
        device.resolve()
        peer.add(device)
        peer.resolve()
        device.host.advertise(.connectableDirectedHighDutyCycle, peer: peer.identity, own: .resolvableOrRandom)
        let requests = air(.connectInd) {
            // The initiator knows that it is the target, but uses the address beside its list.
            peer.host.connect(to: device.identity, own: .random)
            bench.run(for: .seconds(1))
        }
        #expect(!requests.isEmpty)
        for request in requests { #expect(request.sender == peer.identity) }
        #expect(device.connections.map(\.peerAddress) == (mode == .network ? [] : [peer.identity]))
    }
}
