import BLEWire
import Testing

@testable import BLEHost

struct HostFaultTests {
    @Test func aHardwareErrorResetsAndRecovers() throws {
        let bench = Bench()
        let central = bench.ready()
        let peripheral = bench.ready()
        _ = try #require(bench.link(central, peripheral))
        central.clearEvents()
        central.controller.emit(HCI.HardwareError(hardwareCode: 7))
        bench.settle()
        #expect(central.states == [.resetting(.hardwareError(7)), .ready])
        #expect(central.disconnected == [.host(.controllerLost)])
        #expect(central.host.links.isEmpty)
    }

    @Test func recoveryIsBounded() {
        let bench = Bench()
        let host = bench.ready()
        for _ in 0..<3 {
            host.controller.emit(HCI.HardwareError(hardwareCode: 1))
            bench.settle()
        }
        #expect(host.host.state == .failed(.hardwareError(1)))
    }

    @Test func separateFaultsAreEachRecovered() {
        let bench = Bench()
        let host = bench.ready()
        for _ in 0..<10 {
            host.controller.emit(HCI.HardwareError(hardwareCode: 1))
            bench.run(.seconds(61))
        }
        #expect(host.host.state == .ready)
    }

    @Test func aControllerThatStopsAnsweringIsReset() {
        let bench = Bench()
        let host = bench.ready()
        host.controller.silent = [.leSetScanEnable]
        host.host.setScanning(ScanParameters(), at: bench.now)
        bench.run(.seconds(3))
        #expect(host.states == [.starting, .ready, .resetting(.noAnswer(.leSetScanEnable)), .ready])
    }

    @Test func anUnansweredOptionalCommandIsSkipped() throws {
        let bench = Bench()
        let central = bench.ready { $0.silent = [.leReadRemoteFeatures, .readRSSI] }
        let peripheral = bench.ready()
        let (link, _) = try #require(bench.link(central, peripheral))
        central.host.submit(.readRSSI, id: 9, on: link, at: bench.now)
        bench.run(.seconds(10))
        #expect(central.host.state == .ready)
        #expect(central.result(9) == .failure(.attribute(0x0E)))
        let missing = central.events.compactMap { entry -> HCI.Opcode? in
            if case .controllerError(let opcode, .unknownHCICommand) = entry.event { opcode } else { nil }
        }
        #expect(missing == [.leReadRemoteFeatures, .readRSSI])
        central.host.disconnect(link, at: bench.now)
        bench.settle()
        #expect(central.disconnected.count == 1)
    }

    /// The set-up of a link goes on after a refusal, which is reported unless the controller does not know the command.
    @Test(arguments: [(.commandDisallowed, true), (.unknownHCICommand, false)] as [(HCI.ErrorCode, Bool)])
    func aRefusedStepOfTheSetUpIsReported(error: HCI.ErrorCode, isReported: Bool) throws {
        let bench = Bench()
        let central = bench.ready {
            $0.features = [.dataPacketLengthExtension, .phy2M]
            $0.refusals = [.leSetDataLength: error]
        }
        let peripheral = bench.ready { $0.features = [.dataPacketLengthExtension, .phy2M] }
        _ = try #require(bench.link(central, peripheral))
        let errors = central.events.compactMap { entry -> HCI.ErrorCode? in
            if case .controllerError(.leSetDataLength, let error) = entry.event { error } else { nil }
        }
        #expect(errors == (isReported ? [error] : []))
        let opcodes = central.controller.opcodes()
        #expect(opcodes.contains(.leSetDataLength) && opcodes.contains(.leSetPHY))
    }

    /// Bumble's controller answers nothing to commands that it does not know and that end in Command Status.
    @Test func dataContinuesWhileLESetPHYIsUnanswered() throws {
        let bench = Bench()
        func configure(_ controller: FakeController) {
            controller.features = .phy2M
            controller.silent = [.leSetPHY]
        }
        let central = bench.ready { configure($0) }
        let peripheral = bench.ready { configure($0) }
        let (link, _) = try #require(bench.link(central, peripheral))
        let begin = bench.now
        central.host.submit(.discoverServices(nil), id: 5, on: link, at: bench.now)
        bench.settle()
        #expect(central.controller.opcodes().contains(.leSetPHY))
        #expect(central.result(5) != nil)
        #expect(bench.now == begin)
        // A command waits, and not longer than the deadline of the one before.
        central.host.disconnect(link, at: bench.now)
        bench.settle()
        #expect(central.disconnected.isEmpty)
        bench.run(.seconds(2))
        #expect(central.disconnected.count == 1)
        #expect(central.host.state == .ready)
    }

    @Test func missingCommandCreditsDoNotBlockTheHost() {
        let bench = Bench()
        let host = bench.add { $0.credits = 0 }
        host.host.start(at: bench.now)
        bench.run(.seconds(120))
        #expect(host.host.state == .ready)
        host.host.setScanning(ScanParameters(), at: bench.now)
        bench.run(.seconds(10))
        #expect(host.controller.isScanning)
    }

    @Test func anAttemptWaitsForTheEndOfTheOldLink() throws {
        let bench = Bench()
        let central = bench.ready()
        let peripheral = bench.ready()
        let (link, _) = try #require(bench.link(central, peripheral))
        central.controller.holdsDisconnections = true
        central.host.disconnect(link, at: bench.now)
        central.host.connect(to: peripheral.controller.address, at: bench.now)
        bench.settle()
        #expect(central.failedConnections.isEmpty)
        central.controller.releaseDisconnections()
        bench.settle()
        #expect(central.failedConnections.isEmpty)
        #expect(central.connected.count == 2)
    }

    @Test func anAttemptThatWaitsForAnEndingLinkCanBeCancelled() throws {
        let bench = Bench()
        let central = bench.ready()
        let peripheral = bench.ready()
        let (link, _) = try #require(bench.link(central, peripheral))
        central.controller.holdsDisconnections = true
        central.host.disconnect(link, at: bench.now)
        central.host.connect(to: peripheral.controller.address, at: bench.now)
        central.host.cancelConnect(to: peripheral.controller.address, at: bench.now)
        bench.settle()
        central.controller.releaseDisconnections()
        bench.settle()
        #expect(central.connected.count == 1)
        #expect(!central.controller.isInitiating)
    }

    @Test func aLostTransportEndsLinksAndAttempts() throws {
        let bench = Bench()
        let central = bench.ready()
        let peripheral = bench.ready()
        _ = try #require(bench.link(central, peripheral))
        central.host.transportClosed(at: bench.now)
        bench.settle()
        #expect(central.host.state == .failed(.transportClosed))
        #expect(central.disconnected == [.host(.controllerLost)])
        #expect(central.host.nextTimeout == nil)
    }

    @Test func aLinkFromBeforeAResetIsDisconnected() {
        let bench = Bench()
        let host = bench.ready()
        host.controller.clearLog()
        for _ in 0..<5 { host.controller.emit([2, 0x77, 0x20, 5, 0, 1, 0, 4, 0, 0]) }
        bench.settle()
        #expect(host.controller.log.first == .init(opcode: .disconnect, parameters: [0x77, 0, 0x13]))
        #expect(host.violations == [.unknownHandle(0x77)])
    }

    @Test func dataAfterADisconnectionIsIgnored() throws {
        let bench = Bench()
        let central = bench.ready()
        let peripheral = bench.ready()
        for _ in 0..<5 {
            let (link, _) = try #require(bench.link(central, peripheral))
            central.host.disconnect(link, at: bench.now)
            bench.settle()
            central.controller.emit([2, 0x77, 0x20, 5, 0, 1, 0, 4, 0, 0])
            bench.run(.seconds(100))
        }
        #expect(central.states == [.starting, .ready])
        #expect(central.connected.count == 5)
    }

    @Test func aReusedConnectionHandleEndsTheOldLink() throws {
        let bench = Bench()
        let central = bench.ready()
        let peripheral = bench.ready()
        let (_, link) = try #require(bench.link(central, peripheral))
        let handle = try #require(peripheral.controller.links.first?.handle)
        peripheral.controller.emit(
            le: HCI.LEConnectionComplete(
                status: .success, connectionHandle: handle, role: .peripheral,
                peerAddress: DeviceAddress(kind: .random, value: 77), interval: 24, latency: 0, supervisionTimeout: 100)
        )
        bench.settle()
        #expect(peripheral.host.information(of: link) == nil)
        #expect(peripheral.host.links.count == 1)
        #expect(peripheral.violations == [.duplicateHandle(handle)])
    }

    @Test func anUnansweredRequestEndsTheLinkAfterThirtySeconds() throws {
        let bench = Bench()
        let central = bench.ready()
        let peripheral = bench.ready()
        let (link, _) = try #require(bench.link(central, peripheral))
        peripheral.controller.isStalled = true
        central.host.submit(.discoverServices(nil), id: 1, on: link, at: bench.now)
        bench.run(.seconds(29))
        #expect(central.disconnected.isEmpty)
        bench.run(.seconds(2))
        #expect(central.disconnected == [.host(.attributeTimeout)])
        #expect(central.violations == [.attributeBearer])
        #expect(peripheral.disconnected == [.controller(.remoteUserTerminatedConnection)])
    }

    @Test func aMissingDisconnectionCompleteIsAControllerFault() throws {
        let bench = Bench()
        let central = bench.ready()
        let peripheral = bench.ready()
        let (link, _) = try #require(bench.link(central, peripheral))
        central.controller.refusals = [.disconnect: .controllerBusy]
        central.host.disconnect(link, at: bench.now)
        bench.run(.seconds(30))
        #expect(central.disconnected == [.requested])
        #expect(central.states.contains(.resetting(.missingEvent)))
        #expect(central.host.state == .ready)
    }

    @Test func aSupervisionTimeoutOutOfRangeDoesNotDelayTheEndOfALink() {
        let bench = Bench()
        let host = bench.ready()
        // 0xFFFF units are 655 s. The longest timeout that the specification allows is 32 s (Vol 4, Part E, 7.7.65.1).
        host.controller.emit(
            le: HCI.LEConnectionComplete(
                status: .success, connectionHandle: 0x40, role: .peripheral,
                peerAddress: DeviceAddress(kind: .random, value: 0xC0_FFEE), interval: 0xFFFF, latency: 0,
                supervisionTimeout: 0xFFFF))
        bench.settle()
        host.controller.refusals = [.disconnect: .controllerBusy]
        for link in host.connected { host.host.disconnect(link, at: bench.now) }
        // And 5 s for the controller.
        bench.run(.milliseconds(36_999))
        #expect(host.states == [.starting, .ready])
        bench.run(.milliseconds(1))
        #expect(host.disconnected == [.requested])
        #expect(host.states.contains(.resetting(.missingEvent)))
    }

    @Test func aMissingConnectionCompleteDoesNotStopAdvertising() throws {
        let bench = Bench()
        let host = bench.ready()
        host.host.setAdvertising(AdvertisingParameters(data: [2, 1, 6]), at: bench.now)
        bench.settle()
        // The event about the link was lost; the controller has stopped its advertising.
        host.controller.receive([1, 0x0A, 0x20, 1, 0])
        _ = host.controller.takeOutput()
        #expect(!host.controller.isAdvertising)
        host.controller.emit(
            HCI.DisconnectionComplete(
                status: .success, connectionHandle: 0x55, reason: .remoteUserTerminatedConnection))
        bench.settle()
        #expect(host.controller.isAdvertising)
        #expect(host.violations == [.unknownHandle(0x55)])
    }

    @Test func aRepeatedAdvertisingRequestIsSentAgain() {
        let bench = Bench()
        let host = bench.ready()
        let parameters = AdvertisingParameters(data: [2, 1, 6])
        host.host.setAdvertising(parameters, at: bench.now)
        bench.settle()
        host.controller.receive([1, 0x0A, 0x20, 1, 0])
        _ = host.controller.takeOutput()
        host.host.setAdvertising(parameters, at: bench.now)
        bench.settle()
        #expect(host.controller.isAdvertising)
        // A controller that refuses what is on already.
        host.controller.refusals = [.leSetAdvertisingEnable: .commandDisallowed]
        host.clearEvents()
        host.host.setAdvertising(parameters, at: bench.now)
        bench.settle()
        #expect(host.events.count == 1)
        guard case .advertisingChanged(.legacy, nil)? = host.events.first?.event else {
            Issue.record("\(host.events)")
            return
        }
    }

    @Test func anUnreportedLinkOfACentralCausesAReset() {
        let bench = Bench()
        let host = bench.ready { $0.refusals = [.leCreateConnection: .connectionAlreadyExists] }
        let peer = DeviceAddress(kind: .random, value: 0xC000_0000_0009)
        host.host.connect(to: peer, at: bench.now)
        bench.settle()
        #expect(host.states == [.starting, .ready, .resetting(.missingEvent), .ready])
        // A controller that keeps its links even then is not reset for ever.
        host.host.connect(to: peer, at: bench.now)
        bench.settle()
        #expect(host.states.last == .ready && host.states.count == 4)
        #expect(host.failedConnections == [peer])
        // What was before the next start does not count.
        host.host.powerOff(at: bench.now)
        bench.settle()
        host.host.start(at: bench.now)
        bench.settle()
        host.host.connect(to: peer, at: bench.now)
        bench.settle()
        #expect(host.states.suffix(5) == [.off, .starting, .ready, .resetting(.missingEvent), .ready])
    }

    @Test func aMissingCancellationEventIsAControllerFault() {
        let bench = Bench()
        let host = bench.ready()
        let peer = DeviceAddress(kind: .random, value: 0xC000_0000_0009)
        host.host.connect(to: peer, at: bench.now)
        bench.settle()
        host.controller.receive([1, 0x0E, 0x20, 0])
        _ = host.controller.takeOutput()
        host.host.cancelConnect(to: peer, at: bench.now)
        bench.run(.seconds(3))
        #expect(host.states == [.starting, .ready, .resetting(.missingEvent), .ready])
    }

    @Test func aControllerThatReportsNoLinksIsReset() {
        let bench = Bench()
        let host = bench.ready()
        for handle in UInt8(1)...3 {
            host.controller.emit([2, handle, 0x20, 5, 0, 1, 0, 4, 0, 0])
            bench.run(.seconds(1))
        }
        #expect(host.states == [.starting, .ready, .resetting(.missingEvent), .ready])
        // Not for ever.
        for handle in UInt8(1)...9 {
            host.controller.emit([2, handle, 0x20, 5, 0, 1, 0, 4, 0, 0])
            bench.run(.seconds(1))
        }
        #expect(host.states.count == 4)
    }

    @Test func aSecondConnectionOfAPeerReplacesItsLink() throws {
        let bench = Bench()
        let central = bench.ready()
        let peripheral = bench.ready()
        let (_, link) = try #require(bench.link(central, peripheral))
        let handle = try #require(peripheral.controller.links.first?.handle)
        peripheral.controller.emit(
            le: HCI.LEConnectionComplete(
                status: .success, connectionHandle: 0x99, role: .peripheral, peerAddress: central.controller.address,
                interval: 24, latency: 0, supervisionTimeout: 100))
        bench.settle()
        #expect(peripheral.disconnected == [.host(.replaced)])
        #expect(peripheral.host.links.map(\.identifier) != [link])
        #expect(peripheral.host.links.count == 1)
        #expect(peripheral.violations == [.missingDisconnection(handle)])
    }

    @Test func aLinkInTheOtherRoleKeepsTheOldOne() throws {
        let bench = Bench()
        let central = bench.ready()
        let peripheral = bench.ready()
        let (_, link) = try #require(bench.link(central, peripheral))
        peripheral.controller.emit(
            le: HCI.LEConnectionComplete(
                status: .success, connectionHandle: 0x99, role: .central, peerAddress: central.controller.address,
                interval: 24, latency: 0, supervisionTimeout: 100))
        bench.settle()
        #expect(peripheral.host.links.map(\.identifier) == [link])
        #expect(peripheral.disconnected.isEmpty && peripheral.violations.isEmpty)
        // No command requested it.
        #expect(peripheral.controller.log.last == .init(opcode: .disconnect, parameters: [0x99, 0, 0x13]))
    }

    @Test func anIncomingLinkEndsTheAttemptToItsPeer() throws {
        let bench = Bench()
        let central = bench.ready()
        let peripheral = bench.ready()
        // Two, so that the accept list is used.
        let absent = DeviceAddress(kind: .random, value: 0xC000_0000_0099)
        for address in [absent, central.controller.address] { peripheral.host.connect(to: address, at: bench.now) }
        _ = try #require(bench.link(central, peripheral))
        #expect(peripheral.failedConnections == [central.controller.address])
        #expect(peripheral.connected.count == 1)
        peripheral.host.connect(to: central.controller.address, at: bench.now)
        bench.settle()
        #expect(peripheral.failedConnections == [central.controller.address, central.controller.address])
        #expect(peripheral.controller.isInitiating)
    }

    @Test func anUnconfirmedLinkThatTimesOutIsAFailedAttempt() throws {
        let bench = Bench()
        let central = bench.ready()
        let peripheral = bench.ready()
        // Neither data nor any event of the link gets to the central.
        central.controller.silent = [.leReadRemoteFeatures]
        central.controller.isStalled = true
        peripheral.controller.isStalled = true
        peripheral.host.setAdvertising(AdvertisingParameters(data: [2, 1, 6]), at: bench.now)
        central.host.connect(to: peripheral.controller.address, at: bench.now)
        bench.run(.seconds(35))
        #expect(central.connected.isEmpty && central.disconnected.isEmpty)
        #expect(central.failedConnections == [peripheral.controller.address])
        central.controller.release()
        peripheral.controller.release()
        central.host.connect(to: peripheral.controller.address, at: bench.now)
        bench.run(.seconds(40))
        #expect(central.connected.count == 1)
    }

    @Test func uncompletedBuffersEndTheirLinks() throws {
        let bench = Bench()
        let central = bench.ready()
        let peripheral = bench.ready()
        let (_, link) = try #require(bench.link(central, peripheral))
        peripheral.controller.isStalled = true
        let value = [UInt8](repeating: 1, count: 18)
        for _ in 0..<40 { peripheral.host.notify(value.span, handle: 3, on: link, at: bench.now) }
        bench.run(.seconds(44))
        #expect(peripheral.disconnected.isEmpty)
        bench.run(.seconds(2))
        #expect(peripheral.disconnected == [.host(.stalledController)])
        #expect(peripheral.violations == [.missingCompletions])
        #expect(peripheral.host.state == .ready)
    }

    @Test func pairingIsRefusedAndAnUnknownChannelReportedOnce() throws {
        let bench = Bench()
        let central = bench.ready()
        let peripheral = bench.ready()
        _ = try #require(bench.link(central, peripheral))
        let handle = try #require(peripheral.controller.links.first?.handle)
        peripheral.controller.isStalled = true
        let low = UInt8(truncatingIfNeeded: handle)
        let high = UInt8(truncatingIfNeeded: handle >> 8)
        peripheral.controller.emit([2, low, high | 0x20, 11, 0, 7, 0, 6, 0, 1, 3, 0, 1, 16, 7, 7])
        for _ in 0..<3 { peripheral.controller.emit([2, low, high | 0x20, 5, 0, 1, 0, 0x70, 0, 9]) }
        bench.settle()
        #expect(peripheral.controller.stalledCount == 1)
        #expect(peripheral.violations == [.unknownChannel(0x70)])
    }

    /// A frame on any fixed channel that this host does not have (Vol 3, Part A, 2.1) is reported and answered by nothing, and the link goes on:
    /// the next request for a GAP characteristic, of a host without a program that serves, has its answer (Vol 3, Part C, 12).
    @Test func framesOfOtherFixedChannelsAreIgnored() throws {
        let bench = Bench()
        let (central, peripheral) = (bench.ready(), bench.ready())
        _ = try #require(bench.link(central, peripheral))
        let handle = try #require(peripheral.controller.links.first?.handle)
        let (low, high) = (UInt8(truncatingIfNeeded: handle), UInt8(truncatingIfNeeded: handle >> 8) | 0x20)
        var sent: [[UInt8]] = []
        peripheral.controller.passesData = { packet in
            sent.append(packet)
            return true
        }
        for channel in (0...0x3F) as ClosedRange<UInt8> where !(4...6).contains(channel) {
            for octets in [[], [0x02, 0xFF], [UInt8](repeating: channel, count: 19)] as [[UInt8]] {
                let length = UInt8(octets.count)
                peripheral.controller.emit([2, low, high, length + 4, 0, length, 0, channel, 0] + octets)
            }
        }
        bench.settle()
        #expect(sent.isEmpty && peripheral.disconnected.isEmpty)
        // 61 channels; the first 32 violations of a link are reported.
        #expect(peripheral.violations == ([0, 1, 2, 3] + Array(7...34)).map { .unknownChannel($0) })
        // Read By Type Requests for the device name and the appearance (Vol 3, Part F, 3.4.4.1).
        for type in [0x00, 0x01] as [UInt8] {
            peripheral.controller.emit([2, low, high, 11, 0, 7, 0, 4, 0, 0x08, 1, 0, 0xFF, 0xFF, type, 0x2A])
            bench.settle()
            let answer = try #require(sent.last)
            #expect(answer.count > 9 && answer[9] == 0x09)
        }
        #expect(sent.count == 2)
    }

    /// The packet types of the controller are 0x02 to 0x05 (Vol 4, Part A, 2); synchronous and isochronous data are not used.
    @Test(
        arguments: [(nil, true), (0x00, true), (0x01, true), (0x03, false), (0x05, false), (0x06, true), (0xFF, true)]
            as [(UInt8?, Bool)])
    func packetsOfOtherTypesAreReported(type: UInt8?, isReported: Bool) {
        let host = Bench().ready()
        let packet: [UInt8] = type.map { [$0, 0, 0, 0] } ?? []
        for _ in 0..<2 { host.host.receive(packet.span, at: .zero) }
        let violations = host.host.output.events.pending.compactMap { event -> ProtocolViolation? in
            if case .protocolViolation(nil, let violation) = event { violation } else { nil }
        }
        #expect(violations == (isReported ? [.malformedPacket] : []))
    }

    /// An event has as many octets as its length says (Vol 4, Part E, 5.4.4).
    @Test(arguments: [0, 4, 5, 6, 255] as [UInt8]) func aCompletionOfTheWrongLengthCompletesNothing(length: UInt8)
        throws
    {
        let bench = Bench()
        let central = bench.ready()
        let peripheral = bench.ready()
        _ = try #require(bench.link(central, peripheral))
        let handle = try #require(central.controller.links.first?.handle)
        let low = UInt8(truncatingIfNeeded: handle)
        central.controller.emit([0x04, 0x13, length, 1, low, UInt8(handle >> 8), 1, 0])
        bench.settle()
        #expect(central.violations == [length == 5 ? .completedMoreThanSent : .malformedPacket])
    }

    /// Handles have 12 bits (Vol 4, Part E, 5.4.2).
    @Test func dataBelongsToTheLinkOfItsHandle() throws {
        let bench = Bench()
        let central = bench.ready()
        let handles: [UInt16] = [0x0001, 0x0002, 0x0102, 0x0201, 0x0202, 0x0EFF]
        var links: [(BenchHost, LinkIdentifier, LinkIdentifier)] = []
        for handle in handles {
            let peripheral = bench.ready()
            central.controller.nextHandle = handle
            let (here, there) = try #require(bench.link(central, peripheral))
            links.append((peripheral, here, there))
        }
        for (number, (peripheral, here, there)) in links.enumerated() {
            central.clearEvents()
            let value = [UInt8(number), 7]
            peripheral.host.notify(value.span, handle: 3, on: there, at: bench.now)
            bench.settle()
            let found = central.events.compactMap { entry -> LinkIdentifier? in
                if case .value(let link, let value) = entry.event, value.handle == 3 { link } else { nil }
            }
            #expect(found == [here] && central.notifications == [value])
            central.host.submit(.read(handle: 3), id: UInt32(number), on: here, at: bench.now)
            bench.settle()
            #expect(central.result(UInt32(number)) != nil)
        }
        #expect(central.violations.isEmpty)
    }

    /// An event that is too short is reported with its code and its first octet, which is the subevent code in LE Meta.
    @Test(
        arguments: [
            ([0x05, 0], 0x05, 0), ([0x05, 1, 7], 0x05, 7), ([0x13, 0], 0x13, 0), ([0x3E, 0], 0x3E, 0),
            ([0x3E, 2, 1, 9], 0x3E, 1), ([0x3E, 1, 3], 0x3E, 3), ([0x0E, 2, 1, 3], 0x0E, 1),
        ] as [([UInt8], UInt8, UInt8)])
    func aShortEventIsReported(event: [UInt8], code: UInt8, first: UInt8) {
        let host = Bench().ready()
        let packet = [0x04] + event
        host.host.receive(packet.span, at: .zero)
        let violations = host.host.output.events.pending.compactMap { event -> ProtocolViolation? in
            if case .protocolViolation(nil, let violation) = event { violation } else { nil }
        }
        #expect(violations == [.malformedEvent(HCI.EventCode(rawValue: code), first)])
        #expect(host.host.state == .ready)
    }

    @Test func aBadFragmentIsReportedAsWhatItIs() {
        typealias Fault = ProtocolViolation.FragmentFault
        #expect(Fault(.missingStart) == .missingStart && Fault(.tooLong) == .tooLong)
        #expect(Fault(.aboveLimit) == .aboveLimit && Fault(.unfinished) == .unfinished)
    }

    /// A reset ends the wait for the end of a link from before it, so a later such link is ended as well.
    @Test func eachResetEndsLinksFromBeforeIt() {
        let bench = Bench()
        let host = bench.ready()
        for _ in 0..<2 {
            host.controller.silent = [.disconnect]
            host.controller.clearLog()
            host.controller.emit([2, 0x77, 0x20, 5, 0, 1, 0, 4, 0, 0])
            bench.settle()
            #expect(host.controller.log == [.init(opcode: .disconnect, parameters: [0x77, 0, 0x13])])
            host.controller.emit(HCI.HardwareError(hardwareCode: 1))
            bench.settle()
            #expect(host.host.state == .ready)
            bench.run(.seconds(100))
        }
    }
}
