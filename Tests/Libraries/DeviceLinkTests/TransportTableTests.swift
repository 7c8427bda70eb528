import Testing

@testable import DeviceLink

/// The pauses and time limits of ways, in their second round, too.
struct TransportTableTests {
    private let timing = LinkTiming()

    /// Opens a way whose turn has come.
    private func open(_ table: inout TransportTable, _ way: Int, at now: Duration) {
        let begun = table.begin(at: now)
        #expect(begun.contains(way), "way \(way) has its turn at \(now)")
        let isOpen = table.opened(way, at: now)
        #expect(isOpen)
    }

    private func pause(_ table: TransportTable, _ way: Int, from now: Duration) -> Duration? {
        guard case .closed(let until) = table.ways[way].state else { return nil }
        return until - now
    }

    /// The pause doubles up to its limit, stays there for any number of failures, and is short again after an answer: twice.
    @Test func thePausesOfAWayGrowAndBeginAnew() {
        var table = TransportTable(count: 1, timing: timing)
        var now = Duration.zero
        for round in 0..<2 {
            for failure in 0..<100 {
                let begun = table.begin(at: now)
                #expect(begun == [0])
                let wasOpen = table.broke(0, at: now)
                let wasOpenAgain = table.broke(0, at: now)
                #expect(wasOpen && !wasOpenAgain)
                let expected = failure < 5 ? Duration.seconds(2 << failure) : timing.longestRetry
                #expect(
                    pause(table, 0, from: now) == min(expected, timing.longestRetry),
                    "failure \(failure) of round \(round)")
                now += timing.longestRetry
            }
            open(&table, 0, at: now)
            table.heard(0, at: now)
            #expect(table.active == 0)
            table.rest(0, at: now)
        }
    }

    /// What a way waited for before it broke is nothing that it is late for when it opens again.
    @Test func aWayThatOpensAgainIsNotLate() {
        var table = TransportTable(count: 1, timing: timing)
        var now = Duration.zero
        for round in 0..<3 {
            open(&table, 0, at: now)
            table.heard(0, at: now)
            table.asked(0, at: now, isPing: true)
            #expect(table.late(at: now + timing.silence - .milliseconds(1)).isEmpty, "round \(round)")
            #expect(table.late(at: now + timing.silence) == [0], "round \(round)")
            // A further question does not move the limit, and an answer ends it.
            table.asked(0, at: now + .seconds(3), isPing: false)
            #expect(table.late(at: now + timing.silence) == [0])
            table.heard(0, at: now + .seconds(3))
            #expect(table.late(at: now + .seconds(100)).isEmpty)
            table.asked(0, at: now + .seconds(5), isPing: true)
            _ = table.broke(0, at: now + .seconds(6))
            #expect(table.late(at: now + .seconds(100)).isEmpty, "a closed way is late for nothing")
            now += .seconds(500)
            open(&table, 0, at: now)
            #expect(table.late(at: now + .seconds(100)).isEmpty && table.ways[0].lastPing == nil, "round \(round)")
            table.rest(0, at: now)
        }
    }

    /// Each search gives the better ways their time before the next one has its turn.
    @Test func eachSearchGivesTheBetterWaysTheirTime() {
        var table = TransportTable(count: 3, timing: timing)
        var now = Duration.zero
        for round in 0..<3 {
            #expect(table.begin(at: now) == [0], "round \(round)")
            #expect(table.begin(at: now + timing.stagger - .milliseconds(1)).isEmpty, "round \(round)")
            #expect(table.begin(at: now + timing.stagger) == [1], "round \(round)")
            #expect(table.begin(at: now + timing.stagger * 2) == [2])
            // The second one works: the others rest or break.
            let isOpen = table.opened(1, at: now + .seconds(5))
            #expect(isOpen)
            table.heard(1, at: now + .seconds(5))
            table.rest(2, at: now + .seconds(5))
            _ = table.broke(0, at: now + .seconds(5))
            // It breaks later, and the search begins anew.
            now += .seconds(1000)
            _ = table.broke(1, at: now)
            now += .seconds(1000)
        }
    }

    /// The way that opens has 15 s, in each attempt.
    @Test func anOpeningHasItsTimeEachTime() {
        var table = TransportTable(count: 1, timing: timing)
        var now = Duration.zero
        for _ in 0..<3 {
            _ = table.begin(at: now)
            #expect(table.deadline == now + timing.opening)
            #expect(table.late(at: now + timing.opening - .milliseconds(1)).isEmpty)
            #expect(table.late(at: now + timing.opening) == [0])
            _ = table.broke(0, at: now + timing.opening)
            now += .seconds(500)
        }
    }
}
