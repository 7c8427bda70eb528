import BLEWire
import Testing

@testable import BLEController

/// The limits and the arithmetic of values that a simulation reaches only by chance.
struct SmallValueTests {
    private func time(_ milliseconds: Int) -> Instant { .zero + .milliseconds(milliseconds) }

    /// The sets pause for their share of the events' time. The time between events counts, and a debt below 5 ms has no pause.
    @Test func advertisingPausesForWhatItOwes() {
        var pause = AdvertisingPause()
        #expect(pause.end == nil && pause.used == .zero)
        pause.noteEnd(from: time(100), at: time(108), backgroundShare: 50)
        #expect(pause.end == nil && pause.used == .milliseconds(8))
        // 4 ms are owed, of which the 3 ms until this event pay three.
        pause.noteEnd(from: time(111), at: time(121), backgroundShare: 40)
        #expect(pause.end == time(126) && pause.used == .milliseconds(18))
        pause.expire(at: time(126) - .nanoseconds(1))
        #expect(pause.end == time(126))
        pause.expire(at: time(126))
        #expect(pause.end == nil)
        // Nothing is paid in advance, and legacy events do not count as used.
        pause.noteEnd(from: time(1_000), isLegacy: true, at: time(1_020), backgroundShare: 100)
        #expect(pause.end == time(1_040) && pause.used == .milliseconds(18))
        pause.noteEnd(from: time(1_040), at: time(1_050), backgroundShare: 49)
        #expect(pause.end == nil)
    }

    @Test func theHostFillsTheBuffersAndNoMore() {
        var control = ACLFlowControl(bufferCount: 3, bufferLength: 27)
        func takes(_ count: Int) -> Bool { control.take(count) }
        #expect(!takes(28) && takes(27) && takes(0) && takes(1) && !takes(1))
        control.free(2)
        #expect(takes(1) && takes(1) && !takes(1))
        control.reset()
        #expect(takes(1) && takes(1) && takes(1) && !takes(1))
        // The host learns of completed packets while it can still send.
        for (count, threshold) in [(1, 1), (3, 1), (4, 1), (8, 2), (255, 63)] as [(UInt8, UInt16)] {
            #expect(ACLFlowControl(bufferCount: count, bufferLength: 27).reportingThreshold == threshold)
        }
    }

    /// 16 us, and the accuracies of both sides (Vol 6, Part B, 4.2.4).
    @Test func thePeripheralsWindowIsAsWideAsBothClocksMayDeviate() {
        let request = LL.ConnectInd(
            initiator: 1, advertiser: 2, accessAddress: 3, crcInit: 4, windowSize: 1, windowOffset: 0, interval: 80,
            latency: 0, timeout: 100, channelMap: .all, hop: 5, sleepClockAccuracy: 5)
        var timing = ConnectionTiming(request, anchor: time(1_000), window: .zero, ownAccuracy: .ppm20)
        // 50 ppm and 20 ppm of 100 ms.
        #expect(timing.widening(at: time(9_000)) == .microseconds(23))
        timing.use(.ppm500)
        #expect(timing.clockError == 550 && timing.widening(at: time(1_100)) == .microseconds(71))
        // Code 0 is 500 ppm: the window stays within the inter frame space.
        timing.learn(accuracy: 8)
        #expect(timing.clockError == 1_000 && timing.widening(at: time(1_100)) == .microseconds(100))
        timing.expectsDrift = true
        for (milliseconds, width) in [(1_100, 116), (2_000, 1_016), (900, 16)] {
            #expect(timing.widening(at: time(milliseconds)) == .microseconds(width))
        }
        #expect(timing.widening(at: time(200_000)) == .microseconds(50_000 - 150))
    }

    /// Windows on both PHYs that fit one interval together follow each other.
    @Test func theWindowsOfBothPHYsDoNotOverlap() {
        var schedules = ListeningSchedules()
        #expect(schedules.delay(on: .oneM) == nil && schedules.share == 0)
        schedules[.oneM] = ListeningSchedule(interval: 160, window: 64)
        for (interval, window, delay, share) in [(160, 96, 40, 100), (160, 97, 0, 100), (320, 32, 0, 50)]
            as [(UInt16, UInt16, Int, Int)]
        {
            schedules[.coded] = ListeningSchedule(interval: interval, window: window)
            #expect(schedules.delay(on: .oneM) == .zero && schedules.delay(on: .coded) == .milliseconds(delay))
            #expect(schedules.share == share)
        }
        let first = schedules.beginInterval(on: .oneM)
        #expect(first?.next == .milliseconds(100) && first?.windowEnd == .milliseconds(40))
        #expect(schedules.isOpen(on: .oneM) && !schedules.isOpen(on: .coded))
        schedules.endWindows()
        #expect(!schedules.isOpen(on: .oneM))
        schedules[.oneM] = ListeningSchedule(interval: 160, window: 160)
        let whole = schedules.beginInterval(on: .oneM)
        #expect(whole?.next == .milliseconds(100) && whole.map { $0.windowEnd == nil } == true)
    }

    /// Each of the two PHYs has turns of 5 to 15 ms.
    @Test func listeningTurnsHaveTheirLengths() {
        var turns = ListeningTurns()
        var random = SeededRandom(seed: 5)
        var now = time(1)
        for _ in 0..<500 {
            let before = turns.phy
            #expect(turns.choose(at: now, random: &random) == before.other)
            #expect(turns.end >= now + .milliseconds(5) && turns.end <= now + .milliseconds(15))
            #expect(turns.choose(at: turns.end - .nanoseconds(1), random: &random) == before.other)
            now = turns.end
        }
    }

    /// Vol 4, Part E, 7.8.65: units of 10 ms and 1.28 s, and the duration is shorter than the period.
    @Test func theDurationOfAScanIsShorterThanItsPeriod() throws {
        func duration(_ duration: UInt16, _ period: UInt16) throws(HCI.ErrorCode) -> ScanDuration {
            try ScanDuration(
                HCI.LESetExtendedScanEnable(enable: true, filterDuplicates: .off, duration: duration, period: period))
        }
        #expect(try duration(0, 0) == .endless && duration(0, 9) == .endless)
        #expect(try duration(7, 0) == .once(.milliseconds(70)))
        #expect(try duration(127, 1) == .periodic(.milliseconds(1_270), period: .milliseconds(1_280)))
        #expect(throws: HCI.ErrorCode.invalidHCICommandParameters) { try duration(128, 1) }
        #expect(throws: HCI.ErrorCode.invalidHCICommandParameters) { try duration(129, 1) }
    }

    /// Vol 6, Part B, 2.3.4.6: 13 bits of 30 us or 300 us, and 2.4576 s more where that is possible.
    @Test func theOffsetToATrainHasItsUnits() {
        for (microseconds, mayAdjust, units, isLong, isAdjusted) in [
            (0, true, 0, false, false), (29, true, 0, false, false), (30, true, 1, false, false),
            (245_699, true, 8_189, false, false), (245_700, false, 819, true, false),
            (2_457_599, true, 8_191, true, false), (2_457_600, true, 0, true, true),
            (2_457_600, false, 0, true, false), (2_703_300, true, 819, true, true),
            (4_915_199, true, 8_191, true, true), (4_915_200, true, 0, true, false),
        ] as [(Int, Bool, UInt16, Bool, Bool)] {
            let offset = SyncOffset(.microseconds(microseconds), mayAdjust: mayAdjust)
            #expect(offset.units == units && offset.usesLongUnits == isLong, "\(microseconds) \(mayAdjust)")
            #expect(offset.isAdjusted == isAdjusted, "\(microseconds) \(mayAdjust)")
        }
    }

    /// The longest PDUs (Vol 6, Part B, 4.5.10): 27 to 251 octets, with the time of the slowest PHY and of an encrypted PDU.
    @Test func theDataLengthIsThatOfTheSlowestPHY() throws {
        for (octets, coded, expected, time) in [
            (251, true, 251, 17_040), (300, true, 251, 17_040), (251, false, 251, 2_120), (27, false, 27, 328),
            (1, false, 27, 328), (27, true, 27, 2_704), (28, false, 28, 336),
        ] as [(UInt16, Bool, UInt16, UInt16)] {
            var configuration = ControllerConfiguration()
            configuration.maximumDataLength = octets
            configuration.supportsCoded = coded
            let capabilities = LocalCapabilities(configuration)
            #expect(capabilities.length == DataLength.Limits(octets: expected, time: time), "\(octets) \(coded)")
            #expect(capabilities.features.contains(.dataPacketLengthExtension) == (expected > 27))
            #expect(throws: HCI.ErrorCode.invalidHCICommandParameters) { _ = try capabilities.limits(26, 328) }
            #expect(throws: HCI.ErrorCode.invalidHCICommandParameters) { _ = try capabilities.limits(27, 327) }
            #expect(throws: HCI.ErrorCode.invalidHCICommandParameters) { _ = try capabilities.limits(252, 328) }
            #expect(throws: HCI.ErrorCode.invalidHCICommandParameters) { _ = try capabilities.limits(27, 17_041) }
            #expect(try capabilities.limits(251, 17_040) == capabilities.length)
            #expect(try capabilities.limits(27, 328) == DataLength.Limits(octets: 27, time: 328))
        }
    }
}
