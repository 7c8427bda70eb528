import BLEAdapter
import BLEWire
import Dispatch
import Testing

@testable import BLERuntime

/// A scene with appointments, which notes when each was kept.
private final class AppointmentScene: VirtualScene {
    var pending: [Instant] = []
    var kept: [Instant] = []
    var onAppointment: ((Instant) -> Void)?

    var nextDeadline: Instant? { pending.first }
    func advance(to now: Instant) {
        while let first = pending.first, first <= now {
            kept.append(pending.removeFirst())
            onAppointment?(now)
        }
    }
    func settle() {}
}

/// A scene in which something happens every millisecond, for ever, and takes a while to compute.
private final class RestlessScene: VirtualScene {
    var next = Instant.zero
    var nextDeadline: Instant? { next }
    func advance(to now: Instant) { while next <= now { next += .milliseconds(1) } }
    func settle() {}
}

struct VirtualTimeEngineTests {
    /// Sockets are served, runs begin and end on the engine's queue: nobody may occupy it for good.
    @Test(arguments: [1.0, 1e9])
    func aRestlessSceneLeavesRoomForOthers(factor: Double) {
        let engine = VirtualTimeEngine(pace: factor == 1 ? .unlimited : .multiple(factor))
        engine.install(Confined(RestlessScene()))
        engine.start()
        let isHeard = DispatchSemaphore(value: 0)
        engine.queue.asyncAfter(deadline: .now() + .milliseconds(20)) { isHeard.signal() }
        #expect(isHeard.wait(timeout: .now() + 5) == .success)
        engine.stop()
        engine.queue.async { isHeard.signal() }
        #expect(isHeard.wait(timeout: .now() + 5) == .success)
        let stoppedAt = engine.currentTime
        engine.queue.async { isHeard.signal() }
        _ = isHeard.wait(timeout: .now() + 5)
        #expect(engine.currentTime == stoppedAt)
    }

    private func engine(
        _ scene: AppointmentScene, pace: VirtualTimeEngine.Pace = .unlimited, freezes: Bool = true
    ) -> VirtualTimeEngine {
        let engine = VirtualTimeEngine(pace: pace, freezesDuringCallbacks: freezes)
        engine.install(Confined(scene))
        return engine
    }

    private func run(_ engine: VirtualTimeEngine, for length: TimeSpan) async {
        await withCheckedContinuation { continuation in
            _ = engine.run(for: length, until: nil) { _ in continuation.resume() }
        }
    }

    @Test func runJumpsFromDeadlineToDeadlineAndEndsOnTime() async {
        let scene = AppointmentScene()
        scene.pending = [1, 5, 7, 20].map { .zero + .seconds($0) }
        let engine = engine(scene)
        await run(engine, for: .seconds(7))
        #expect(engine.queue.sync { scene.kept } == [1, 5, 7].map { .zero + .seconds($0) })
        #expect(engine.currentTime == .zero + .seconds(7))
    }

    @Test func emptySceneRunsToTheEnd() async {
        let engine = engine(AppointmentScene())
        await run(engine, for: .seconds(3600))
        #expect(engine.currentTime == .zero + .seconds(3600))
    }

    @Test func nothingHappensBetweenRuns() async {
        let scene = AppointmentScene()
        scene.pending = [.zero + .seconds(2)]
        let engine = engine(scene)
        let isDone = Lock(false)
        engine.submit { isDone.withLock { $0 = true } }
        engine.queue.sync {}
        engine.queue.sync {}
        #expect(!isDone.withLock { $0 })
        await run(engine, for: .seconds(1))
        #expect(isDone.withLock { $0 })
        #expect(engine.queue.sync { scene.kept.isEmpty })
    }

    @Test func timeStandsStillAndCallsWaitWhileACallbackIsOut() async {
        let scene = AppointmentScene()
        scene.pending = [.zero + .seconds(1), .zero + .seconds(2)]
        let engine = engine(scene)
        let delegateQueue = DispatchQueue(label: "delegate")
        let notes = Lock<[String]>([])
        @Sendable func note(_ text: String) { notes.withLock { $0.append(text) } }
        scene.onAppointment = { now in
            note("at \(now.nanoseconds / 1_000_000_000)")
            engine.deliver(on: delegateQueue) {
                engine.submit { note("call at \(engine.now.nanoseconds / 1_000_000_000)") }
                // Gives the engine every chance to go on too early.
                for _ in 0..<3 { engine.queue.sync {} }
                note("returns at \(engine.currentTime.nanoseconds / 1_000_000_000)")
            }
        }
        await run(engine, for: .seconds(3))
        #expect(
            notes.withLock { $0 } == ["at 1", "returns at 1", "call at 1", "at 2", "returns at 2", "call at 2"])
    }

    @Test func callbacksOfSeveralQueuesComeOneAtATimeInOrder() async {
        let engine = engine(AppointmentScene())
        let queues = (0..<3).map { DispatchQueue(label: "delegate \($0)") }
        let notes = Lock<[Int]>([])
        let out = Lock(0)
        let most = Lock(0)
        for number in 0..<30 {
            engine.deliver(on: queues[number % 3]) {
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
        let scene = AppointmentScene()
        scene.pending = (1...10).map { .zero + .seconds($0) }
        let engine = engine(scene)
        let count = Lock(0)
        scene.onAppointment = { _ in count.withLock { $0 += 1 } }
        let isMet = await withCheckedContinuation { continuation in
            _ = engine.run(for: .seconds(60), until: .here { count.withLock { $0 } == 4 }) {
                continuation.resume(returning: $0)
            }
        }
        #expect(isMet)
        #expect(engine.currentTime == .zero + .seconds(4))
        let isMetLate = await withCheckedContinuation { continuation in
            _ = engine.run(for: .seconds(60), until: .here { false }) { continuation.resume(returning: $0) }
        }
        #expect(!isMetLate)
        #expect(engine.currentTime == .zero + .seconds(64))
    }

    @Test func freeRunRestsWhenNothingIsScheduledAndWakesForACall() async {
        let scene = AppointmentScene()
        let engine = engine(scene)
        engine.start()
        await withCheckedContinuation { continuation in engine.submit { continuation.resume() } }
        #expect(engine.currentTime == .zero)
        engine.stop()
    }

    @Test func paceStretchesVirtualTimeOverRealTime() async {
        let scene = AppointmentScene()
        scene.pending = [.zero + .seconds(10)]
        let engine = engine(scene, pace: .multiple(200))
        let begin = DispatchTime.now().uptimeNanoseconds
        await run(engine, for: .seconds(10))
        let passed = DispatchTime.now().uptimeNanoseconds - begin
        #expect(passed >= 50_000_000)
        #expect(engine.queue.sync { scene.kept.count } == 1)
    }

    @Test func aRunCanBeAbandoned() async {
        let engine = engine(AppointmentScene(), pace: .multiple(0.001))
        let isMet = await withCheckedContinuation { continuation in
            let goal = engine.run(for: .seconds(60), until: nil) { continuation.resume(returning: $0) }
            engine.abandon(goal)
        }
        #expect(!isMet)
    }

    @Test func aConditionIsAskedAgainAfterACallThoughNothingIsScheduled() {
        let engine = engine(AppointmentScene())
        let holds = Lock(false)
        let isAsked = DispatchSemaphore(value: 0)
        let isMet = DispatchSemaphore(value: 0)
        let condition = VirtualTimeEngine.Condition.elsewhere { answer in
            answer(holds.withLock { $0 })
            isAsked.signal()
        }
        _ = engine.run(for: nil, until: condition) { if $0 { isMet.signal() } }
        #expect(isAsked.wait(timeout: .now() + 5) == .success)
        engine.submit { holds.withLock { $0 = true } }
        #expect(isMet.wait(timeout: .now() + 5) == .success)
        engine.close()
    }
}
