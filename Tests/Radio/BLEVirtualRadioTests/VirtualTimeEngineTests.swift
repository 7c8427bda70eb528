import BLEAdapter
import BLEWire
import Dispatch
import TestConditions
import Testing

@testable import BLEVirtualRadio

/// A model with events at given times, which notes when each event was due.
private final class ScheduledModel: VirtualTimeModel {
    var pending: [Instant] = []
    var handled: [Instant] = []
    var onEvent: ((Instant) -> Void)?
    /// The turns of the engine.
    var exchanges = 0
    var quietUntil: Instant?

    var nextDeadline: Instant? { pending.first }
    func advance(to now: Instant) {
        while let first = pending.first, first <= now {
            handled.append(pending.removeFirst())
            onEvent?(now)
        }
    }
    func exchangePackets() {}
    func exchangeWithExternalHosts(isPolling: Bool) { exchanges += 1 }
}

/// A model with an event every millisecond, for ever.
private final class RestlessModel: VirtualTimeModel {
    private var next = Instant.zero
    private var onFirstStep: (() -> Void)?

    init(onFirstStep: @escaping () -> Void) { self.onFirstStep = onFirstStep }

    var nextDeadline: Instant? { next }
    func advance(to now: Instant) {
        while next <= now { next += .milliseconds(1) }
        onFirstStep?()
        onFirstStep = nil
    }
    func exchangePackets() {}
}

extension VirtualTimeEngine {
    fileprivate func scheduleCallback(on queue: DispatchQueue, _ body: @escaping @Sendable () -> Void) {
        scheduleCallback(body, on: queue)
    }
}

@Suite(.timeLimit(.minutes(10))) struct VirtualTimeEngineTests {
    /// Runs a block on the engine's queue behind the blocks that wait there.
    private func passQueue(of engine: VirtualTimeEngine) async {
        await withCheckedContinuation { continuation in engine.queue.async { continuation.resume() } }
    }

    /// Sockets are served, and runs begin and end, on the engine's queue.
    @Test(arguments: [1.0, 1e9])
    func aBusyModelYieldsTheQueue(factor: Double) async {
        let engine = VirtualTimeEngine(pace: factor == 1 ? .unlimited : .multiple(factor))
        await withCheckedContinuation { continuation in
            engine.install(ExecutorIsolated(RestlessModel { continuation.resume() }))
            engine.start()
        }
        await passQueue(of: engine)
        engine.stop()
        await passQueue(of: engine)
        let stoppedAt = engine.currentTime
        await passQueue(of: engine)
        #expect(engine.currentTime == stoppedAt)
    }

    private func engine(
        _ model: ScheduledModel, pace: VirtualTimeEngine.Pace = .unlimited, freezes: Bool = true
    ) -> VirtualTimeEngine {
        let engine = VirtualTimeEngine(pace: pace, freezesDuringCallbacks: freezes)
        engine.install(ExecutorIsolated(model))
        return engine
    }

    private func run(_ engine: VirtualTimeEngine, for length: TimeSpan) async {
        await withCheckedContinuation { continuation in
            _ = engine.run(for: length, until: nil) { _ in continuation.resume() }
        }
    }

    @Test func runJumpsFromDeadlineToDeadlineAndEndsOnTime() async {
        let model = ScheduledModel()
        model.pending = [1, 5, 7, 20].map { .zero + .seconds($0) }
        let engine = engine(model)
        await run(engine, for: .seconds(7))
        let handled = engine.queue.sync { model.handled }
        #expect(handled == [1, 5, 7].map { Instant.zero + .seconds($0) })
        #expect(engine.currentTime == .zero + .seconds(7))
    }

    @Test func emptyModelRunsToTheEnd() async {
        let engine = engine(ScheduledModel())
        await run(engine, for: .seconds(3600))
        #expect(engine.currentTime == .zero + .seconds(3600))
    }

    @Test func nothingHappensBetweenRuns() async {
        let model = ScheduledModel()
        model.pending = [.zero + .seconds(2)]
        let engine = engine(model)
        let isDone = Lock(false)
        engine.submit { isDone.withLock { $0 = true } }
        engine.queue.sync {}
        engine.queue.sync {}
        #expect(!isDone.withLock { $0 })
        await run(engine, for: .seconds(1))
        #expect(isDone.withLock { $0 })
        #expect(engine.queue.sync { model.handled.isEmpty })
    }

    @Test func timeAndCallsWaitForARunningCallback() async {
        let model = ScheduledModel()
        model.pending = [.zero + .seconds(1), .zero + .seconds(2)]
        let engine = engine(model)
        let delegateQueue = DispatchQueue(label: "delegate")
        let notes = Lock<[String]>([])
        @Sendable func note(_ text: String) { notes.withLock { $0.append(text) } }
        model.onEvent = { now in
            note("at \(now.nanoseconds / 1_000_000_000)")
            engine.scheduleCallback(on: delegateQueue) {
                engine.submit { note("call at \(engine.now.nanoseconds / 1_000_000_000)") }
                // An engine that did not wait would continue here.
                for _ in 0..<3 { engine.queue.sync {} }
                note("returns at \(engine.currentTime.nanoseconds / 1_000_000_000)")
            }
        }
        await run(engine, for: .seconds(3))
        #expect(
            notes.withLock { $0 } == ["at 1", "returns at 1", "call at 1", "at 2", "returns at 2", "call at 2"])
    }

    @Test func callbacksOnSeveralQueuesRunOneAtATimeInOrder() async {
        let engine = engine(ScheduledModel())
        let queues = (0..<3).map { DispatchQueue(label: "delegate \($0)") }
        let notes = Lock<[Int]>([])
        let out = Lock(0)
        let most = Lock(0)
        for number in 0..<30 {
            engine.scheduleCallback(on: queues[number % 3]) {
                let now = out.withLock { value in
                    value += 1
                    return value
                }
                most.withLock { $0 = max($0, now) }
                notes.withLock { $0.append(number) }
                out.withLock { $0 -= 1 }
            }
        }
        await run(engine, for: .seconds(1))
        #expect(notes.withLock { $0 } == Array(0..<30))
        #expect(most.withLock { $0 } == 1)
    }

    @Test func conditionEndsARunWithoutTimePassing() async {
        let model = ScheduledModel()
        model.pending = (1...10).map { .zero + .seconds($0) }
        let engine = engine(model)
        let count = Lock(0)
        model.onEvent = { _ in count.withLock { $0 += 1 } }
        let isMet = await withCheckedContinuation { continuation in
            _ = engine.run(for: .seconds(60), until: .onEngineQueue { count.withLock { $0 } == 4 }) {
                continuation.resume(returning: $0)
            }
        }
        #expect(isMet)
        #expect(engine.currentTime == .zero + .seconds(4))
        let isMetLate = await withCheckedContinuation { continuation in
            _ = engine.run(for: .seconds(60), until: .onEngineQueue { false }) { continuation.resume(returning: $0) }
        }
        #expect(!isMetLate)
        #expect(engine.currentTime == .zero + .seconds(64))
    }

    @Test func aFreeRunSleepsWithoutDeadlinesAndWakesForACall() async {
        let model = ScheduledModel()
        let engine = engine(model)
        engine.start()
        await withCheckedContinuation { continuation in engine.submit { continuation.resume() } }
        #expect(engine.currentTime == .zero)
        engine.stop()
    }

    @Test func aPaceScalesVirtualTimeInRealTime() async {
        let model = ScheduledModel()
        model.pending = [.zero + .seconds(10)]
        let engine = engine(model, pace: .multiple(200))
        let begin = DispatchTime.now().uptimeNanoseconds
        await run(engine, for: .seconds(10))
        let passed = DispatchTime.now().uptimeNanoseconds - begin
        #expect(passed >= 50_000_000)
        #expect(engine.queue.sync { model.handled.count } == 1)
    }

    /// A thread that wakes for each of them costs more than the events.
    @Test func eventsThatAreCloseTogetherTakeOneWaitInRealTime() async {
        let model = ScheduledModel()
        let begins = (1...20).map { Instant.zero + .milliseconds(2 * $0) }
        model.pending = begins.flatMap { begin in (0..<10).map { begin + .microseconds(40 * $0) } }
        let engine = engine(model, pace: .multiple(1))
        await run(engine, for: .milliseconds(50))
        let (handled, exchanges) = engine.queue.sync { (model.handled, model.exchanges) }
        #expect(handled.count == 200)
        // One for each group, and a few at the beginning and the end. A late thread handles more at once.
        #expect(exchanges <= 25, "\(exchanges)")
    }

    /// Waking the thread for events that concern nobody costs more than the events.
    @Test func eventsThatConcernNobodyTakeOneWaitInRealTime() async {
        let model = ScheduledModel()
        model.pending = (1...40).map { Instant.zero + .milliseconds(5 * $0) }
        model.quietUntil = .zero + .milliseconds(195)
        let engine = engine(model, pace: .multiple(1))
        await run(engine, for: .milliseconds(200))
        let (handled, waits) = engine.queue.sync { (model.handled, engine.waitCount) }
        #expect(handled == (1...40).map { Instant.zero + .milliseconds(5 * $0) })
        // The beginning, the end of the quiet, and the end of the run.
        #expect(waits <= 8, "\(waits)")
    }

    /// Neither a call nor the time that other threads read notices that the engine left events for later.
    @Test func aCallInAQuietTimeComesAfterTheEventsBeforeItInRealTime() async throws {
        let model = ScheduledModel()
        // Fewer than the engine catches up with at once, however late this test comes to ask.
        model.pending = (1...1_000).map { Instant.zero + .milliseconds(10 * $0) }
        model.quietUntil = .zero + .seconds(10)
        let engine = engine(model, pace: .multiple(10))
        engine.start()
        await passQueue(of: engine)
        try #require(await eventually { engine.currentTime >= .zero + .milliseconds(300) })
        let seen = engine.currentTime
        let (time, handled) = await withCheckedContinuation { continuation in
            engine.submit {
                continuation.resume(returning: (engine.now, (engine.model as? ScheduledModel)?.handled.count))
            }
        }
        #expect(time >= seen)
        #expect(handled == min(1_000, Int(time.nanoseconds / 10_000_000)))
        engine.stop()
        let end = await withCheckedContinuation { continuation in
            engine.submitControl { continuation.resume(returning: $0.now) }
        }
        #expect(engine.currentTime == end)
        #expect(end >= time)
    }

    @Test func aRunThatBeginsInAQuietTimeHasItsLengthInRealTime() async throws {
        let model = ScheduledModel()
        model.pending = [.zero + .seconds(100)]
        model.quietUntil = .zero + .seconds(100)
        let engine = engine(model, pace: .multiple(10))
        engine.start()
        await passQueue(of: engine)
        try #require(await eventually { engine.currentTime >= .zero + .milliseconds(200) })
        let begin = engine.currentTime
        await run(engine, for: .milliseconds(200))
        #expect(engine.currentTime >= begin + .milliseconds(200))
        engine.stop()
    }

    @Test func aRunCanBeAbandoned() async {
        let engine = engine(ScheduledModel(), pace: .multiple(0.001))
        let isMet = await withCheckedContinuation { continuation in
            let goal = engine.run(for: .seconds(60), until: nil) { continuation.resume(returning: $0) }
            engine.abandon(goal)
        }
        #expect(!isMet)
    }

    @Test func aConditionIsEvaluatedAfterEachCall() async {
        let engine = engine(ScheduledModel())
        let holds = Lock(false)
        let (evaluations, evaluation) = AsyncStream.makeStream(of: Void.self)
        let condition = VirtualTimeEngine.Condition.elsewhere { answer in
            answer(holds.withLock { $0 })
            evaluation.yield()
        }
        let (ends, end) = AsyncStream.makeStream(of: Bool.self)
        _ = engine.run(for: nil, until: condition) { end.yield($0) }
        for await _ in evaluations { break }
        engine.submit { holds.withLock { $0 = true } }
        for await isMet in ends {
            #expect(isMet)
            break
        }
        engine.close()
    }

    /// A run that begins there and is waited for would never end.
    @Test func theEngineDetectsCallsFromItsCallbacks() async {
        let engine = engine(ScheduledModel())
        let other = self.engine(ScheduledModel())
        #expect(!engine.isHeldByCaller)
        let places = Lock<[String: [Bool]]>([:])
        @Sendable func note(_ place: String) {
            places.withLock { $0[place] = [engine.isHeldByCaller, other.isHeldByCaller] }
        }
        engine.scheduleCallback(on: DispatchQueue(label: "delegate")) { note("callback") }
        engine.submit { note("call") }
        let isMet = await withCheckedContinuation { continuation in
            let condition = VirtualTimeEngine.Condition.elsewhere { answer in
                DispatchQueue.global().async {
                    answer(
                        engine.evaluate {
                            note("condition")
                            return true
                        })
                    note("afterwards")
                }
            }
            _ = engine.run(for: .seconds(1), until: condition) { continuation.resume(returning: $0) }
        }
        #expect(isMet)
        engine.queue.sync {}
        #expect(await eventually { places.withLock { $0["afterwards"] != nil } })
        #expect(
            places.withLock { $0 } == [
                "callback": [true, false], "call": [true, false], "condition": [true, false],
                "afterwards": [false, false],
            ])
    }
}
