import BLESecurity
import BLEWire
import Testing

@testable import BLEHost

struct HostLinkTests {
    @Test func advertisingAndConnectingGiveBothSidesALink() throws {
        let bench = Bench()
        let central = bench.ready()
        let peripheral = bench.ready()
        let (link, other) = try #require(bench.link(central, peripheral))
        #expect(central.host.information(of: link)?.role == .central)
        #expect(peripheral.host.information(of: other)?.role == .peripheral)
        #expect(central.host.information(of: link)?.peer == peripheral.controller.address)
        // The central exchanges the MTU by itself.
        #expect(central.host.mtu(of: link) == 498)
        #expect(peripheral.host.mtu(of: other) == 498)
        // Advertising continues.
        #expect(peripheral.controller.isAdvertising)
        #expect(central.violations.isEmpty)
        #expect(peripheral.violations.isEmpty)
    }

    @Test func aCentralRequestsLongPacketsAndThe2MPHY() throws {
        let bench = Bench()
        let fast: (FakeController) -> Void = { $0.features = [.dataPacketLengthExtension, .phy2M] }
        let central = bench.ready(HostConfiguration(), fast)
        let peripheral = bench.ready(HostConfiguration(), fast)
        central.controller.clearLog()
        let (link, _) = try #require(bench.link(central, peripheral))
        #expect(
            central.controller.opcodes().suffix(3) == [.leReadRemoteFeatures, .leSetDataLength, .leSetPHY])
        #expect(central.host.information(of: link)?.transmitPHY == 2)

        let plain = bench.ready()
        central.controller.clearLog()
        _ = try #require(bench.link(central, plain))
        #expect(!central.controller.opcodes().contains(.leSetPHY))
    }

    @Test func bothSidesGetTheCauseOfADisconnection() throws {
        let bench = Bench()
        let central = bench.ready()
        let peripheral = bench.ready()
        let (link, _) = try #require(bench.link(central, peripheral))
        central.host.disconnect(link, at: bench.now)
        bench.settle()
        #expect(central.disconnected == [.requested])
        #expect(peripheral.disconnected == [.controller(.remoteUserTerminatedConnection)])
        #expect(central.host.information(of: link) == nil)
        #expect(central.host.nextTimeout == nil)
    }

    @Test func manyAttemptsArePendingAtOnce() {
        let bench = Bench()
        let central = bench.ready { $0.acceptListSize = 2 }
        let peripherals = (0..<4).map { _ in bench.ready() }
        for peripheral in peripherals { central.host.connect(to: peripheral.controller.address, at: bench.now) }
        bench.run(.seconds(1))
        #expect(central.connected.isEmpty)
        for peripheral in peripherals {
            peripheral.host.setAdvertising(AdvertisingParameters(data: []), at: bench.now)
        }
        bench.run(.seconds(30))
        #expect(central.connected.count == 4)
        #expect(Set(central.connected).count == 4)
        #expect(central.host.links.count == 4)
    }

    @Test func aCancelledAttemptEstablishesNoLink() {
        let bench = Bench()
        let central = bench.ready()
        let peripheral = bench.ready()
        central.host.connect(to: peripheral.controller.address, at: bench.now)
        bench.settle()
        #expect(central.controller.isInitiating)
        central.host.cancelConnect(to: peripheral.controller.address, at: bench.now)
        bench.settle()
        #expect(!central.controller.isInitiating)
        peripheral.host.setAdvertising(AdvertisingParameters(data: []), at: bench.now)
        bench.run(.seconds(10))
        #expect(central.connected.isEmpty)
        #expect(central.failedConnections.isEmpty)
    }

    @Test func aLinkConcurrentWithItsCancellationEndsWithoutEvents() {
        let bench = Bench()
        let central = bench.ready()
        let peripheral = bench.ready()
        bench.connects = false
        central.host.connect(to: peripheral.controller.address, at: bench.now)
        peripheral.host.setAdvertising(AdvertisingParameters(data: []), at: bench.now)
        bench.settle()
        // The event is under way when the user cancels.
        central.controller.tryConnecting(to: peripheral.controller)
        central.host.cancelConnect(to: peripheral.controller.address, at: bench.now)
        bench.settle()
        #expect(central.connected.isEmpty)
        #expect(central.disconnected.isEmpty)
        #expect(central.host.links.isEmpty)
        #expect(peripheral.disconnected == [.controller(.remoteUserTerminatedConnection)])
        central.host.connect(to: peripheral.controller.address, at: bench.now)
        bench.connects = true
        bench.settle()
        #expect(central.connected.count == 1)
    }

    /// Values of a peer whose link ends without events would stay in the arena.
    @Test func aLinkThatWasCancelledStoresNothing() {
        let bench = Bench()
        let central = bench.ready { $0.silent = [.leReadRemoteFeatures, .disconnect] }
        let peer = DeviceAddress(kind: .random, value: 0xC000_0000_0042)
        central.host.connect(to: peer, at: bench.now)
        bench.settle()
        central.controller.emit(
            le: HCI.LEConnectionComplete(
                status: .success, connectionHandle: 9, role: .central, peerAddress: peer, interval: 24, latency: 0,
                supervisionTimeout: 200))
        bench.settle()
        central.host.cancelConnect(to: peer, at: bench.now)
        bench.settle()
        // A notification and a Write Command, whole and in two fragments.
        for pdu in [[0x1B, 3, 0, 1, 2, 3], [0x52, 3, 0, 1, 2, 3]] as [[UInt8]] {
            let frame = [UInt8(pdu.count), 0, 4, 0] + pdu
            for packet in [
                [2, 9, 0x20, UInt8(frame.count), 0] + frame, [2, 9, 0x20, 6, 0] + frame[..<6],
                [2, 9, 0x10, UInt8(frame.count - 6), 0] + frame[6...],
            ] as [[UInt8]] {
                central.host.receive(packet.span, at: bench.now)
            }
        }
        #expect(central.host.output.events.pending.isEmpty)
        #expect(central.host.output.events.attributes.arena.octets.isEmpty)
    }

    @Test func aLinkThatEndsBeforeThePeersFirstPacketIsOneFailedAttempt() {
        let bench = Bench()
        let central = bench.ready { $0.silent = [.leReadRemoteFeatures] }
        let peer = DeviceAddress(kind: .random, value: 0xC000_0000_0042)
        for attempt in 1...3 {
            central.host.connect(to: peer, at: bench.now)
            bench.settle()
            central.controller.emit(
                le: HCI.LEConnectionComplete(
                    status: .success, connectionHandle: 9, role: .central, peerAddress: peer, interval: 24, latency: 0,
                    supervisionTimeout: 200))
            bench.settle()
            central.controller.emit(
                HCI.DisconnectionComplete(
                    status: .success, connectionHandle: 9, reason: .connectionFailedToBeEstablished))
            bench.settle()
            #expect(central.connected.isEmpty)
            #expect(central.disconnected.isEmpty)
            #expect(central.failedConnections == Array(repeating: peer, count: attempt))
            #expect(central.host.access.initiator.requested.isEmpty, "the host does not try again by itself")
        }
    }

    @Test func scanningPausesWhileTheControllerMustInitiate() {
        let bench = Bench()
        let central = bench.ready { $0.cannotScanAndInitiate = true }
        let peripheral = bench.ready()
        central.host.setScanning(ScanParameters(), at: bench.now)
        bench.settle()
        #expect(central.controller.isScanning)
        central.host.connect(to: peripheral.controller.address, at: bench.now)
        bench.settle()
        #expect(!central.controller.isScanning)
        #expect(central.controller.isInitiating)
        peripheral.host.setAdvertising(AdvertisingParameters(data: []), at: bench.now)
        bench.settle()
        #expect(central.connected.count == 1)
        #expect(central.controller.isScanning)
    }

    @Test func aHostServesTwoCentralsAndHasBothRoles() throws {
        let bench = Bench()
        let middle = bench.ready()
        let central = bench.ready()
        let leaf = bench.ready()
        let (_, asPeripheral) = try #require(bench.link(central, middle))
        let (asCentral, _) = try #require(bench.link(middle, leaf))
        #expect(middle.host.links.map(\.role) == [.peripheral, .central])
        #expect(asPeripheral != asCentral)
        let (_, third) = try #require(bench.link(bench.ready(), middle))
        #expect(middle.host.links.count == 3)
        #expect(middle.host.information(of: third)?.role == .peripheral)
    }

    @Test func aConnectedPeerCannotBeConnectedAgain() throws {
        let bench = Bench()
        let central = bench.ready()
        let peripheral = bench.ready()
        _ = try #require(bench.link(central, peripheral))
        central.host.connect(to: peripheral.controller.address, at: bench.now)
        bench.settle()
        #expect(central.failedConnections == [peripheral.controller.address])
    }

    @Test func connectionParametersChangeFromEitherSide() throws {
        let bench = Bench()
        let central = bench.ready()
        let peripheral = bench.ready()
        let (link, other) = try #require(bench.link(central, peripheral))
        let wish = RequestedConnectionParameters(intervalMinimum: 80, intervalMaximum: 100, latency: 2, timeout: 400)
        peripheral.host.requestConnectionParameters(other, wish, at: bench.now)
        bench.settle()
        #expect(
            central.host.information(of: link)?.parameters
                == ConnectionParameters(interval: 100, latency: 2, timeout: 400))
        #expect(peripheral.host.information(of: other)?.parameters.interval == 100)
        #expect(peripheral.host.nextTimeout == nil)

        let faster = RequestedConnectionParameters(intervalMinimum: 6, intervalMaximum: 12, latency: 0, timeout: 100)
        central.host.requestConnectionParameters(link, faster, at: bench.now)
        bench.settle()
        #expect(peripheral.host.information(of: other)?.parameters.interval == 12)

        let endless = RequestedConnectionParameters(
            intervalMinimum: 800, intervalMaximum: 800, latency: 4, timeout: 3_200)
        peripheral.host.requestConnectionParameters(other, endless, at: bench.now)
        bench.settle()
        let refused = peripheral.events.contains {
            if case .parametersRefused(other) = $0.event { true } else { false }
        }
        #expect(refused)
        #expect(peripheral.host.information(of: other)?.parameters.interval == 12)
    }

    @Test func theConnectionParametersRequestIsAnswered() throws {
        let bench = Bench()
        let central = bench.ready()
        let peripheral = bench.ready()
        _ = try #require(bench.link(central, peripheral))
        let handle = try #require(central.controller.links.first?.handle)
        central.controller.clearLog()
        for timeout: UInt16 in [200, 5] {
            central.controller.emit(
                le: HCI.LERemoteConnectionParameterRequest(
                    connectionHandle: handle, intervalMinimum: 20, intervalMaximum: 40, maximumLatency: 0,
                    supervisionTimeout: timeout))
        }
        bench.settle()
        #expect(
            central.controller.opcodes() == [
                .leRemoteConnectionParameterRequestReply, .leRemoteConnectionParameterRequestNegativeReply,
            ])
    }

    /// A central may set any valid parameters; what a peripheral wishes is judged (Vol 6, Part B, 5.1.7).
    @Test func aPeripheralAcceptsParametersThatACentralRefuses() throws {
        let bench = Bench()
        let central = bench.ready()
        let peripheral = bench.ready()
        _ = try #require(bench.link(central, peripheral))
        for (device, answer) in [
            (central, HCI.Opcode.leRemoteConnectionParameterRequestNegativeReply),
            (peripheral, .leRemoteConnectionParameterRequestReply),
        ] {
            let handle = try #require(device.controller.links.first?.handle)
            device.controller.clearLog()
            // Silent for up to 6 s.
            device.controller.emit(
                le: HCI.LERemoteConnectionParameterRequest(
                    connectionHandle: handle, intervalMinimum: 1600, intervalMaximum: 1600, maximumLatency: 2,
                    supervisionTimeout: 3200))
            bench.settle()
            #expect(device.controller.opcodes() == [answer])
        }
    }

    @Test func powerOffEndsLinksInOrder() throws {
        let bench = Bench()
        let central = bench.ready()
        let peripheral = bench.ready()
        _ = try #require(bench.link(central, peripheral))
        central.host.setScanning(ScanParameters(), at: bench.now)
        central.host.connect(to: DeviceAddress(kind: .random, value: 0xC000_0000_0099), at: bench.now)
        bench.settle()
        central.host.powerOff(at: bench.now)
        bench.settle()
        #expect(central.host.state == .off)
        #expect(central.disconnected == [.host(.powerOff)])
        #expect(peripheral.disconnected == [.controller(.remoteUserTerminatedConnection)])
        #expect(central.controller.opcodes().last == .reset)
        #expect(central.host.nextTimeout == nil)
        central.host.start(at: bench.now)
        bench.settle()
        #expect(central.host.state == .ready)
    }

    @Test func powerOffDoesNotWaitForASilentController() {
        let bench = Bench()
        let host = bench.ready()
        host.host.setScanning(ScanParameters(), at: bench.now)
        bench.settle()
        host.controller.silent = [.leSetScanEnable, .reset]
        host.host.powerOff(at: bench.now)
        // 1 s for the scan, and then the time of a command for the reset.
        bench.run(.milliseconds(999))
        #expect(host.controller.opcodes().last != .reset)
        bench.run(.milliseconds(1))
        #expect(host.controller.opcodes().last == .reset)
        bench.run(.milliseconds(1_999))
        #expect(host.host.state == .ready)
        bench.run(.milliseconds(1))
        #expect(host.host.state == .off)
    }

    @Test func theLinkToAPeerIsTheOneInUse() throws {
        let bench = Bench()
        let central = bench.ready()
        let peripheral = bench.ready()
        let address = peripheral.controller.address
        for _ in 0..<2 {
            #expect(central.host.link(to: address) == nil)
            let (link, other) = try #require(bench.link(central, peripheral))
            #expect(central.host.link(to: address) == link)
            #expect(peripheral.host.link(to: central.controller.address) == other)
            #expect(central.host.link(to: DeviceAddress(kind: .public, value: address.value)) == nil)
            #expect(central.host.isEnding(link) == false)
            central.controller.holdsDisconnections = true
            central.host.disconnect(link, at: bench.now)
            bench.settle()
            #expect(central.host.link(to: address) == nil && central.host.isEnding(link))
            central.controller.releaseDisconnections()
            bench.settle()
            #expect(central.host.isEnding(link) && peripheral.host.isEnding(other))
        }
    }

    /// 23 to 517 octets (Vol 3, Part F, 3.2.8), for links that begin later.
    @Test(
        arguments: [(0, 23), (23, 23), (24, 24), (516, 516), (517, 517), (518, 517), (0xFFFF, 517)] as [(UInt16, Int)])
    func anOfferedMTUIsWithinItsLimits(offer: UInt16, mtu: Int) throws {
        let bench = Bench()
        let central = bench.ready()
        let peripheral = bench.ready()
        let (first, _) = try #require(bench.link(central, peripheral))
        peripheral.host.offerMTU(0xFFFF)
        central.host.offerMTU(offer)
        #expect(central.host.mtu(of: first) == 498)
        central.host.disconnect(first, at: bench.now)
        bench.settle()
        let (link, other) = try #require(bench.link(central, peripheral))
        #expect(central.host.mtu(of: link) == mtu && peripheral.host.mtu(of: other) == mtu)
        let handle = try #require(central.controller.links.first?.handle)
        #expect(central.host.mtu(ofHandle: handle) == mtu && central.host.mtu(ofHandle: handle + 1) == nil)
    }

    /// Own_Address_Type (Vol 4, Part E, 7.8.5, 7.8.10 and 7.8.12): 0 public, 1 random. Bonds with private peers change nothing of it.
    @Test(arguments: [false, true], [(false, false), (true, false), (false, true), (true, true)])
    func theOwnAddressTypeIsThatOfTheAddressOnAir(isPrivate: Bool, _ device: (hasRandomIdentity: Bool, hasBond: Bool)) {
        let (hasRandomIdentity, hasBond) = device
        let bench = Bench()
        var configuration = HostConfiguration()
        configuration.privacy.usesPrivateAddress = isPrivate
        if hasRandomIdentity { configuration.identityAddress = DeviceAddress(kind: .random, value: 0xC0FF_EE00_0001) }
        let device = bench.add(configuration) { $0.publicAddress = 0x0011_2233_4455 }
        device.host.pairingSettings.identityKey = IdentityResolvingKey(value: 7)
        if hasBond {
            device.host.addBond(
                Bond(
                    peer: DeviceAddress(kind: .random, value: 0xC0DE_0000_0001),
                    security: LinkSecurity(
                        keySize: 16, isAuthenticated: false, isSecureConnections: true, isBonded: true),
                    usesDebugKeys: false, localKey: nil, peerKey: nil, peerIdentityKey: IdentityResolvingKey(value: 9),
                    localSignatureKey: nil, peerSignatureKey: nil, linkKey: nil))
        }
        device.host.start(at: bench.now)
        bench.settle()
        device.host.setAdvertising(AdvertisingParameters(data: []), at: bench.now)
        device.host.setScanning(ScanParameters(), at: bench.now)
        device.host.connect(to: DeviceAddress(kind: .public, value: 5), at: bench.now)
        bench.settle()
        let expected: UInt8 = isPrivate || hasRandomIdentity ? 1 : 0
        for (opcode, position) in [
            (HCI.Opcode.leSetAdvertisingParameters, 5), (.leSetScanParameters, 5), (.leCreateConnection, 12),
        ] {
            let sent = device.controller.log.last { $0.opcode == opcode }
            #expect(sent?.parameters.dropFirst(position).first == expected, "\(opcode)")
        }
    }
}
