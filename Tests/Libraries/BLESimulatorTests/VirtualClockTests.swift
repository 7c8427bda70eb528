import BLEAdapter
import BLESimulator
import Dispatch
import Testing

@Suite(.timeLimit(.minutes(10)))
struct VirtualClockTests {
    private final class Log: Sendable {
        private let entries = Lock<[String]>([])
        func add(_ entry: String) { entries.withLock { $0.append(entry) } }
        var all: [String] { entries.withLock(\.self) }
    }

    @Test func callsComeInTheOrderOfTheirDeadlinesWhileTimeStandsStill() async {
        let world = World(seed: 1)
        _ = world.addDevice("a")
        let clock = QueueClock(world.clock)
        let queues = [DispatchQueue(label: "0"), DispatchQueue(label: "1")]
        let log = Log()
        for (name, seconds) in [("c", 3), ("a", 1), ("d", 3), ("b", 2)] {
            clock.schedule(at: .seconds(seconds), on: queues[seconds % 2]) {
                // Time would pass during the call if the world did not wait for it.
                for _ in 0..<100 { queues[(seconds + 1) % 2].sync {} }
                log.add("\(name) \(world.now)")
                clock.schedule(at: .zero, on: queues[0]) { log.add("\(name) later \(world.now)") }
            }
        }
        await world.run(for: .seconds(2))
        #expect(log.all.prefix(4) == ["a 1.0 seconds", "a later 1.0 seconds", "b 2.0 seconds", "b later 2.0 seconds"])
        await world.run(for: .seconds(2))
        #expect(
            log.all.dropFirst(4) == ["c 3.0 seconds", "d 3.0 seconds", "c later 3.0 seconds", "d later 3.0 seconds"])
    }

    @Test(arguments: [Pace.unlimited, .multiple(1000)]) func aTaskSleepsInVirtualTime(_ pace: Pace) async throws {
        let world = World(seed: 1, pace: pace)
        let clock = world.clock
        world.start()
        let begin = clock.now
        try await clock.sleep(for: .seconds(5))
        #expect(begin.duration(to: clock.now) >= .seconds(5))
        try await clock.sleep(until: begin)
        world.stop()
    }

    @Test func aCancelledTaskStopsSleeping() async {
        let world = World(seed: 1)
        let sleep = Task { try await world.clock.sleep(for: .seconds(5)) }
        sleep.cancel()
        await #expect(throws: CancellationError.self) { try await sleep.value }
        #expect(world.now == .zero)
    }

    @Test func theEndOfTheWorldEndsASleep() async {
        var world: World? = World(seed: 1)
        let clock = world!.clock
        let sleep = Task { try await clock.sleep(for: .seconds(5)) }
        await world!.run(for: .seconds(1))
        world = nil
        await #expect(throws: CancellationError.self) { try await sleep.value }
    }
}
