import BLEWire
import Testing

@testable import BLEController

/// Links between controllers whose clocks are not exact (Vol 6, Part B, 4.2.2 and 4.2.4).
struct ClockLinkTests {
    /// Two hosts with a link.
    private struct Pair {
        let bench = Bench()
        let central: RawHost
        let peripheral: RawHost
        let handles: (central: UInt16, peripheral: UInt16)

        init(
            _ centralClock: ClockSetting = .exact, _ peripheralClock: ClockSetting = .exact, interval: UInt16 = 16,
            latency: UInt16 = 0, timeout: UInt16 = 100
        ) throws {
            central = bench.addHost { $0.clock = centralClock }
            peripheral = bench.addHost { $0.clock = peripheralClock }
            handles = try #require(
                bench.connect(central, peripheral, interval: interval, latency: latency, timeout: timeout))
        }

        var reasons: [HCI.ErrorCode] { (central.disconnections + peripheral.disconnections).map(\.reason) }

        func setClock(of host: RawHost, error: Int16, _ accuracy: HCI.ClockAccuracy) {
            let command = HCI.VendorWriteSleepClock(error: error, accuracy: accuracy)
            #expect(host.status(bench, of: command) == .success)
        }
    }

    // MARK: Exact clocks

    /// The empty PDUs of a link at 30 ms, from the first one on: that of the central, of 80 us, and after 150 us that of the peripheral. A clock
    /// that drifts elsewhere makes windows longer, and moves nothing.
    @Test(arguments: [false, true]) func exactClocksKeepTheirInstants(withDriftElsewhere: Bool) throws {
        let pair = try Pair(interval: 24)
        if withDriftElsewhere {
            pair.bench.addHost(at: RadioPosition(x: 50_000)) {
                $0.clock = ClockSetting(clampedError: 500, announcing: nil)
            }
        }
        var starts: [Instant] = []
        pair.bench.radio.airObserver = { packet in
            if packet.accessAddress != LL.advertisingAccessAddress { starts.append(packet.start) }
        }
        pair.bench.run(for: .seconds(3))
        let first = try #require(starts.first)
        #expect(starts.count >= 198)
        #expect(
            starts.map { ($0 - first).nanoseconds }
                == starts.indices.map { Int64($0 / 2 * 30_000 + $0 % 2 * 230) * 1_000 })
    }

    // MARK: Clocks that drift

    /// 400 ppm between two sides that announce 250 ppm each. With the latency, the peripheral sleeps 4.4 s.
    @Test(arguments: [Int16(200), -200], [UInt16(0), 10]) func honestClocksKeepALinkForAnHour(
        error: Int16, latency: UInt16
    ) throws {
        let pair = try Pair(
            try #require(ClockSetting(error: Int(error))), try #require(ClockSetting(error: Int(-error))),
            interval: 320, latency: latency, timeout: 2_000)
        #expect(pair.peripheral.connections.map(\.centralClockAccuracy) == [.ppm250])
        pair.bench.run(for: .seconds(3_600))
        pair.central.queue([1, 2, 3], handle: pair.handles.central)
        pair.peripheral.queue([4], handle: pair.handles.peripheral)
        pair.bench.run(for: .seconds(10))
        #expect(pair.reasons.isEmpty)
        #expect(pair.peripheral.received[pair.handles.peripheral] == [1, 2, 3])
        #expect(pair.central.received[pair.handles.central] == [4])
    }

    /// At 20 ms, 500 ppm are 10 us, and the window is 16 us and 40 ppm wider on each side. With a latency of 20 they are 210 us, and the window is 33
    /// us wider; with the truth, 234 us.
    @Test(arguments: [500, -500], [UInt16(0), 20]) func aLiarLosesALinkWithLatency(error: Int, latency: UInt16) throws {
        for isOfCentral in [true, false] {
            for isTrue in [true, false] {
                let clock = try #require(ClockSetting(error: error, announcing: isTrue ? .ppm500 : .ppm20))
                let pair = try Pair(
                    isOfCentral ? clock : .exact, isOfCentral ? .exact : clock, latency: latency, timeout: 100)
                let start = pair.bench.radio.now
                let isLost = latency > 0 && !isTrue
                let mark = "central: \(isOfCentral), true: \(isTrue)"
                #expect(pair.bench.run(atMost: .seconds(60)) { pair.reasons.count == 2 } == isLost, "\(mark)")
                #expect(pair.reasons == (isLost ? [.connectionTimeout, .connectionTimeout] : []), "\(mark)")
                if isLost { #expect(pair.bench.radio.now - start > .milliseconds(990), "\(mark)") }
            }
        }
    }

    /// At 100 ms, 500 ppm are 50 us, and the window is 20 us wider on each side, for a packet that is early as for one that is late.
    @Test(arguments: [500, -500, 150, -150]) func aLongIntervalLosesALiarWithoutLatency(error: Int) throws {
        let clock = try #require(ClockSetting(error: error, announcing: .ppm20))
        let pair = try Pair(clock, interval: 80, timeout: 200)
        pair.bench.run(for: .seconds(20))
        #expect(pair.reasons == (abs(error) == 500 ? [.connectionTimeout, .connectionTimeout] : []))
    }

    @Test(arguments: [-500, 200]) func theCentralSendsByItsClock(error: Int) throws {
        let pair = try Pair(try #require(ClockSetting(error: error)), interval: 24)
        var starts: [Instant] = []
        let sender = pair.central.identifier
        pair.bench.radio.airObserver = { packet in
            if packet.accessAddress != LL.advertisingAccessAddress, packet.sender == sender {
                starts.append(packet.start)
            }
        }
        pair.bench.run(for: .seconds(10))
        let first = try #require(starts.first)
        #expect(starts.count > 330)
        for (index, start) in starts.enumerated() {
            let expected = Int64(index) * 30_000_000 * 1_000_000 / Int64(1_000_000 + error)
            #expect(abs((start - first).nanoseconds - expected) <= 2, "\(index)")
        }
    }

    // MARK: Changes

    /// 20 ms / 1.0005 = 19.990005 ms.
    @Test func aChangeMovesTheEventsThatArePlanned() throws {
        let pair = try Pair()
        var starts: [Instant] = []
        let sender = pair.central.identifier
        pair.bench.radio.airObserver = { packet in
            if packet.accessAddress != LL.advertisingAccessAddress, packet.sender == sender {
                starts.append(packet.start)
            }
        }
        pair.bench.run(for: .milliseconds(510))
        let before = starts.count
        pair.setClock(of: pair.central, error: 500, .ppm500)
        pair.bench.run(for: .seconds(1))
        let gaps = zip(starts, starts.dropFirst()).map { ($1 - $0).nanoseconds }
        #expect(before > 20 && gaps.count > before + 40)
        #expect(gaps.prefix(before - 1).allSatisfy { $0 == 20_000_000 })
        // The clock became fast between two events.
        #expect(gaps[before - 1] < 20_000_000 && gaps[before - 1] > 19_990_006)
        #expect(gaps.dropFirst(before).allSatisfy { (19_990_004...19_990_006).contains($0) })
        #expect(pair.reasons.isEmpty)
    }

    /// The window that is planned begins 2 ms earlier: 500 ppm of 4 s.
    @Test(arguments: [Int16(500), -500]) func aChangeWidensTheWindowThatIsPlanned(error: Int16) throws {
        let pair = try Pair(interval: 3_200, timeout: 3_200)
        var answers = 0
        let sender = pair.peripheral.identifier
        pair.bench.radio.airObserver = { packet in
            if packet.accessAddress != LL.advertisingAccessAddress, packet.sender == sender { answers += 1 }
        }
        #expect(pair.bench.run(atMost: .seconds(20)) { answers >= 2 })
        pair.bench.run(for: .milliseconds(50))
        let before = answers
        pair.setClock(of: pair.peripheral, error: error, .ppm500)
        pair.bench.run(for: .milliseconds(4_100))
        #expect(answers > before)
    }

    /// Sleep Clock Accuracy Update (5.1.14). The clock begins to drift later.
    @Test(arguments: [true, false]) func aPeerLearnsAnotherAccuracyByTheProcedure(isTold: Bool) throws {
        let pair = try Pair(latency: 20)
        pair.setClock(of: pair.central, error: 0, .ppm500)
        if isTold { pair.central.send(HCI.LERequestPeerSCA(connectionHandle: pair.handles.central)) }
        pair.bench.run(for: .seconds(3))
        pair.setClock(of: pair.central, error: 500, .ppm500)
        pair.bench.run(for: .seconds(30))
        #expect(pair.reasons == (isTold ? [] : [.connectionTimeout, .connectionTimeout]))
    }

    @Test func eachSideReadsTheAccuracyOfTheOther() throws {
        let pair = try Pair(
            try #require(ClockSetting(error: 90)), try #require(ClockSetting(error: -21)), interval: 24)
        for (host, handle, accuracy) in [
            (pair.central, pair.handles.central, HCI.ClockAccuracy.ppm30),
            (pair.peripheral, pair.handles.peripheral, HCI.ClockAccuracy.ppm100),
        ] {
            host.send(HCI.LESetEventMask(mask: HCI.LEEventMask(rawValue: 0x7_FFFF_FFFF & ~(1 << 9))))
            host.send(HCI.LERequestPeerSCA(connectionHandle: handle))
            pair.bench.run(for: .milliseconds(300))
            #expect(host.all(HCI.LERequestPeerSCAComplete.self).map(\.clockAccuracy) == [accuracy])
        }
    }

    @Test func theCommandTakesWhatAClockCanHave() {
        let bench = Bench()
        let host = bench.addHost()
        let device = Int32(host.identifier.rawValue)
        let cases: [(error: Int16, accuracy: UInt8, status: HCI.ErrorCode)] = [
            (500, 0, .success), (-500, 7, .success), (0, 7, .success), (501, 0, .invalidHCICommandParameters),
            (-501, 0, .invalidHCICommandParameters), (.max, 0, .invalidHCICommandParameters),
            (.min, 0, .invalidHCICommandParameters), (0, 8, .invalidHCICommandParameters),
            (0, 0xFF, .invalidHCICommandParameters),
        ]
        for (error, accuracy, status) in cases {
            let command = HCI.VendorWriteSleepClock(error: error, accuracy: HCI.ClockAccuracy(rawValue: accuracy))
            #expect(host.status(bench, of: command) == status, "\(error), \(accuracy)")
        }
        for length: UInt8 in [0, 2, 4] {
            host.send(raw: [1, 0x80, 0xFC, length] + [UInt8](repeating: 0, count: Int(length)))
            bench.deliver()
            #expect(host.status(of: .vendorWriteSleepClock) == .invalidHCICommandParameters, "\(length)")
        }
        #expect(bench.radio.medium.clocks.isExact(device))
        // A reset changes no crystal.
        host.send(HCI.VendorWriteSleepClock(error: 40, accuracy: .ppm50))
        host.send(HCI.Reset())
        bench.deliver()
        #expect(host.status(of: .vendorWriteSleepClock) == .success && !bench.radio.medium.clocks.isExact(device))
        // The number of a removed controller may be used again.
        bench.radio.removeController(host.identifier, isReusable: true)
        #expect(bench.radio.medium.clocks.isEmpty)
    }
}
