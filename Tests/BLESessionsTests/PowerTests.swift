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
        #expect(bench.sessions.peers.count == 0 && bench.sessions.requests.isEmpty)

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
        #expect(bench.sessions.links.isEmpty)
        bench.attach()
        #expect(bench.take() == [.adapterState(.poweredOn, session: 1)])
    }
}
