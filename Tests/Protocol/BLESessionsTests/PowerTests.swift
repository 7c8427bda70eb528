import BLEAdapter
import BLEHost
import BLEWire
import Testing

@testable import BLESessions

struct PowerTests {
    private let address: UInt64 = 0xC000_0000_0001

    @Test func aSessionGetsItsFirstStateAfterFiveMilliseconds() {
        let bench = SessionBench()
        bench.attach()
        bench.call { $0.openCentral(1, at: $1) }
        bench.call { $0.openPeripheral(2, at: $1) }
        bench.run(.milliseconds(4))
        #expect(bench.take() == [])
        bench.run(.milliseconds(1))
        #expect(bench.take() == [.adapterState(.poweredOn, session: 1), .adapterState(.poweredOn, session: 2)])
    }

    @Test func aStateThatIsNotKnownYetIsReportedWhenItIs() {
        let bench = SessionBench()
        bench.call { $0.openCentral(1, at: $1) }
        bench.run(.seconds(1))
        #expect(bench.take() == [])
        bench.attach()
        #expect(bench.take() == [.adapterState(.poweredOn, session: 1)])
    }

    @Test func aSessionThatClosesBeforeItsFirstStateGetsNone() {
        let bench = SessionBench()
        bench.attach()
        bench.call { $0.openCentral(1, at: $1) }
        bench.call { $0.closeCentral(1, at: $1) }
        bench.run(.seconds(1))
        #expect(bench.take() == [] && bench.sessions.nextDeadline == nil)
    }

    @Test func powerOffEndsLinksAndReportsTheStateInstead() {
        let bench = SessionBench.ready(centrals: 1)
        bench.connect(address, session: 1, ConnectionOptions(reconnectsAutomatically: true))
        _ = bench.takeAll()
        bench.call { $0.powerOff(at: $1) }
        let events = bench.takeAll()
        #expect(events.contains(.linkDown(SessionBench.peer(address), .central)))
        #expect(events.contains(.adapterState(.poweredOff, session: 1)))
        #expect(!events.contains { if case .disconnected = $0 { true } else { false } })
        #expect(bench.sessions.context.peers.count == 0 && bench.sessions.connections.requests.isEmpty)

        bench.call { $0.powerOn(at: $1) }
        #expect(bench.take() == [.adapterState(.poweredOn, session: 1)])
    }

    @Test func servicesAndAdvertisingStayThroughAPowerOff() {
        let bench = SessionBench.ready()
        bench.call { $0.openPeripheral(2, at: $1) }
        bench.call { $0.startAdvertising(Advertisement(localName: "A", services: []), session: 2, at: $1) }
        bench.run(.milliseconds(5))
        bench.call { $0.powerOff(at: $1) }
        _ = bench.take()
        let enabled = bench.controller.count(of: 0x200A)
        bench.call { $0.powerOn(at: $1) }
        #expect(bench.take() == [.adapterState(.poweredOn, session: 2)])
        #expect(bench.controller.count(of: 0x200A) == enabled + 1, "advertises again")
    }

    @Test func aResetEndsEverythingAndTheAdapterRecovers() {
        let bench = SessionBench.ready(centrals: 1)
        bench.call { $0.openPeripheral(2, at: $1) }
        bench.run(.milliseconds(5))
        let definition = ServiceDefinition(
            uuid: BluetoothUUID(UInt16(0xFEE7)), isPrimary: true, includedServices: [], characteristics: [])
        bench.call { $0.add(definition, token: 9, session: 2, at: $1) }
        _ = bench.takeAll()
        // Hardware Error (Vol 4, Part E, 7.7.16).
        bench.controller.event(0x10, [0x42])
        bench.settle()
        let events = bench.takeAll()
        #expect(events.contains(.note(.resetting(.hardwareError(0x42)))))
        #expect(events.contains(.serviceRemoved(token: 9, session: 2)))
        let states = events.filter { if case .adapterState = $0 { true } else { false } }
        #expect(
            states == [
                .adapterState(.resetting, session: 1), .adapterState(.resetting, session: 2),
                .adapterState(.poweredOn, session: 1), .adapterState(.poweredOn, session: 2),
            ])
        #expect(bench.sessions.timesReady == 2)
    }

    @Test func aSilentControllerMakesTheAdapterUnsupported() {
        let bench = SessionBench()
        bench.call { $0.openCentral(1, at: $1) }
        // Reset.
        bench.controller.ignored = [0x0C03]
        bench.attach()
        bench.run(.seconds(60))
        let events = bench.takeAll()
        #expect(events.contains(.adapterState(.unsupported, session: 1)))
        #expect(events.filter { if case .failed = $0 { true } else { false } }.count == 1)
    }

    @Test func aLostControllerIsResettingUntilItReturns() {
        let bench = SessionBench.ready(centrals: 1)
        bench.call { $0.detach(at: $1) }
        #expect(bench.take() == [.adapterState(.resetting, session: 1)])
        bench.attach()
        #expect(bench.take() == [.adapterState(.poweredOn, session: 1)])
    }

    @Test func aControllerThatGoesAwayBeforeItWorkedIsNotExpectedBack() {
        let bench = SessionBench()
        bench.call { $0.openCentral(1, at: $1) }
        bench.call { $0.powerOff(at: $1) }
        bench.attach()
        bench.run(.milliseconds(5))
        #expect(bench.take() == [.adapterState(.poweredOff, session: 1)])
        bench.call { $0.detach(at: $1) }
        #expect(bench.take() == [.adapterState(.unsupported, session: 1)])
    }

    @Test func aBlockedRadioIsPoweredOff() {
        let bench = SessionBench.ready(centrals: 1)
        bench.connect(address, session: 1)
        _ = bench.take()
        bench.sessions.prepareToBlock(at: bench.now)
        bench.call { $0.block(at: $1) }
        #expect(bench.take() == [.adapterState(.poweredOff, session: 1)])
        #expect(bench.sessions.context.links.isEmpty)
        bench.attach()
        #expect(bench.take() == [.adapterState(.poweredOn, session: 1)])
    }

    /// What interrupts the adapter and lets it work again.
    enum Interruption: CaseIterable { case powerOff, hardwareError, loss, block }

    private func interrupt(_ bench: SessionBench, _ interruption: Interruption) {
        switch interruption {
        case .powerOff:
            bench.call { $0.powerOff(at: $1) }
            bench.call { $0.powerOn(at: $1) }
        case .hardwareError:
            bench.controller.event(0x10, [0x42])
            bench.settle()
        case .loss:
            bench.call { $0.detach(at: $1) }
            bench.attach()
        case .block:
            bench.sessions.prepareToBlock(at: bench.now)
            bench.call { $0.block(at: $1) }
            bench.attach()
        }
    }

    /// Sessions get the state in place of the ends of the links, each time, and the end of a link alone is reported as before.
    @Test(arguments: Interruption.allCases) func theEndOfALinkIsReportedAgainAfterEachInterruption(
        _ interruption: Interruption
    ) throws {
        let bench = SessionBench.ready(centrals: 1)
        let peer = SessionBench.peer(address)
        let connected = SessionEvent.connected(PeerRecord(identifier: peer, name: nil), session: 1)
        for _ in 0..<3 {
            bench.connect(address, session: 1)
            #expect(bench.take() == [connected])
            interrupt(bench, interruption)
            let states = bench.take()
            #expect(states.count == 2 && states.last == .adapterState(.poweredOn, session: 1), "\(states)")
            #expect(
                bench.sessions.context.links.isEmpty && bench.sessions.connections.requests.isEmpty
                    && bench.sessions.context.peers.count == 0)
            bench.connect(address, session: 1)
            #expect(bench.take() == [connected])
            bench.controller.end(try #require(bench.controller.handles.last), 0x08)
            bench.settle()
            #expect(
                bench.take() == [
                    .disconnected(peer, .failed(.supervisionTimeout), isReconnecting: false, session: 1)
                ])
            // Resets that follow each other at once count as one failure.
            bench.run(.seconds(100))
        }
    }

    @Test func aPowerOffWhileTheAdapterResetsIsCarriedOut() {
        let bench = SessionBench.ready(centrals: 1)
        bench.connect(address, session: 1)
        _ = bench.take()
        // The controller does not answer the Reset that follows its error.
        bench.controller.ignored = [0x0C03]
        bench.controller.event(0x10, [0x42])
        bench.settle()
        #expect(bench.take() == [.adapterState(.resetting, session: 1)])
        bench.call { $0.powerOff(at: $1) }
        bench.controller.ignored = []
        bench.run(.seconds(60))
        #expect(bench.take() == [.adapterState(.poweredOff, session: 1)])
        bench.call { $0.powerOn(at: $1) }
        #expect(bench.take() == [.adapterState(.poweredOn, session: 1)])
    }

    @Test func aPowerOnDuringAPowerOffFollowsIt() {
        let bench = SessionBench.ready(centrals: 1)
        bench.connect(address, session: 1)
        _ = bench.take()
        for _ in 0..<2 {
            bench.call {
                $0.powerOff(at: $1)
                $0.powerOff(at: $1)
                $0.powerOn(at: $1)
            }
            #expect(
                bench.take() == [.adapterState(.poweredOff, session: 1), .adapterState(.poweredOn, session: 1)])
        }
        bench.call {
            $0.powerOff(at: $1)
            $0.powerOn(at: $1)
            $0.powerOff(at: $1)
        }
        #expect(bench.take() == [.adapterState(.poweredOff, session: 1)])
    }

    @Test func nothingStartsWhileTheAdapterGoesDown() {
        let bench = SessionBench.ready(centrals: 1)
        let attempts = bench.controller.attempts.count
        bench.call {
            $0.powerOff(at: $1)
            $0.connect(SessionBench.peer(address), options: ConnectionOptions(), session: 1, at: $1)
            $0.startScan(ScanRequest(), session: 1, at: $1)
            $0.startAdvertising(Advertisement(localName: "A", services: []), session: 2, at: $1)
            $0.publishChannel(requiresEncryption: false, session: 2)
        }
        #expect(
            bench.take() == [
                .advertisingStarted(.notPoweredOn, session: 2), .channelPublished(.failure(.notPoweredOn), session: 2),
                .adapterState(.poweredOff, session: 1),
            ])
        #expect(bench.sessions.connections.requests.isEmpty && bench.sessions.scans.sessions.isEmpty)
        bench.call { $0.powerOn(at: $1) }
        // LE Set Scan Enable and LE Set Advertising Enable.
        #expect(bench.controller.count(of: 0x200C) == 0 && bench.controller.count(of: 0x200A) == 0)
        #expect(bench.controller.attempts.count == attempts)
    }

    @Test func withoutAControllerThePowerIsAWish() {
        let bench = SessionBench.ready(centrals: 1)
        for _ in 0..<2 {
            bench.call { $0.detach(at: $1) }
            #expect(bench.take() == [.adapterState(.resetting, session: 1)] && !bench.sessions.isAttached)
            bench.call { $0.powerOff(at: $1) }
            #expect(bench.take() == [] && bench.sessions.state == .resetting)
            bench.attach()
            #expect(bench.take() == [.adapterState(.poweredOff, session: 1)] && bench.sessions.isAttached)
            bench.call { $0.powerOn(at: $1) }
            #expect(bench.take() == [.adapterState(.poweredOn, session: 1)])
        }
    }

    @Test func aControllerIsLostOnce() {
        let bench = SessionBench.ready(centrals: 1)
        bench.call { $0.detach(at: $1) }
        bench.call { $0.detach(at: $1) }
        #expect(bench.take() == [.adapterState(.resetting, session: 1)])
        // Without a controller, the wish alone changes.
        bench.call { $0.powerOff(at: $1) }
        bench.call { $0.powerOn(at: $1) }
        bench.call { $0.powerOff(at: $1) }
        #expect(bench.take() == [] && bench.sessions.host.output.packets.isEmpty)
        bench.attach()
        #expect(bench.take() == [.adapterState(.poweredOff, session: 1)])
        bench.call { $0.powerOn(at: $1) }
        #expect(bench.take() == [.adapterState(.poweredOn, session: 1)])
    }

    @Test func aRadioThatIsBlockedFromTheStartIsPoweredOff() {
        let bench = SessionBench()
        bench.call { $0.openCentral(1, at: $1) }
        bench.sessions.prepareToBlock(at: bench.now)
        bench.call { $0.block(at: $1) }
        bench.run(.milliseconds(5))
        #expect(bench.take() == [.adapterState(.poweredOff, session: 1)])
        bench.attach()
        #expect(bench.take() == [.adapterState(.poweredOn, session: 1)])
    }

    /// A start delay of the time before a power-off does not shorten that of the next request.
    @Test func aPowerOffEndsStartDelays() {
        let bench = SessionBench.ready(centrals: 1)
        bench.connect(address, session: 1, ConnectionOptions(startDelay: .seconds(5)))
        bench.run(.seconds(1))
        bench.call { $0.powerOff(at: $1) }
        #expect(bench.sessions.nextDeadline == nil)
        bench.call { $0.powerOn(at: $1) }
        bench.connect(address, session: 1, ConnectionOptions(startDelay: .seconds(10)))
        bench.run(.milliseconds(9_999))
        #expect(bench.controller.attempts == [])
        bench.run(.milliseconds(1))
        #expect(bench.controller.attempts == [address])
    }

    /// A session that opened just before keeps the wait for its first state.
    @Test func aPowerOffKeepsTheFirstStateOfANewSession() {
        let bench = SessionBench.ready()
        bench.call { $0.openCentral(1, at: $1) }
        bench.call { $0.powerOff(at: $1) }
        bench.run(.milliseconds(5))
        #expect(bench.take() == [.adapterState(.poweredOff, session: 1)])
    }

    /// Requests a channel as a peer (Vol 3, Part A, 4.22), and returns the result of the response (4.23).
    private func requestChannel(_ bench: SessionBench, psm: UInt8) -> UInt8? {
        var result: UInt8?
        bench.controller.takeSignal = { _, packet in if packet[0] == 0x15, packet.count == 14 { result = packet[12] } }
        let handle = bench.controller.acceptLink(from: address)
        bench.settle()
        bench.controller.signal([0x14, 9, 10, 0, psm, 0, 0x41, 0, 100, 0, 100, 0, 5, 0], on: handle)
        bench.settle()
        bench.controller.end(handle, 0x13)
        bench.settle()
        return result
    }

    @Test func channelServicesStayThroughAPowerOffAndEndWithAReset() {
        let bench = SessionBench.ready()
        bench.call { sessions, _ in sessions.publishChannel(requiresEncryption: false, session: 2) }
        #expect(bench.take() == [.channelPublished(.success(0x80), session: 2)])
        interrupt(bench, .powerOff)
        #expect(requestChannel(bench, psm: 0x80) == 0)
        for number in UInt16(0x81)...0x82 {
            interrupt(bench, .hardwareError)
            _ = bench.take()
            // SPSM not supported.
            #expect(requestChannel(bench, psm: UInt8(number) - 1) == 2)
            bench.call { $0.unpublishChannel(number - 1, session: 2, at: $1) }
            bench.call { sessions, _ in sessions.publishChannel(requiresEncryption: false, session: 2) }
            #expect(
                bench.take() == [
                    .channelUnpublished(psm: number - 1, .unknownPSM, session: 2),
                    .channelPublished(.success(number), session: 2),
                ])
            #expect(requestChannel(bench, psm: UInt8(number)) == 0)
            _ = bench.take()
        }
    }
}
