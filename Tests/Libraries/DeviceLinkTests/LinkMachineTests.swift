import Testing

@testable import DeviceLink

/// Client and device over bad ways: each request is carried out once, in order, and each one ends.
struct LinkMachineTests {
    private func check(_ bench: Bench, _ comment: Comment) {
        #expect(bench.done == Array(Set(bench.done)).sorted(), "\(comment): never twice, never out of order")
        let ended = bench.replied + bench.failed.map(\.handle)
        #expect(ended.sorted() == bench.submitted, "\(comment): each request ends once")
        for handle in bench.replied {
            #expect(bench.done.contains(bench.number(of: handle)), "\(comment): a reply without the work")
        }
        for (handle, failure) in bench.failed where failure.isUntouched {
            #expect(!bench.done.contains(bench.number(of: handle)), "\(comment): carried out, and said to be untouched")
        }
    }

    @Test func aGoodWayCarriesRequestsInOrder() {
        var bench = Bench(seed: 1)
        for _ in 0..<40 { bench.submit() }
        bench.run(.seconds(10)) { $0.isOver }
        #expect(bench.replied.sorted() == Array(0..<40))
        #expect(bench.done == Array(0..<40))
        #expect(bench.wayChanges == [0])
        #expect(!bench.actions.contains(.open(1)), "the other ways stay closed")
        #expect(bench.now < .seconds(3), "\(bench.now)")
    }

    @Test func noEnvelopeIsLongerForAnotherRandomNumber() {
        // On a slow way the length decides how many packets an envelope takes, and a run with a seed would not be repeatable.
        var lengths: Set<[Int]> = []
        for draw in [0, 1, 9, 1 << 40, 1 << 51, .max] as [UInt64] {
            var bench = Bench(seed: 1)
            bench.client = LinkClient(target: "lamp", ways: 3, seed: draw)
            bench.device = LinkDevice(identifier: "lamp", run: draw)!
            bench.recorded = []
            bench.client.start(at: .zero)
            for _ in 0..<3 { bench.submit() }
            bench.run(.seconds(10)) { $0.isOver }
            #expect(bench.done == [0, 1, 2])
            lengths.insert(bench.recorded.map(\.count))
        }
        #expect(lengths.count == 1, "\(lengths)")
    }

    @Test func badWaysOfManyKindsRepeatAndReorderNothing() {
        // Each loss with each share of duplicates, and with and without notice of an end.
        for seed in 0..<30 as Range<UInt64> {
            var bench = Bench(seed: seed)
            for way in 0..<3 {
                bench.ways[way].loss = Int(seed % 5) * 10
                bench.ways[way].duplicates = Int(seed % 3) * 30
                bench.ways[way].longestDelay = [10, 200, 900][Int(seed / 3 % 3)]
                bench.ways[way].tells = (seed + UInt64(way)) % 2 == 0
            }
            bench.longestWork = [0, 50, 1500][Int(seed % 3)]
            for _ in 0..<60 {
                bench.submit()
                bench.run(.milliseconds(Int.random(in: 5...600, using: &bench.random)))
                if bench.chance(15) { bench.cut(Int.random(in: 0..<3, using: &bench.random)) }
                if bench.chance(20) { bench.mend(Int.random(in: 0..<3, using: &bench.random)) }
            }
            for way in 0..<3 { bench.mend(way) }
            bench.run(.seconds(200)) { $0.isOver }
            check(bench, "seed \(seed)")
        }
    }

    @Test func aDeviceThatRestartsDoesNothingTwice() {
        var restarts = 0
        for seed in 0..<80 as Range<UInt64> {
            var bench = Bench(seed: seed)
            for way in 0..<3 {
                bench.ways[way].loss = Int(seed % 4) * 10
                bench.ways[way].duplicates = 30
                bench.ways[way].longestDelay = 300
            }
            bench.longestWork = 400
            for step in 0..<40 {
                bench.submit()
                bench.run(.milliseconds(Int.random(in: 5...300, using: &bench.random)))
                if step % 7 == 6 { bench.restart() }
                if bench.chance(10) { bench.cut(step % 3) }
                if bench.chance(30) { bench.mend(step % 3) }
            }
            for way in 0..<3 { bench.mend(way) }
            bench.run(.seconds(200)) { $0.isOver }
            check(bench, "seed \(seed)")
            restarts += bench.failed.count { $0.failure.reason == .deviceRestarted }
        }
        #expect(restarts > 50, "restarts hit requests")
    }

    @Test func clocksThatJumpRepeatNothing() {
        for seed in 0..<60 as Range<UInt64> {
            var bench = Bench(seed: seed)
            for way in 0..<3 {
                bench.ways[way].loss = 20
                bench.ways[way].duplicates = 20
                bench.ways[way].longestDelay = 100
            }
            for _ in 0..<30 {
                bench.submit()
                bench.run(.milliseconds(100))
                let jump = Duration.seconds(Int.random(in: -7200...7200, using: &bench.random))
                if seed % 2 == 0 { bench.clientClock += jump } else { bench.deviceClock += jump }
            }
            // A clock that went back stands still until it has caught up.
            (bench.clientClock, bench.deviceClock) = (.seconds(1 << 20), .seconds(1 << 20))
            bench.run(.seconds(100)) { $0.isOver }
            check(bench, "seed \(seed)")
        }
    }

    @Test func theNextWayTakesOverAndTheBestOneReturns() {
        var bench = Bench(seed: 3)
        bench.run(.seconds(1)) { $0.wayChanges == [0] }
        bench.cut(0)
        bench.submit()
        bench.run(.seconds(1)) { $0.isOver }
        #expect(bench.wayChanges == [0, nil, 1])
        #expect(bench.replied == [0])
        bench.cut(1)
        bench.submit()
        bench.run(.seconds(1)) { $0.isOver }
        #expect(bench.wayChanges == [0, nil, 1, nil, 2])
        bench.mend(0)
        bench.run(.seconds(70)) { $0.wayChanges.last == .some(0) }
        #expect(bench.wayChanges == [0, nil, 1, nil, 2, 0])
        #expect(bench.actions.suffix(10).contains(.close(2)), "a way that is not needed closes")
        bench.submit()
        bench.run(.seconds(1)) { $0.isOver }
        #expect(bench.done == [0, 1, 2])
    }

    @Test func aSilentWayIsLeftAfterFourSeconds() {
        var bench = Bench(seed: 4)
        bench.ways[0].tells = false
        bench.run(.seconds(1)) { $0.wayChanges == [0] }
        bench.cut(0)
        bench.submit()
        let start = bench.now
        bench.run(.seconds(30)) { $0.isOver }
        #expect(bench.replied == [0])
        #expect(bench.wayChanges == [0, nil, 1])
        #expect((.seconds(4)...(.seconds(5))).contains(bench.now - start), "\(bench.now - start)")
        // A way that works only in one direction is not one that works.
        #expect(bench.done == [0])
    }

    @Test func aClientWithoutRequestsNoticesASilentWay() {
        var bench = Bench(seed: 5)
        bench.ways[0].tells = false
        bench.run(.seconds(1)) { $0.wayChanges == [0] }
        bench.cut(0)
        bench.run(.seconds(20)) { $0.wayChanges.last == .some(1) }
        #expect(bench.wayChanges == [0, nil, 1])
    }

    @Test func aSlowBestWayDoesNotKeepTheOthersWaiting() {
        var bench = Bench(seed: 6)
        bench.ways[0].isUp = false
        bench.ways[0].tells = false
        bench.submit()
        bench.run(.seconds(10)) { $0.isOver }
        #expect(bench.replied == [0])
        #expect((.seconds(2)...(.seconds(3))).contains(bench.now), "\(bench.now)")
    }

    @Test func aFailureSaysWhereTheRequestStopped() {
        var bench = Bench(ways: 1, seed: 7)
        bench.ways[0].isUp = false
        bench.submit(limit: .seconds(5))
        bench.run(.seconds(10)) { $0.isOver }
        #expect(bench.failed.map(\.failure) == [LinkRequestError(.waiting, .timeLimit)])
        // The device gets the request and never ends it.
        bench.mend(0)
        bench.longestWork = 1
        bench.run(.seconds(100)) { $0.wayChanges.last == .some(0) }
        bench.submit()
        bench.run(.seconds(1)) { $0.isOver }
        #expect(bench.replied == [1])
        bench.ways[0].tells = false
        bench.cut(0)
        bench.submit(limit: .seconds(2))
        bench.run(.seconds(10)) { $0.isOver }
        #expect(bench.failed.last?.failure == LinkRequestError(.sent, .timeLimit))
        bench.mend(0)
        bench.run(.seconds(100)) { $0.wayChanges.last == .some(0) }
        var waiting = bench
        waiting.longestWork = 100_000
        waiting.run(.milliseconds(50))
        waiting.submit(limit: .seconds(2))
        waiting.run(.seconds(1)) { $0.events.contains(.accepted(3)) }
        waiting.cut(0)
        waiting.run(.seconds(10)) { $0.isOver }
        #expect(waiting.failed.last?.failure == LinkRequestError(.accepted, .timeLimit))
        #expect("\(LinkRequestError(.waiting, .timeLimit))".contains("safe to send it again"))
    }

    @Test func aRequestThatWasGivenUpIsNotCarriedOutLater() {
        var bench = Bench(ways: 1, seed: 8)
        bench.run(.seconds(1)) { $0.wayChanges == [0] }
        bench.run(.milliseconds(100))
        bench.ways[0].loss = 100
        bench.recorded = []
        bench.submit(limit: .seconds(1))
        bench.run(.seconds(2)) { $0.isOver }
        #expect(bench.failed.map(\.failure) == [LinkRequestError(.sent, .timeLimit)])
        let late = bench.recorded
        bench.ways[0].loss = 0
        bench.submit()
        bench.run(.seconds(60)) { $0.isOver }
        #expect(bench.replied == [1])
        for octets in late { bench.device.receive(octets, from: 0, at: bench.now) }
        bench.run(.seconds(1))
        #expect(bench.done == [1], "the device skips what the client has given up")
    }

    @Test func closingEndsEachRequest() {
        var bench = Bench(seed: 9)
        bench.longestWork = 60_000
        bench.run(.seconds(1)) { $0.wayChanges == [0] }
        for _ in 0..<20 { bench.submit() }
        bench.run(.milliseconds(200))
        bench.client.close(at: bench.now)
        bench.collect()
        #expect(bench.failed.count == 20)
        #expect(bench.failed.allSatisfy { $0.failure.reason == .closed })
        #expect(bench.failed.count { $0.failure.stage == .waiting } == 4, "16 requests were on the way")
        #expect(bench.client.deadline == nil)
        #expect(throws: Never.self) { _ = try bench.client.submit("x", nil, at: bench.now) }
        #expect(bench.client.takeEvents() == [.failed(20, LinkRequestError(.waiting, .closed))])
    }

    @Test func submitRefusesWhatDoesNotFit() {
        var bench = Bench(seed: 10)
        #expect(throws: LinkSubmitError.operation) { _ = try bench.client.submit("", nil, at: .zero) }
        #expect(throws: LinkSubmitError.format(.tooLong)) {
            _ = try bench.client.submit("x", .text(String(repeating: "x", count: 8200)), at: .zero)
        }
        let deep = (0..<40).reduce(LinkValue.null) { value, _ in .list([value]) }
        #expect(throws: LinkSubmitError.format(.tooDeep)) { _ = try bench.client.submit("x", deep, at: .zero) }
        for _ in 0..<64 { _ = try? bench.client.submit("x", nil, at: .zero) }
        #expect(throws: LinkSubmitError.tooMany) { _ = try bench.client.submit("x", nil, at: .zero) }
    }

    // MARK: Events of the device

    @Test func eventsArriveOnceInOrderOverWaysThatChange() throws {
        for seed in 0..<40 as Range<UInt64> {
            var bench = Bench(seed: seed)
            for way in 0..<3 {
                bench.ways[way].loss = Int(seed % 4) * 10
                bench.ways[way].duplicates = 30
                bench.ways[way].longestDelay = 100
            }
            bench.run(.seconds(20)) { $0.wayChanges.count > 0 && $0.device.sessionCount > 0 }
            for number in 0..<60 {
                try bench.device.send(event: "count", .integer(Int64(number)))
                bench.collect()
                bench.run(.milliseconds(700))
                if number % 20 == 10 { bench.cut(number / 20 % 3) }
                if number % 20 == 15 { bench.mend(number / 20 % 3) }
            }
            bench.run(.seconds(40))
            var expected: Int64 = 0
            for event in bench.events {
                switch event {
                case .event("count", let args):
                    #expect(args.integer == expected, "seed \(seed)")
                    expected += 1
                case .missedEvents(let count): expected += Int64(count)
                default: break
                }
            }
            #expect(expected == 60, "seed \(seed)")
        }
    }

    @Test func aClientThatIsAwayLearnsHowManyEventsItMissed() throws {
        var bench = Bench(ways: 1, seed: 11)
        bench.run(.seconds(2)) { $0.device.sessionCount > 0 }
        bench.run(.seconds(1))
        bench.cut(0)
        for number in 0..<50 { try bench.device.send(event: "count", .integer(Int64(number))) }
        bench.collect()
        bench.run(.seconds(10))
        bench.mend(0)
        bench.run(.seconds(70))
        let events = bench.events.filter { if case .way = $0 { false } else { true } }
        #expect(events.first == .missedEvents(18))
        #expect(events.dropFirst().map { $0 } == (18..<50).map { .event(op: "count", args: .integer($0)) })
    }

    // MARK: Bounds

    /// A client that the device had to forget gets an error instead of a second execution.
    @Test func moreSessionsThanPlacesForgetTheOldestOne() throws {
        var device = LinkDevice<Int>(identifier: "lamp", run: 7)!
        var sessions: [String] = []
        var now = Duration.zero
        func send(_ envelope: LinkEnvelope) throws -> [LinkEnvelope] {
            device.receive(try envelope.encoded(), from: 0, at: now)
            for request in device.takeRequests() { device.finish(request, with: .success(nil)) }
            return try device.takeOutgoing().map { try LinkEnvelope(decoding: $0.octets) }
        }
        func request(_ session: String) -> LinkEnvelope {
            var request = LinkEnvelope(.request, target: "lamp", session: session, id: 1)
            request.op = "set"
            return request
        }
        for _ in 0..<17 {
            let answer = try #require(try send(LinkEnvelope(.hello, target: "lamp", id: 5)).first)
            sessions.append(try #require(answer.session))
        }
        #expect(device.sessionCount == 0, "an offer needs no memory")
        for session in sessions.prefix(16) { #expect(try send(request(session)).last?.kind == .reply) }
        #expect(try send(request(sessions[16])).first?.op == "busy", "no client that is there is forgotten")
        now += .seconds(61)
        for session in sessions[1..<16] { #expect(try send(request(session)).first?.kind == .reply) }
        #expect(try send(request(sessions[16])).last?.kind == .reply)
        #expect(try send(request(sessions[0])).first?.op == "forgotten", "a late copy of its request does nothing")
        #expect(device.sessionCount == 16)
        // Nor do numbers of sessions that were never offered.
        #expect(try send(request("8000000000000007-99")).first?.op == "forgotten")
        let negative = try #require(try send(request("8000000000000007--1")).first?.op)
        #expect(["restarted", "forgotten"].contains(negative))
        #expect(try send(request("8-1")).first?.op == "restarted")
        #expect(try send(request("8000000000000007-01")).first?.op == "restarted")
    }

    @Test func recordedEnvelopesDoNothing() {
        var bench = Bench(seed: 12)
        for _ in 0..<10 {
            bench.submit()
            bench.run(.milliseconds(200))
        }
        #expect(bench.done.count == 10)
        for _ in 0..<3 {
            for octets in bench.recorded { bench.device.receive(octets, from: 1, at: bench.now) }
            #expect(bench.device.takeRequests().isEmpty)
        }
        bench.restart()
        for octets in bench.recorded { bench.device.receive(octets, from: 1, at: bench.now) }
        #expect(bench.device.takeRequests().isEmpty, "nor after a restart")
    }
}
