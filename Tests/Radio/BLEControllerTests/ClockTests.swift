import BLEWire
import Testing

@testable import BLEController

/// A clock by itself, and what a controller announces of it.
struct DriftingClockTests {
    @Test func readingsByHand() {
        var clock = DriftingClock()
        #expect(clock.isExact && clock.reading(at: .zero + .seconds(7)) == .zero + .seconds(7))
        clock.set(error: 500, at: .zero)
        #expect(clock.reading(at: .zero + .seconds(1)) == Instant(nanoseconds: 1_000_500_000))
        // 10^15 / 1,000,500 = 999,500,249.87...
        #expect(clock.time(showing: .zero + .seconds(1)) == Instant(nanoseconds: 999_500_250))
        // A change is no leap.
        clock.set(error: -200, at: .zero + .seconds(10))
        #expect(clock.reading(at: .zero + .seconds(10)) == Instant(nanoseconds: 10_005_000_000))
        #expect(clock.reading(at: .zero + .seconds(11)) == Instant(nanoseconds: 11_004_800_000))
        // An hour at -200 ppm: 0.72 s less.
        #expect(
            clock.reading(at: .zero + .seconds(3_610)) == Instant(nanoseconds: 10_005_000_000 + 3_599_280_000_000))
        clock.set(error: 0, at: .zero + .seconds(11))
        #expect(!clock.isExact && clock.reading(at: .zero + .seconds(12)) == Instant(nanoseconds: 12_004_800_000))
    }

    /// Times up to four years, and before the clock was set.
    @Test(arguments: [-500, -200, -1, 1, 20, 200, 500]) func aTimeIsTheFirstOneOfItsReading(error: Int) {
        var clock = DriftingClock()
        clock.set(error: error, at: .zero + .seconds(3))
        var random = SeededRandom(seed: 5)
        for exponent in 0..<57 {
            let time = Instant(nanoseconds: 1 << Int64(exponent)) + .nanoseconds(Int(random.next() >> 44))
            let reading = clock.reading(at: time)
            let first = clock.time(showing: reading)
            #expect(first <= time && clock.reading(at: first) == reading, "\(time)")
            #expect(clock.reading(at: first - .nanoseconds(1)) < reading, "\(time)")
            // A fast clock leaves out one nanosecond at most.
            let next = reading + .nanoseconds(1)
            let shown = clock.reading(at: clock.time(showing: next))
            #expect(shown == next || error > 0 && shown == next + .nanoseconds(1), "\(time)")
        }
    }

    @Test func aClockThatIsSetRightAtOnceIsForgotten() {
        var clocks = DeviceClocks()
        clocks.set(error: 0, of: 3, at: .zero)
        #expect(clocks.isEmpty)
        clocks.set(error: 20, of: 3, at: .zero + .seconds(1))
        #expect(!clocks.isExact(3) && clocks.isExact(2))
        clocks.set(error: 0, of: 3, at: .zero + .seconds(1))
        #expect(clocks.isEmpty)
        clocks.set(error: 20, of: 3, at: .zero)
        clocks.remove(3)
        #expect(clocks.isEmpty)
    }

    @Test(
        arguments: [
            (0, 7), (20, 7), (21, 6), (30, 6), (31, 5), (50, 5), (51, 4), (75, 4), (76, 3), (100, 3), (101, 2),
            (150, 2),
            (151, 1), (250, 1), (251, 0), (500, 0),
        ] as [(Int, UInt8)])
    func theBestTrueAccuracyIsAnnounced(error: Int, code: UInt8) throws {
        for error in [error, -error] {
            let clock = try #require(ClockSetting(error: error))
            #expect(clock.error == error && clock.accuracy.rawValue == code)
            #expect(ClockSetting(clampedError: error, announcing: nil) == clock)
        }
    }

    @Test func valuesBeyondTheLimits() {
        for error in [-501, 501, Int.max, Int.min] { #expect(ClockSetting(error: error) == nil) }
        #expect(ClockSetting(error: 0, announcing: HCI.ClockAccuracy(rawValue: 8)) == nil)
        #expect(ClockSetting(clampedError: .max, announcing: nil).error == 500)
        #expect(ClockSetting(clampedError: .min, announcing: -7) == ClockSetting(error: -500, announcing: .ppm20))
        #expect(ClockSetting(clampedError: 3, announcing: 501).accuracy == .ppm500)
        #expect(ClockSetting(clampedError: 500, announcing: 40).accuracy == .ppm50)
    }
}

/// Advertisers and scanners whose clocks are not exact (Vol 6, Part B, 4.2.2).
struct ClockAdvertisingTests {
    /// The starts of the events of advertisers with these errors.
    private func starts(_ errors: [Int]) -> [[Instant]] {
        let bench = Bench()
        let hosts = errors.map { error in
            bench.addHost { $0.clock = ClockSetting(clampedError: error, announcing: nil) }
        }
        for host in hosts { host.advertise(.nonconnectableUndirected, interval: 0xA0) }
        var starts = Array(repeating: [Instant](), count: errors.count)
        bench.radio.airObserver = { packet in
            if packet.channel == 37 { starts[packet.sender.rawValue].append(packet.start) }
        }
        bench.run(for: .seconds(60))
        return starts
    }

    @Test func advertisersDriftAgainstEachOther() throws {
        let (errors, exact) = ([500, -500], starts([0, 0]))
        let drifting = starts(errors)
        for (number, error) in errors.enumerated() {
            #expect(exact[number].count > 500)
            var clock = DriftingClock()
            clock.set(error: error, at: .zero)
            // With the same random delays, each event is where its clock shows the time that it has with an exact clock. A fast clock leaves out
            // nanoseconds, at most one before each event.
            for (index, (expected, start)) in zip(exact[number], drifting[number]).enumerated() {
                let late = start - clock.time(showing: expected)
                #expect(late >= .zero && late <= .nanoseconds(index + 1), "\(index)")
            }
        }
        let (last, fast, slow) = (exact[0][500], drifting[0][500], drifting[1][500])
        #expect(last - fast > .milliseconds(24) && slow - exact[1][500] > .milliseconds(24))
    }

    /// AuxPtr has the bit CA for a clock of at most 50 ppm (Vol 6, Part B, 2.3.4.5). A scanner receives each event with its chain.
    @Test(arguments: [500, -500, 51, -50, 20]) func aDriftingAdvertiserIsMetOnSecondaryChannels(error: Int) {
        let bench = Bench()
        let advertiser = bench.addHost { $0.clock = ClockSetting(clampedError: error, announcing: nil) }
        let scanner = bench.addHost()
        var (announcements, pointers) = (0, [LL.AuxiliaryPointer]())
        bench.radio.airObserver = { packet in
            guard let pdu = AirAdvertisement(packet), let pointer = pdu.pointer else { return }
            pointers.append(pointer)
            if pdu.channel == 37 { announcements += 1 }
        }
        #expect(advertiser.advertiseExtended(bench, [], data: [UInt8](repeating: 7, count: 500)) == .success)
        scanner.scanExtended()
        bench.run(for: .seconds(20))
        #expect(announcements > 150 && pointers.count > 3 * announcements)
        #expect(pointers.allSatisfy { $0.isClockAccurate == (abs(error) <= 50) })
        let complete = scanner.extendedReports.count { $0.status == 0 }
        // The last event may not have ended.
        #expect(complete == announcements || complete == announcements - 1)
        #expect(scanner.extendedReports.allSatisfy { $0.status != 2 })
    }

    /// An AUX_ADV_IND 2.4 s after its announcement: a scanner with an error of 400 ppm expects it 960 us too early or too late. The window begins
    /// (50 + own) ppm of 2.4 s and 16 us earlier: 184 us with 20 ppm, 1,336 us with 500 ppm.
    @Test(arguments: [-400, 400], [true, false]) func theWindowOfAPointerNeedsTheTruth(error: Int, isTrue: Bool) throws
    {
        let clock = try #require(ClockSetting(error: error, announcing: isTrue ? nil : .ppm20))
        let bench = Bench()
        let scanner = bench.addHost { $0.clock = clock }
        let sender = RawAdvertiser(bench)
        let info = LL.AdvertisingDataInfo(dataID: 1, setID: 2)
        let auxiliary = RawPDU(advertiser: sender.address, info: info, data: [2, 1, 6])
        scanner.scanExtended()
        sender.advertise(
            RawPDU(info: info), [.init(pdu: auxiliary, offset: 8_000, usesLongUnits: true)],
            at: bench.radio.now + .milliseconds(1))
        bench.run(for: .seconds(3))
        #expect(scanner.extendedReports.map(\.data) == (isTrue ? [[2, 1, 6]] : []))
    }

    // MARK: Trains

    private func synchronize(_ bench: Bench, _ advertiser: RawHost, _ scanner: RawHost, skip: UInt16 = 0) throws {
        #expect(advertiser.advertisePeriodically(bench, interval: 400) == .success)
        scanner.scanExtended()
        #expect(scanner.createSync(bench, with: advertiser, skip: skip, timeout: 1_000) == .success)
        #expect(bench.run(atMost: .seconds(10)) { !scanner.established.isEmpty })
        #expect(try #require(scanner.established.first).status == .success)
        // Neither has anything else to do.
        scanner.send(HCI.LESetExtendedScanEnable(enable: false))
        #expect(advertiser.disable(bench, [1]) == .success)
    }

    @Test(arguments: [1, -1], [UInt16(0), 3]) func aTrainIsReceivedForTenMinutes(sign: Int, skip: UInt16) throws {
        let bench = Bench()
        let advertiser = bench.addHost { $0.clock = ClockSetting(clampedError: 300 * sign, announcing: nil) }
        let scanner = bench.addHost { $0.clock = ClockSetting(clampedError: -300 * sign, announcing: nil) }
        try synchronize(bench, advertiser, scanner, skip: skip)
        #expect(scanner.established.first?.advertiserClockAccuracy == .ppm500)
        scanner.events.removeAll()
        bench.run(for: .seconds(600))
        #expect(scanner.lostSyncs.isEmpty)
        // 2 events in a second.
        #expect(abs(scanner.periodicReports.count - 1_200 / Int(skip + 1)) <= 3)
    }

    /// At 500 ms, 500 ppm are 250 us, and the window begins 36 us early.
    @Test(arguments: [500, -500]) func aTrainOfALiarIsLost(error: Int16) throws {
        let bench = Bench()
        let (advertiser, scanner) = (bench.addHost(), bench.addHost())
        try synchronize(bench, advertiser, scanner)
        bench.run(for: .seconds(5))
        #expect(scanner.lostSyncs.isEmpty)
        let command = HCI.VendorWriteSleepClock(error: error, accuracy: .ppm20)
        #expect(advertiser.status(bench, of: command) == .success)
        bench.run(for: .seconds(12))
        #expect(scanner.lostSyncs == [0])
    }
}
