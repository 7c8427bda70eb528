import BLEAdapter
import BLESimulator
import Dispatch
import Phrases
import TestConditions
import Testing

@testable import StudioRoom

/// The engine's clock and reports, with a clock of the test.
struct DriverRealTimeTests {
    private final class Clock { var now: Int64 = 1_000_000_000 }

    private final class Reports: Sendable {
        private let changes = Lock<[RoomChanges]>([])
        func add(_ change: RoomChanges) { changes.withLock { $0.append(change) } }
        func take() -> [RoomChanges] {
            changes.withLock { changes in
                defer { changes = [] }
                return changes
            }
        }
    }

    private let second: Int64 = 1_000_000_000
    private let clock = Clock()
    private let reports = Reports()
    private let flag = StopFlag()

    private func driver(_ scene: String = "pair") throws -> RoomDriver {
        let (clock, reports) = (clock, reports)
        return RoomDriver(try Rooms.timeline(scene), clock: { clock.now }, onChange: { reports.add($0) })
    }

    /// Turns of 10 ms of real time until the present goal is reached.
    private func run(_ driver: RoomDriver, for time: Int64) {
        let end = clock.now + time
        while clock.now < end {
            clock.now += 10_000_000
            while driver.turn(interruptedBy: flag, []) == 0 {}
        }
    }

    @Test func timeFollowsTheClockAtTheSpeed() throws {
        let driver = try driver()
        run(driver, for: second)
        #expect(driver.time.now == 0)
        driver.start()
        run(driver, for: second)
        #expect(abs(driver.time.now - second) <= 20_000_000)
        driver.setSpeed(0.01)
        let before = driver.time.now
        run(driver, for: second)
        #expect(abs(driver.time.now - before - second / 100) <= 200_000)
        driver.pause()
        let now = driver.time.now
        run(driver, for: second)
        #expect(driver.time.now == now)
        #expect(!driver.time.isRunning)
        #expect(driver.time.end == now)
    }

    @Test func reportsComeAtMostThirtyTimesInASecond() throws {
        let driver = try driver()
        driver.start()
        run(driver, for: second)
        let reports = reports.take()
        #expect((20...31).contains(reports.count))
        #expect(reports.count { $0.room } <= 15)
        #expect(reports.dropFirst().allSatisfy { $0.time && $0.reset == nil })
        driver.pause()
        run(driver, for: second)
        #expect(self.reports.take().count <= 1)
        // At rest nothing is reported.
        run(driver, for: second)
        #expect(self.reports.take().isEmpty)
    }

    @Test func aSeekBackReportsWhatIsNoLongerValid() throws {
        let driver = try driver()
        driver.start()
        run(driver, for: 2 * second)
        driver.pause()
        _ = reports.take()
        let (now, packets) = (driver.time.now, driver.timeline.packetCount)
        var isDone = false
        driver.seek(to: now / 2) { _ in isDone = true }
        #expect(driver.time.isSeeking)
        for _ in 0..<100_000 where !isDone { _ = driver.turn(interruptedBy: flag, []) }
        #expect(isDone)
        #expect(driver.time.now == now / 2)
        #expect(driver.time.end == now)
        clock.now += second
        _ = driver.turn(interruptedBy: flag, [])
        let reset = try #require(reports.take().compactMap(\.reset).last)
        #expect(reset.packets == driver.timeline.packetCount)
        #expect(reset.packets < packets)
        #expect(reset.happened == driver.timeline.happenedCount)
        // Another scene begins everything anew.
        try driver.begin(scene: "empty", seed: 3, parameters: .null)
        clock.now += second
        _ = driver.turn(interruptedBy: flag, [])
        #expect(reports.take().last?.reset == RoomChanges.Reset(packets: 0, happened: 0))
        #expect(throws: PhrasedError.self) { try driver.begin(scene: "none", seed: 3, parameters: .null) }
        #expect(driver.timeline.scene == "empty")
    }

    @Test func aSeekBackWhoseConditionIsMetAtOnceReportsWhatIsNoLongerValid() throws {
        let driver = try driver()
        driver.start()
        run(driver, for: 2 * second)
        driver.pause()
        run(driver, for: second)
        _ = reports.take()
        var end: RoomDriver.SeekEnd?
        driver.seek(to: second, until: { true }) { end = try? $0.get() }
        #expect(end == .reached && !driver.time.isSeeking)
        #expect(driver.time.now == 0)
        clock.now += second
        _ = driver.turn(interruptedBy: flag, [])
        let reset = try #require(reports.take().compactMap(\.reset).last)
        #expect(reset.packets == driver.timeline.packetCount)
        #expect(reset.happened == driver.timeline.happenedCount)
    }

    @Test func anotherCommandEndsASeek() throws {
        let driver = try driver("crowd")
        var isDone = false
        driver.seek(to: 3600 * second) { _ in isDone = true }
        for _ in 0..<3 { _ = driver.turn(interruptedBy: flag, []) }
        #expect(!isDone)
        driver.pause()
        #expect(isDone)
        #expect(!driver.time.isSeeking)
        #expect(driver.time.now > 0)
    }

    @Test func aMachineThatIsTooSlowLowersTheSpeed() {
        var pace = PaceController()
        var (real, virtual) = (Int64(0), Int64(0))
        // The machine manages half a virtual second in a real second.
        for _ in 0..<300 {
            let goal = pace.goal(real: real, virtual: virtual)
            real += 10_000_000
            virtual = min(goal, virtual + 5_000_000)
            pace.reached(virtual: virtual, real: real)
            // The goal is never far ahead.
            #expect(pace.goal(real: real, virtual: virtual) - virtual <= PaceController.tolerance + 10_000_000)
        }
        let speed = pace.actualSpeed ?? 0
        #expect((0.49...0.51).contains(speed))
        #expect(pace.speed == 1)
    }

    @Test func packetsInFlightAreShownAtLowSpeeds() throws {
        let driver = try driver()
        #expect(driver.showsFlight)
        driver.start()
        #expect(!driver.showsFlight)
        driver.setSpeed(0.1)
        #expect(driver.showsFlight)
        driver.setSpeed(0)
        #expect(!driver.showsFlight)
    }
}

/// The engine's thread.
struct EngineTests {
    private func engine(_ scene: String = "pair") throws -> RoomEngine {
        try RoomEngine(programs: Rooms.programs, scenes: RoomScene.standard, scene: scene) { _ in }
    }

    @Test func callsFindTheRoomAtRest() async throws {
        let engine = try engine()
        try await engine.perform { driver in
            driver.setSpeed(0)
            driver.start()
        }
        var last: Int64 = -1
        for _ in 0..<50 {
            let (now, state) = try await engine.perform { ($0.time.now, $0.timeline.state) }
            #expect(now >= last)
            #expect(state.devices.count == 2)
            last = now
        }
        #expect(last > 0)
    }

    /// Occupies the engine until `gate` is signalled, so that calls queue up in a known order.
    private func hold(_ engine: RoomEngine, _ gate: DispatchSemaphore) async throws -> Task<Void, any Error> {
        let hasBegun = Lock(false)
        let blocking = Task {
            try await engine.perform { _ in
                hasBegun.withLock { $0 = true }
                gate.wait()
            }
        }
        try #require(await eventually { hasBegun.withLock { $0 } })
        return blocking
    }

    @Test(.timeLimit(.minutes(10))) func changesWaitForASeekAndQuestionsDoNot() async throws {
        let engine = try engine("crowd")
        let gate = DispatchSemaphore(value: 0)
        let blocking = try await hold(engine, gate)
        let seeking = Task { try await engine.seek(to: 6_000_000_000) }
        try #require(await eventually { engine.waitingCallCount >= 1 })
        let added = Task { try await engine.perform(waits: true) { ($0.time.now, $0.isSeeking) } }
        try #require(await eventually { engine.waitingCallCount >= 2 })
        let asking = Task { try await engine.perform { ($0.time.now, $0.isSeeking) } }
        try #require(await eventually { engine.waitingCallCount >= 3 })
        gate.signal()
        try await blocking.value
        let (now, wasSeeking) = try await asking.value
        #expect(now < 6_000_000_000 && wasSeeking)
        let (time, isSeeking) = try await added.value
        #expect(time == 6_000_000_000)
        #expect(!isSeeking)
        _ = try await seeking.value
    }

    @Test(.timeLimit(.minutes(10)), arguments: [true, false])
    func aChangeInTheTurnOfASeekFindsTheRoomBeforeOrAfterIt(changesFirst: Bool) async throws {
        let engine = try engine()
        try await engine.seek(to: 2_000_000_000)
        let gate = DispatchSemaphore(value: 0)
        let hasBegun = Lock(false)
        async let blocking: Void = engine.perform { _ in
            hasBegun.withLock { $0 = true }
            gate.wait()
        }
        try #require(await eventually { hasBegun.withLock { $0 } })
        let change: @Sendable () async throws -> (Int64, Bool) = {
            try await engine.perform(waits: true) { ($0.time.now, $0.isSeeking) }
        }
        let early = changesFirst ? Task(operation: change) : nil
        try #require(await eventually { engine.waitingCallCount >= (changesFirst ? 1 : 0) })
        let seeking = Task { try await engine.seek(to: 1_000_000_000) }
        try #require(await eventually { engine.waitingCallCount >= (changesFirst ? 2 : 1) })
        let late = changesFirst ? nil : Task(operation: change)
        try #require(await eventually { engine.waitingCallCount >= 2 })
        gate.signal()
        try await blocking
        let (time, isSeeking) = try await #require(early ?? late).value
        #expect(time == (changesFirst ? 2_000_000_000 : 1_000_000_000))
        #expect(!isSeeking)
        _ = try await seeking.value
    }

    @Test func theEndAnswersAllCalls() async throws {
        let engine = try engine("crowd")
        let gate = DispatchSemaphore(value: 0)
        let blocking = try await hold(engine, gate)
        let seeking = Task { try await engine.seek(to: 3_600_000_000_000) }
        try #require(await eventually { engine.waitingCallCount >= 1 })
        gate.signal()
        try await blocking.value
        engine.end()
        await #expect(throws: PhrasedError.ended) { try await seeking.value }
        await #expect(throws: PhrasedError.ended) { try await engine.perform { $0.time } }
    }

    @Test func aReleasedEngineEndsItsWorld() async throws {
        weak let world = try await Self.world(of: try engine())
        #expect(await eventually(within: .seconds(60)) { world == nil })
    }

    private static func world(of engine: RoomEngine) async throws -> World {
        try await engine.perform { driver in
            driver.setSpeed(0)
            driver.start()
            return driver.timeline.run.world
        }
    }
}
