import BLEWire
import Testing

@testable import BLEAdapter

/// Links of the sessions: their beginning and their end in each state.
@Suite struct RemoteCentralLinkTests {
    // MARK: Delays

    @Test func aDelayedConnectBeginsInTime() {
        var bench = CentralBench()
        let recorder = bench.open(1)
        bench.connect(1, 5, after: .seconds(5))
        #expect(bench.central.deadline == bench.now + .seconds(5))
        bench.run(for: .seconds(5) - .nanoseconds(1))
        #expect(bench.requests() == [] && !bench.central.hasLink(CentralBench.peer(5)))
        bench.run(for: .nanoseconds(1))
        #expect(bench.requests() == ["connect 5"])
        // Another delay has no effect on a link that is coming.
        bench.connect(1, 5, after: .seconds(5))
        #expect(bench.central.delayed.isEmpty)
        bench.connected()
        #expect(recorder.take() == ["connected 5 -"])
    }

    /// Delays begin in the order of their times, then of the sessions.
    @Test func delaysHaveAnOrder() {
        var bench = CentralBench()
        let recorders = [bench.open(1), bench.open(2)]
        bench.connect(2, 4, after: .seconds(2))
        for peer in [9, 8, 7] as [UInt64] { bench.connect(2, peer, after: .seconds(1)) }
        bench.connect(1, 6, after: .seconds(1))
        bench.central.handleTimeout(at: bench.now + .seconds(3))
        #expect(bench.requests() == ["connect 6", "connect 7", "connect 8", "connect 9", "connect 4"])
        withExtendedLifetime(recorders) {}
    }

    @Test func aDelayBelongsToItsRequest() {
        var bench = CentralBench()
        let recorder = bench.open(1)
        bench.connect(1, 5, after: .seconds(5))
        bench.run(for: .seconds(2))
        bench.cancel(1)
        #expect(recorder.take() == ["disconnected 5 cancelled"])
        bench.cancel(1)
        #expect(recorder.take() == [], "there is nothing to cancel")
        bench.connect(1, 5, after: .seconds(10))
        bench.run(for: .seconds(8))
        #expect(bench.requests() == [])
        // A longer delay replaces it, and a request without one begins at once and only once.
        bench.connect(1, 5, after: .seconds(20))
        bench.run(for: .seconds(19))
        #expect(bench.requests() == [])
        bench.connect(1, 5)
        #expect(bench.requests() == ["connect 5"])
        bench.connected()
        bench.run(for: .seconds(5))
        #expect(recorder.take() == ["connected 5 -"] && bench.central.deadline == nil)
        // The delays of a session end with it.
        bench.connect(1, 6, after: .seconds(5))
        bench.close(1)
        bench.run(for: .seconds(10))
        #expect(bench.requests() == ["disconnect 5"])
    }

    // MARK: Sessions

    @Test func sessionsShareALink() {
        var bench = CentralBench()
        let (one, other) = (bench.open(1), bench.open(2))
        bench.connect(2)
        bench.connect(1)
        #expect(bench.requests() == ["connect 5"])
        bench.connected()
        #expect(one.take() == ["connected 5 -"] && other.take() == ["connected 5 -"])
        for _ in 0..<2 {
            bench.cancel(2)
            #expect(other.take() == ["disconnected 5 cancelled"] && bench.requests() == [])
            bench.cancel(2)
            #expect(other.take() == [])
            bench.connect(2)
            #expect(other.take() == ["connected 5 -"] && one.take() == [])
        }
        bench.cancel(1)
        bench.close(2)
        #expect(bench.requests() == ["disconnect 5"] && bench.central.hasLink(CentralBench.peer(5)))
        bench.ended()
        #expect(bench.requests() == ["forget 5"] && !bench.central.hasLink(CentralBench.peer(5)))
        #expect(one.take() == ["disconnected 5 cancelled"] && other.take() == [])
    }

    /// A session that is released while its requests wait for it, or whose observer is gone, opens no link.
    @Test func aSessionThatIsGoneOpensNoLink() {
        var bench = CentralBench()
        bench.connect(1)
        do { _ = bench.open(1) }
        bench.connect(1)
        #expect(bench.requests() == [])
    }

    @Test func anIdentifierWithoutAnAddressFailsAtOnce() {
        var bench = CentralBench()
        let recorder = bench.open(1)
        let foreign = PeerIdentifier(high: 2, low: 5)
        bench.central.connect(RemoteUse(session: 1, peer: foreign), ConnectionOptions(), at: bench.now)
        #expect(recorder.take() == ["failed 5 establishmentFailed"] && bench.requests() == [])
        #expect(!bench.central.hasLink(foreign))
    }

    /// An ATT_MTU has at least 23 octets (Vol 3, Part G, 5.2.1), and 517 suffice for each value.
    @Test(arguments: [(-1, 23), (22, 23), (23, 23), (24, 24), (516, 516), (517, 517), (518, 517), (.max, 517)])
    func theMTUIsWithinItsLimits(told: Int, expected: Int) {
        var bench = CentralBench()
        let recorder = bench.open(1)
        let peer = CentralBench.peer(5)
        bench.connect(1)
        #expect(bench.snapshot.maximumTransmissionUnit(of: peer) == nil)
        bench.connected(mtu: told)
        #expect(bench.snapshot.maximumTransmissionUnit(of: peer) == expected)
        // A second report is none.
        bench.connected(mtu: 50)
        #expect(bench.snapshot.maximumTransmissionUnit(of: peer) == expected)
        #expect(recorder.take() == ["connected 5 -"])
        bench.ended()
        #expect(bench.snapshot.maximumTransmissionUnit(of: peer) == nil)
    }

    // MARK: Attempts

    /// An attempt that could not be established goes on after 1 s; any other failure ends it.
    @Test func theEndOfAnAttempt() {
        var bench = CentralBench()
        let (one, other) = (bench.open(1), bench.open(2))
        for session in [1, 2] { bench.connect(session) }
        for _ in 0..<3 {
            #expect(bench.requests().last == "connect 5")
            bench.ended(5, .establishmentFailed)
            bench.ended(5, .endedByPeer)
            bench.connected()
            bench.run(for: .milliseconds(999))
            #expect(bench.requests() == [] && !bench.central.isUp(CentralBench.peer(5)))
            bench.run(for: .milliseconds(1))
        }
        #expect(bench.requests() == ["forget 5", "connect 5"])
        #expect(one.take() == [] && other.take() == [])
        bench.ended(5, .limitReached)
        #expect(one.take() == ["failed 5 limitReached"] && other.take() == ["failed 5 limitReached"])
        bench.run(for: .seconds(60))
        #expect(bench.requests() == ["forget 5"])
    }

    /// A session that comes during the pause waits for its end.
    @Test func aPauseIsForAllSessions() {
        var bench = CentralBench()
        let (one, other) = (bench.open(1), bench.open(2))
        bench.connect(1)
        bench.ended(5, .establishmentFailed)
        _ = bench.requests()
        bench.connect(2)
        bench.cancel(1)
        #expect(bench.requests() == [] && one.take() == ["disconnected 5 cancelled"])
        bench.run(for: .seconds(1))
        #expect(bench.requests() == ["forget 5", "connect 5"])
        bench.connected()
        #expect(one.take() == [] && other.take() == ["connected 5 -"])
    }

    // MARK: The end

    @Test func aCancellationInEachState() {
        var bench = CentralBench()
        let recorder = bench.open(1)
        func expectCancellation(_ requests: [String]) {
            bench.cancel(1)
            #expect(recorder.take() == ["disconnected 5 cancelled"] && bench.requests() == requests)
            bench.cancel(1)
            #expect(recorder.take() == [] && bench.requests() == [])
        }
        for _ in 0..<2 {
            // Connecting: the host may still report a link, which is none.
            bench.connect(1)
            _ = bench.requests()
            expectCancellation(["disconnect 5"])
            bench.connected()
            #expect(recorder.take() == [] && !bench.central.isUp(CentralBench.peer(5)))
            bench.ended(5, .establishmentFailed)
            #expect(bench.requests() == ["forget 5"])
            // Waiting.
            bench.connect(1)
            bench.ended(5, .establishmentFailed)
            _ = bench.requests()
            expectCancellation(["forget 5"])
            // Up.
            bench.link([1])
            _ = recorder.take()
            expectCancellation(["disconnect 5"])
            #expect(bench.snapshot.maximumTransmissionUnit(of: CentralBench.peer(5)) == nil)
            // Ending, with a session that waits for the end.
            bench.connect(1)
            expectCancellation([])
            bench.ended()
            #expect(bench.requests() == ["forget 5"] && recorder.take() == [])
        }
    }

    @Test func anEndInEachState() {
        var bench = CentralBench()
        let (one, other) = (bench.open(1), bench.open(2))
        bench.ended()
        #expect(bench.requests() == [], "no link")
        bench.connect(1)
        bench.connect(2, reconnects: true)
        bench.connected()
        _ = (one.take(), other.take(), bench.requests())
        for round in 0..<2 {
            bench.ended(5, .supervisionTimeout)
            #expect(one.take() == (round == 0 ? ["disconnected 5 supervisionTimeout"] : []))
            #expect(other.take() == ["disconnected 5 supervisionTimeout, reconnects"])
            #expect(bench.requests() == ["forget 5", "connect 5"])
            bench.connected()
            #expect(one.take() == [] && other.take() == ["connected 5 -"])
        }
        bench.cancel(2)
        bench.connect(1)
        #expect(bench.requests() == ["disconnect 5"] && one.take() == [])
        bench.ended()
        #expect(bench.requests() == ["forget 5", "connect 5"] && one.take() == [])
        bench.connected()
        bench.ended(5, .establishmentFailed)
        #expect(
            one.take() == ["connected 5 -", "disconnected 5 establishmentFailed"] && bench.requests() == ["forget 5"])
    }

    /// A link whose end the host does not report counts as ended after 20 s.
    @Test func anEndThatIsNotReported() {
        var bench = CentralBench()
        let recorder = bench.open(1)
        for _ in 0..<2 {
            bench.link([1])
            bench.cancel(1)
            bench.connect(1)
            _ = (recorder.take(), bench.requests())
            bench.run(for: .milliseconds(19_999))
            #expect(bench.requests() == [])
            bench.run(for: .milliseconds(1))
            #expect(bench.requests() == ["forget 5", "connect 5"])
            bench.connected()
            #expect(recorder.take() == ["connected 5 -"])
            bench.cancel(1)
            bench.run(for: .seconds(20))
            #expect(bench.requests() == ["disconnect 5", "forget 5"] && bench.central.deadline == nil)
            _ = recorder.take()
        }
    }

    /// The host forgets a device while sessions wait for its link.
    @Test func aDeviceThatIsForgottenFails() {
        let identification = ForgettingIdentification()
        var bench = CentralBench()
        bench.central = RemoteCentral(RemoteSnapshot(identification))
        bench.central.set(.poweredOn)
        let recorder = bench.open(1)
        for isUp in [true, false] {
            identification.isKnown.withLock { $0 = true }
            bench.connect(1, reconnects: true)
            if isUp { bench.connected() }
            _ = (recorder.take(), bench.requests())
            identification.isKnown.withLock { $0 = false }
            bench.ended(5, .establishmentFailed)
            bench.run(for: .seconds(1))
            let lost = isUp ? ["disconnected 5 establishmentFailed, reconnects"] : []
            #expect(recorder.take() == lost + ["failed 5 establishmentFailed"])
            #expect(bench.requests() == ["forget 5"] && !bench.central.hasLink(CentralBench.peer(5)))
        }
    }
}

private final class ForgettingIdentification: PeerIdentification {
    let isKnown = Lock(true)

    func identifier(for address: DeviceAddress) -> PeerIdentifier { PlainIdentification().identifier(for: address) }
    func address(of identifier: PeerIdentifier) -> DeviceAddress? {
        isKnown.withLock { $0 } ? PlainIdentification().address(of: identifier) : nil
    }
}
