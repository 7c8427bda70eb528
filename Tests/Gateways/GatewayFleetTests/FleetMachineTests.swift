import BLEWire
import Testing

@testable import GatewayFleet

/// The values of a fleet, in virtual time.
@Suite struct FleetMachineTests {
    // MARK: Advertisements

    @Test func everyDeviceAdvertisesOnceInItsInterval() {
        // 50 devices in 10 s, looked at every 5 ms.
        var schedule = AdvertisementSchedule(devices: 50, rate: 0)
        schedule.begin(5, at: .zero)
        var times: [Int: [Instant]] = [:]
        var now = Instant.zero
        while now < .zero + .seconds(60) {
            for _ in 0..<schedule.takeDue(at: now) { times[schedule.takeDevice(), default: []].append(now) }
            now += .milliseconds(5)
        }
        #expect(times.count == 50)
        for moments in times.values {
            #expect(moments.count == 5 || moments.count == 6)
            for (earlier, later) in zip(moments, moments.dropFirst()) {
                #expect(later - earlier >= .milliseconds(9990) && later - earlier <= .milliseconds(10_010))
            }
        }
        #expect(schedule.skipped == 0)
    }

    @Test func aLateDriverSkipsWhatIsOlderThanASecond() {
        var schedule = AdvertisementSchedule(devices: 10, rate: 0)
        schedule.begin(100, at: .zero)
        #expect(schedule.takeDue(at: .zero + .seconds(5)) == 100)
        #expect(schedule.skipped == 400)
        #expect(schedule.takeDue(at: .zero + .seconds(5)) == 0)
        #expect(schedule.takeDue(at: .zero + .milliseconds(5100)) == 10)
    }

    @Test func aNewRateHoldsFromItsBeginning() {
        var schedule = AdvertisementSchedule(devices: 10, rate: 0)
        schedule.begin(1, at: .zero)
        #expect(schedule.takeDue(at: .zero + .seconds(1)) == 1)
        schedule.begin(1000, at: .zero + .seconds(2))
        #expect(schedule.takeDue(at: .zero + .milliseconds(2500)) == 500)
        schedule.begin(0, at: .zero + .seconds(3))
        #expect(schedule.takeDue(at: .zero + .seconds(100)) == 0)
    }

    // MARK: Losses

    @Test func aGapIsMissingUntilItIsFilled() {
        var numbers = ReceivedNumbers(gateways: 2)
        numbers.add(0, of: 0)
        numbers.add(2, of: 0)
        numbers.add(0, of: 1)
        #expect(numbers.received == 3 && numbers.gaps == 1)
        #expect(numbers.missing(of: 5) == 2)
        numbers.add(1, of: 0)
        #expect(numbers.received == 4 && numbers.gaps == 0)
        numbers.add(1, of: 0)
        numbers.add(2, of: 0)
        #expect(numbers.duplicates == 2 && numbers.received == 4)
    }

    @Test func aNumberFarBeyondTheOthersIsStrangeAndTakesNoMemory() {
        var numbers = ReceivedNumbers(gateways: 1)
        numbers.add(.max, of: 0)
        numbers.add(1 << 40, of: 0)
        #expect(numbers.strange == 2 && numbers.gaps == 0 && numbers.received == 0)
    }

    @Test func theGapsOfAllGatewaysHaveOneLimit() {
        var numbers = ReceivedNumbers(gateways: 2, gapLimit: 10)
        numbers.add(6, of: 0)
        numbers.add(5, of: 1)
        #expect(numbers.strange == 1 && numbers.gaps == 6 && numbers.received == 1)
        numbers.add(0, of: 0)
        numbers.add(4, of: 1)
        #expect(numbers.strange == 1 && numbers.gaps == 9 && numbers.received == 3)
    }

    // MARK: Connections

    @Test func aStormBeginsWithTheFirstLossAndEndsWhenAllAreBack() throws {
        var watch = ConnectionWatch(total: 3)
        let start = Instant.zero
        watch.connected(0, at: start)
        watch.lost(0, at: start + .seconds(1))
        #expect(watch.storms.isEmpty, "not all were connected before")
        for index in 0..<3 { watch.connected(index, at: start + .seconds(2)) }
        #expect(watch.complete == start + .seconds(2))
        watch.noteAttempts(4, at: start + .seconds(3))
        for index in 0..<3 { watch.lost(index, at: start + .seconds(10)) }
        watch.noteAttempts(5, at: start + .seconds(11))
        watch.noteAttempts(9, at: start + .milliseconds(11_500))
        watch.connected(1, at: start + .seconds(12))
        watch.connected(1, at: start + .seconds(12))
        watch.connected(0, at: start + .seconds(13))
        #expect(watch.online == 2 && watch.storms.count == 1 && watch.storms[0].ended == nil)
        watch.connected(2, at: start + .seconds(14))
        watch.noteAttempts(11, at: start + .seconds(14))
        let storm = try #require(watch.storms.first)
        #expect(storm.away == 3)
        #expect(storm.firstBack == start + .seconds(12))
        #expect(storm.ended == start + .seconds(14))
        #expect(storm.attempts == 7)
        #expect(storm.busiestSecond == 4)
        // Attempts after the storm do not count.
        watch.noteAttempts(50, at: start + .seconds(20))
        #expect(watch.storms.first?.attempts == 7)
    }

    @Test func theListOfStormsIsBounded() {
        var watch = ConnectionWatch(total: 1)
        for second in 0..<1000 {
            watch.connected(0, at: .zero + .seconds(2 * second))
            watch.lost(0, at: .zero + .seconds(2 * second + 1))
        }
        #expect(watch.storms.count == 100)
    }

    // MARK: The ramp

    private func step(_ wanted: Double, acknowledged: Double? = nil) -> FleetRamp.Step {
        FleetRamp.Step(wanted: wanted, heard: wanted, stored: wanted, acknowledged: acknowledged ?? wanted)
    }

    @Test func theRateGrowsUntilTheBrokerNoLongerFollows() {
        var ramp = FleetRamp(factor: 2, devices: 100_000)
        #expect(ramp.judge(step(1000)) == .next(rate: 2000))
        #expect(ramp.judge(step(2000)) == .next(rate: 4000))
        #expect(ramp.sustained == 2000)
        var full = step(4000, acknowledged: 3000)
        (full.brokerProcessors, full.brokerThreads, full.machine) = (0.99, 1, 0.7)
        #expect(ramp.judge(full) == .saturated(.brokerThread))
        #expect(ramp.sustained == 2000)
        (full.brokerThreads, full.machine) = (12, 0.99)
        #expect(ramp.judge(full) == .saturated(.machine))
        full.machine = 0.3
        #expect(ramp.judge(full) == .saturated(.other))
        #expect(ramp.judge(step(60_000)) == .finished)
    }

    @Test func aSlowSubscriberAndASlowFleetEndTheRampToo() {
        var ramp = FleetRamp(devices: 100_000)
        var slow = step(1000)
        slow.received = 900
        #expect(ramp.judge(slow) == .saturated(.other))
        slow = step(1000)
        slow.delivery = 2_000_000
        #expect(ramp.judge(slow) == .saturated(.other))
        slow = step(1000)
        slow.heard = 800
        #expect(ramp.judge(slow) == .saturated(.fleet))
    }

    @Test func aStepWithoutAReceivedMessageIsNotSustained() {
        for stored in [1000.0, 0] {
            var ramp = FleetRamp(devices: 100_000)
            var silent = step(1000)
            (silent.stored, silent.acknowledged, silent.received) = (stored, stored, 0)
            #expect(ramp.judge(silent) == .saturated(.other))
            #expect(ramp.sustained == 0)
        }
    }

    // MARK: The system's files

    @Test func theFiguresOfAProcessWithAStrangeName() throws {
        let text =
            "42 (a) b (c) S 1 42 42 0 -1 4194304 100 0 0 0 250 50 0 0 20 0 7 0 12345 1000000 300 18446744073709551615 1 1 0"
        let figures = try #require(ProcessFigures(text, ticksPerSecond: 100, pageSize: 4096))
        #expect(figures.processorTime == 3)
        #expect(figures.threads == 7)
        #expect(figures.memory == 300 * 4096)
        #expect(ProcessFigures("", ticksPerSecond: 100, pageSize: 4096) == nil)
        #expect(ProcessFigures("42 (a) S 1", ticksPerSecond: 100, pageSize: 4096) == nil)
    }

    @Test func theShareOfBusyProcessors() throws {
        let before = try #require(MachineFigures("cpu  100 0 100 700 100 0 0 0 0 0\ncpu0 1 2 3"))
        let after = try #require(MachineFigures("cpu  200 0 150 750 100 0 0 0 0 0\n"))
        #expect(after.share(since: before) == 0.75)
        #expect(before.share(since: before) == 0)
        #expect(MachineFigures("intr 1 2 3") == nil)
    }
}
