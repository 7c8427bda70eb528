import BLEWire
import Testing

@testable import BLEAdapter

/// Operations and values of links.
@Suite struct RemoteCentralOperationTests {
    private static let failure = Result<GATTResult, GATTError>.failure(.attribute(3))

    // MARK: Operations

    /// Operations of all sessions run one after another, in the order of the calls.
    @Test func operationsRunOneAfterAnother() {
        var bench = CentralBench()
        let (one, other) = (bench.open(1), bench.open(2))
        bench.link([1, 2])
        _ = (one.take(), other.take())
        bench.submit(1, .read(handle: 3))
        bench.submit(2, .write(handle: 4, value: [1]))
        bench.submit(1, .readRSSI)
        #expect(bench.requests() == ["read 3"])
        #expect(bench.central.operation(of: CentralBench.peer(5)) == .read(handle: 3))
        bench.finish()
        #expect(bench.requests() == ["write 4"] && one.take() == ["read 3"])
        bench.finish(Self.failure)
        #expect(bench.requests() == ["operation"] && other.take() == ["write 4 attribute(3)"])
        bench.finish()
        #expect(bench.requests() == [] && one.take() == ["operation"] && bench.central.deadline == nil)
        // Without an operation there is nothing to finish.
        bench.finish()
        bench.finish(.failure(.notConnected))
        #expect(one.take() == [] && other.take() == [] && bench.central.deadline == nil)
        #expect(bench.central.operation(of: CentralBench.peer(5)) == nil)
    }

    /// A value of more than 512 octets never leaves (Vol 3, Part F, 3.2.9), and does not hold up what waits behind it.
    @Test func aValueOfMoreThan512OctetsNeverLeaves() {
        var bench = CentralBench()
        let recorder = bench.open(1)
        bench.link([1])
        _ = recorder.take()
        let write = GATTOperation.write(handle: 4, value: [UInt8](repeating: 0, count: 513))
        bench.submit(1, write)
        #expect(recorder.take() == ["write 4 valueTooLong"] && bench.requests() == [] && bench.central.deadline == nil)
        bench.submit(1, .write(handle: 5, value: [UInt8](repeating: 0, count: 512)))
        for operation in [write, write, .read(handle: 6)] { bench.submit(1, operation) }
        #expect(bench.requests() == ["write 5"] && recorder.take() == [])
        bench.finish()
        #expect(recorder.take() == ["write 5", "write 4 valueTooLong", "write 4 valueTooLong"])
        #expect(bench.requests() == ["read 6"])
    }

    /// Each operation has 40 s from its own beginning. Then the link ends, and the operations have no result.
    @Test func anOperationHasItsTime() {
        var bench = CentralBench()
        let (one, other) = (bench.open(1), bench.open(2))
        bench.connect(2, reconnects: true)
        bench.link([1])
        bench.notify(1, 10)
        bench.finish()
        _ = (one.take(), other.take(), bench.requests())
        for handle in [3, 4] as [UInt16] { bench.submit(1, .read(handle: handle)) }
        bench.submit(2, .read(handle: 5))
        bench.run(for: .seconds(39))
        bench.finish()
        bench.run(for: .milliseconds(39_999))
        #expect(one.take() == ["read 3"] && bench.requests() == ["read 3", "read 4"])
        bench.run(for: .milliseconds(1))
        #expect(one.take() == ["disconnected 5 attributeTimeout"] && bench.requests() == ["disconnect 5"])
        #expect(other.take() == ["disconnected 5 attributeTimeout, reconnects"])
        // A late answer, a late value, and requests before the end.
        bench.finish()
        bench.receive(10)
        bench.submit(1, .read(handle: 6))
        #expect(one.take() == ["read 6 notConnected"] && other.take() == [] && bench.requests() == [])
        bench.ended(5, .endedByHost)
        #expect(bench.requests() == ["forget 5", "connect 5"])
        bench.connected()
        bench.finish()
        #expect(one.take() == [] && other.take() == ["connected 5 -"] && bench.requests() == [])
        #expect(bench.central.deadline == nil)
    }

    /// A host that fails an operation with the loss of the link has 5 s from the first failure on, or what is left of the 40 s, to report it.
    @Test(arguments: [(2, 7), (38, 40)]) func theTimeOfALostLinkIsTheEarlierOne(second: Int, end: Int) {
        var bench = CentralBench()
        let recorder = bench.open(1)
        bench.link([1])
        _ = recorder.take()
        let start = bench.now
        bench.submit(1, .read(handle: 3))
        bench.run(for: .seconds(second))
        for _ in 0..<2 {
            bench.finish(.failure(.notConnected))
            #expect(bench.central.deadline == start + .seconds(end), "the first failure counts")
            bench.run(for: .seconds(1))
        }
        #expect(recorder.take() == (end == 40 ? ["disconnected 5 attributeTimeout"] : []))
        if end == 7 {
            // A result ends the operation all the same.
            bench.finish(Self.failure)
            #expect(recorder.take() == ["read 3 attribute(3)"] && bench.central.deadline == nil)
        }
    }

    /// A session that leaves takes what waits along. What runs has no receiver, also if the session comes back.
    @Test(arguments: [false, true]) func aSessionThatLeavesHasNoResult(isClosed: Bool) {
        var bench = CentralBench()
        let (one, other) = (bench.open(1), bench.open(2))
        bench.link([1, 2])
        for (session, handle) in [(1, 10), (1, 11), (2, 20), (1, 12)] as [(Int, UInt16)] {
            bench.submit(session, .read(handle: handle))
        }
        _ = (one.take(), other.take())
        if isClosed {
            bench.close(1)
        } else {
            bench.cancel(1)
            bench.connect(1)
            bench.submit(1, .read(handle: 10))
            #expect(one.take() == ["disconnected 5 cancelled", "connected 5 -"])
        }
        bench.finish()
        bench.finish()
        #expect(one.take() == [] && other.take() == ["read 20"])
        #expect(bench.requests() == ["read 10", "read 20"] + (isClosed ? [] : ["read 10"]))
        bench.finish()
        #expect(one.take() == (isClosed ? [] : ["read 10"]) && bench.central.deadline == nil)
    }

    @Test func aChannelIsOpenedByTheHost() {
        var bench = CentralBench()
        let recorder = bench.open(1)
        let use = RemoteUse(session: 1, peer: CentralBench.peer(5))
        bench.link([1])
        bench.central.openChannel(psm: 37, use)
        #expect(bench.requests() == ["channel 37"])
        bench.central.channelOpened(.failure(.refused), psm: 37, use)
        bench.central.channelOpened(.failure(.refused), psm: 37, RemoteUse(session: 9, peer: use.peer))
        #expect(recorder.take() == ["connected 5 -", "channel 37 refused"])
    }

    // MARK: Subscriptions

    @Test func eachSubscriberGetsTheValues() {
        var bench = CentralBench()
        let (one, other) = (bench.open(1), bench.open(2))
        bench.link([1, 2])
        bench.receive(10)
        _ = (one.take(), other.take())
        bench.notify(1, 10)
        bench.receive(10, [1])
        #expect(one.take() == ["received 10 1"], "a value may come before the answer")
        bench.finish()
        bench.notify(2, 10, .indication)
        bench.finish()
        bench.receive(10, [1, 2])
        bench.receive(11, [1, 2])
        bench.receive(10, [1, 2], 6)
        #expect(one.take() == ["notify 10 notification", "received 10 2"])
        #expect(other.take() == ["notify 10 indication", "received 10 2"])
        #expect(bench.requests() == ["notify 10 notification", "notify 10 indication"])
        // The last one unsubscribes at the host. One that is off is switched off again.
        bench.notify(1, 10, .off)
        #expect(bench.requests() == [] && one.take() == ["notify 10 off"])
        bench.receive(10)
        #expect(one.take() == [] && other.take() == ["received 10 1"])
        for _ in 0..<2 {
            bench.notify(2, 10, .off)
            #expect(bench.requests() == ["notify 10 off"])
            bench.receive(10)
            bench.finish()
            #expect(other.take() == ["notify 10 off"])
        }
    }

    /// A subscription that fails leaves those of the others.
    @Test func aFailedSubscriptionRemovesItsOwnSession() {
        var bench = CentralBench()
        let (one, other) = (bench.open(1), bench.open(2))
        bench.link([1, 2])
        bench.notify(1, 10)
        bench.finish()
        bench.notify(2, 10)
        bench.finish(Self.failure)
        _ = (one.take(), bench.requests())
        bench.receive(10)
        #expect(one.take() == ["received 10 1"])
        #expect(other.take() == ["connected 5 -", "notify 10 notification attribute(3)"])
        // The other one is the last subscriber now.
        bench.notify(1, 10, .off)
        #expect(bench.requests() == ["notify 10 off"])
    }

    /// The last subscriptions of a session that leaves a link end at the host.
    @Test(arguments: [false, true]) func theLastSubscriptionsOfASessionEnd(isClosed: Bool) {
        var bench = CentralBench()
        let (one, other) = (bench.open(1), bench.open(2))
        bench.link([1, 2])
        for (session, handle) in [(1, 10), (1, 12), (2, 12), (1, 8)] as [(Int, UInt16)] {
            bench.notify(session, handle)
            bench.finish()
        }
        _ = (one.take(), other.take(), bench.requests())
        if isClosed { bench.close(1) } else { bench.cancel(1) }
        #expect(bench.requests() == ["notify 8 off"])
        bench.finish(Self.failure)
        #expect(bench.requests() == ["notify 10 off"])
        bench.finish()
        for handle in [8, 10, 12] as [UInt16] { bench.receive(handle) }
        #expect(one.take() == (isClosed ? [] : ["disconnected 5 cancelled"]))
        #expect(other.take() == ["received 12 1"] && bench.central.deadline == nil)
        bench.close(2)
        #expect(bench.requests() == ["disconnect 5"], "the link ends with its subscriptions")
    }

    /// A subscription that runs while its session leaves ends after it. One of another session that waits is kept.
    @Test func aSubscriptionThatRunsEndsWithItsSession() {
        for isWanted in [false, true] {
            var bench = CentralBench()
            let (one, other) = (bench.open(1), bench.open(2))
            bench.link([1, 2])
            bench.notify(1, 10)
            if isWanted { bench.notify(2, 10) }
            bench.cancel(1)
            bench.finish()
            if isWanted { bench.finish() }
            #expect(
                bench.requests() == ["notify 10 notification", isWanted ? "notify 10 notification" : "notify 10 off"])
            bench.finish()
            bench.receive(10)
            #expect(one.take() == ["connected 5 -", "disconnected 5 cancelled"])
            #expect(other.take() == ["connected 5 -"] + (isWanted ? ["notify 10 notification", "received 10 1"] : []))
            #expect(bench.central.deadline == nil)
        }
    }

    /// A changed database has no subscriptions (Vol 3, Part G, 7.1), and neither has the next link.
    @Test func aChangedDatabaseHasNoSubscriptions() {
        var bench = CentralBench()
        let (one, other) = (bench.open(1), bench.open(2))
        let range = HandleRange(start: 10, end: 12)
        bench.central.servicesChanged(range, of: CentralBench.peer(5))
        bench.link([1, 2])
        for handle in [9, 10, 12, 13] as [UInt16] {
            bench.notify(1, handle)
            bench.finish()
        }
        _ = (one.take(), other.take())
        bench.central.servicesChanged(range, of: CentralBench.peer(5))
        #expect(one.take() == ["changed 10 12"] && other.take() == ["changed 10 12"])
        for handle in 8...14 as ClosedRange<UInt16> { bench.receive(handle) }
        #expect(one.take() == ["received 9 1", "received 13 1"])
        bench.ended()
        bench.link([1])
        bench.receive(9)
        #expect(one.take() == ["disconnected 5 endedByPeer", "connected 5 -"])
    }
}
