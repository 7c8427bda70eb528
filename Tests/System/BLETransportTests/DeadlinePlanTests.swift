import BLETransport
import BLEWire
import Testing

/// Timers that the test fires.
private final class TimerList: SerialScheduler, @unchecked Sendable {
    // `@unchecked Sendable`: used on the thread of the test only.

    var now = Instant.zero
    private(set) var timers: [(time: Instant, body: @Sendable () -> Void)] = []

    func submit(_ body: @escaping @Sendable () -> Void) { submit(after: .zero, body) }
    func submit(after delay: TimeSpan, _ body: @escaping @Sendable () -> Void) { timers.append((now + delay, body)) }

    /// Fires the earliest timer.
    func fire() {
        guard let next = timers.indices.min(by: { timers[$0].time < timers[$1].time }) else { return }
        let timer = timers.remove(at: next)
        now = max(now, timer.time)
        timer.body()
    }
}

@Suite struct DeadlinePlanTests {
    private let scheduler = TimerList()
    private let fired = Log()

    private final class Log: @unchecked Sendable {
        // `@unchecked Sendable`: used on the thread of the test only.
        var moments: [Instant] = []
    }

    private func at(_ second: Int) -> Instant { .zero + .seconds(second) }

    private func advance(_ plan: inout DeadlinePlan, to second: Int?) {
        plan.advance(to: second.map(at), on: scheduler) { [fired] in fired.moments.append($0) }
    }

    private var times: [Instant] { scheduler.timers.map(\.time) }

    @Test func aTimerIsSetOnceForADeadline() {
        var plan = DeadlinePlan()
        for deadline in [nil, 40, 40, 50, nil] { advance(&plan, to: deadline) }
        #expect(times == [at(40)])
        advance(&plan, to: 20)
        advance(&plan, to: 30)
        #expect(times == [at(40), at(20)])
        scheduler.fire()
        #expect(fired.moments == [at(20)])
        plan.fired(at(20))
        // The timer at 40 s is still set.
        advance(&plan, to: 41)
        #expect(times.count == 1)
        scheduler.fire()
        plan.fired(at(40))
        advance(&plan, to: 41)
        #expect(times == [at(41)])
    }

    /// A deadline in the past has a timer for now, and one that fires early leads to the rest of the time.
    @Test func aDeadlineIsNeverMissed() {
        var plan = DeadlinePlan()
        scheduler.now = at(5)
        advance(&plan, to: 3)
        #expect(times == [at(3)])
        scheduler.fire()
        plan.fired(at(3))
        for _ in 0..<2 {
            advance(&plan, to: 9)
            #expect(times == [at(9)])
            scheduler.now = .zero
            scheduler.fire()
            plan.fired(at(9))
        }
        #expect(times.isEmpty)
    }

    /// Short deadlines beside a long one that moves.
    @Test func timersDoNotPileUp() {
        var plan = DeadlinePlan()
        for second in 0..<1000 {
            scheduler.now = .zero + .seconds(second)
            advance(&plan, to: second + 40)
            advance(&plan, to: second + 1)
            #expect(times.count <= 2)
            scheduler.fire()
            plan.fired(.zero + .seconds(second + 1))
        }
    }
}
