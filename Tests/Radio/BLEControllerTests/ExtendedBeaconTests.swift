import BLEWire
import Testing

@testable import BLEController

/// Extended advertisers in the lane give the same run as with timers.
struct ExtendedBeaconTests {
    private typealias Way = BeaconEngineTests.Way

    private func bench(seed: UInt64, _ way: Way, isObserved: Bool = true) -> Bench {
        let bench = Bench(seed: seed)
        way.apply(to: bench.radio)
        if isObserved { bench.keepLog() }
        return bench
    }

    private func record(_ bench: Bench) -> [String] { bench.log + bench.hosts.map { "\($0.events)" } }

    /// Which sets need no timers.
    @Test func onlyADeviceWithOnePacketAfterTheAnnouncementsIsABeacon() {
        typealias Change = (inout HCI.LESetExtendedAdvertisingParameters) -> Void
        func isBeacon(
            _ properties: HCI.AdvertisingEventProperties = [], data: Int = 20, duration: UInt16 = 0, events: UInt8 = 0,
            _ change: @escaping Change = { _ in }
        ) -> Bool {
            let bench = bench(seed: 1, .oneThread, isObserved: false)
            let host = bench.addHost()
            #expect(
                host.advertiseExtended(
                    bench, properties, interval: 0x20, data: [UInt8](repeating: 1, count: data), enables: false, change)
                    == .success)
            host.enable(bench, duration: duration, events: events)
            bench.run(for: .milliseconds(200))
            return bench.radio.beaconCount == 1
        }
        #expect(isBeacon())
        #expect(isBeacon([.includesTxPower]))
        #expect(isBeacon([.anonymous], data: 0))
        #expect(isBeacon([.legacy]))
        #expect(isBeacon { $0.secondaryPHY = .le2M })
        #expect(isBeacon(data: 245))
        #expect(!isBeacon(data: 246))
        #expect(!isBeacon(data: 0))
        #expect(!isBeacon([.connectable]))
        #expect(!isBeacon([.scannable], data: 0))
        #expect(!isBeacon([.directed]) { $0.peerAddress = DeviceAddress(kind: .public, value: 1) })
        #expect(!isBeacon(duration: 1_000))
        #expect(!isBeacon(events: 200))
        #expect(!isBeacon { $0.secondaryPHY = .leCoded })
        #expect(!isBeacon { $0.primaryPHY = .leCoded })
    }

    @Test func aDeviceWithATrainOrTwoSetsIsNoBeacon() {
        let bench = bench(seed: 1, .oneThread, isObserved: false)
        let host = bench.addHost()
        host.advertisePeriodically(bench)
        bench.run(for: .milliseconds(200))
        #expect(bench.radio.beaconCount == 0)
        host.enablePeriodic(bench, 1, [])
        host.setData(bench, [2, 1, 6], handle: 1)
        bench.run(for: .milliseconds(200))
        #expect(bench.radio.beaconCount == 1)
        host.advertiseExtended(bench, [], handle: 2, data: [2, 1, 6])
        bench.run(for: .milliseconds(200))
        #expect(bench.radio.beaconCount == 0)
    }

    /// The host changes the data or the set in each part of an event.
    @Test(arguments: 0..<4 as Range<UInt64>)
    func aBeaconLeavesTheLaneInEachPartOfItsEvent(seed: UInt64) {
        func log(_ way: Way) -> [String] {
            let bench = bench(seed: seed, way)
            let host = bench.addHost()
            host.advertiseExtended(bench, [], interval: 0x20, data: [UInt8](repeating: 9, count: 100)) {
                $0.secondaryPHY = seed % 2 == 0 ? .le1M : .le2M
            }
            bench.addHost(at: RadioPosition(x: 10)).scanExtended(interval: 0x100, window: 0x100)
            var random = SeededRandom(seed: seed &+ 7)
            var inFlight: Set<UInt8> = []
            for number in 0..<1_000 {
                bench.run(for: .microseconds(20_000 + Int(random.next() % 12_000)))
                bench.radio.forEachTransmissionInFlight { inFlight.insert($0.channel < 37 ? 0 : $0.channel) }
                switch random.next() % 4 {
                case 0:
                    host.disable(bench)
                    host.enable(bench)
                case 1: bench.radio.move(host.identifier, to: RadioPosition(y: Double(random.next() % 20)))
                default: host.setData(bench, [UInt8](repeating: UInt8(number & 0xFF), count: 1 + number % 200))
                }
            }
            #expect(inFlight == [0, 37, 38, 39])
            return record(bench)
        }
        let expected = log(.timers)
        #expect(expected.count > 1_500)
        #expect(log(.oneThread) == expected)
    }

    /// Scanners follow pointers all the time, and most packets collide.
    @Test(arguments: 0..<4 as Range<UInt64>)
    func scannersInACrowdFollowTheSamePointers(seed: UInt64) {
        func log(_ way: Way) -> [String] {
            let bench = bench(seed: seed, way, isObserved: false)
            func place(_ number: Int) -> RadioPosition {
                RadioPosition(x: Double(number * 37 % 100), y: Double(number * 61 % 90))
            }
            for number in 0..<120 {
                let host = bench.addHost(at: place(number)) { $0.transmitPower = Int8(-20 + number % 3 * 10) }
                host.advertiseExtended(
                    bench, [], interval: 0x20, data: [UInt8](repeating: UInt8(number), count: 1 + number)
                ) { $0.secondaryPHY = number % 2 == 0 ? .le1M : .le2M }
            }
            for number in 0..<10 {
                bench.addHost(at: place(number)).scanExtended(
                    number % 2 == 0 ? .active : .passive, on: number < 8 ? .le1M : [.le1M, .leCoded], interval: 0x40,
                    window: number % 3 == 0 ? 0x40 : 0x18)
            }
            // They are scannable, so the active ones await answers too.
            for number in 0..<6 {
                let host = bench.addHost(at: place(number))
                host.advertiseExtended(bench, .scannable, interval: 0x20, response: [1, 2, 3])
            }
            bench.run(for: .milliseconds(400))
            #expect(way == .timers || bench.radio.beaconCount == 120)
            #expect(bench.hosts[120...].prefix(10).reduce(0) { $0 + $1.extendedReports.count } > 300)
            return record(bench)
        }
        let expected = log(.timers)
        for way in Way.allCases.dropFirst() { #expect(log(way) == expected, "\(way)") }
    }

    /// AUX_ADV_INDs interfere with the data channels of a link, and its packets with them. Long packets on Coded, also on primary channels, overlap
    /// those that ended in the slice before.
    @Test(arguments: [true, false]) func beaconsInterfereWithLinksAndLongPackets(isObserved: Bool) throws {
        func log(_ way: Way, beacons: Int = 150) throws -> (lines: [String], lost: Int) {
            let bench = bench(seed: 5, way, isObserved: isObserved)
            var lost = 0
            if isObserved {
                let log = bench.radio.airObserver
                bench.radio.airObserver = { packet in
                    log?(packet)
                    let isOfOthers = packet.accessAddress != LL.advertisingAccessAddress || packet.phy.isCoded
                    if isOfOthers { lost += packet.receptions.count { $0.outcome != .received } }
                }
            }
            let (central, peripheral) = (bench.addHost(), bench.addHost(at: RadioPosition(x: 10)))
            let link = try #require(bench.connect(central, peripheral, interval: 6))
            let coded = (0..<3).map { bench.addHost(at: RadioPosition(x: Double($0), y: 10)) }
            for host in coded {
                host.advertiseExtended(bench, [], interval: 0x40, data: [UInt8](repeating: 3, count: 230)) {
                    ($0.primaryPHY, $0.secondaryPHY) = (.leCoded, .leCoded)
                }
            }
            bench.addHost(at: RadioPosition(y: 30)).scanExtended(on: .leCoded)
            bench.addHost(at: RadioPosition(y: 20)).scanExtended()
            for number in 0..<beacons {
                bench.addHost(at: RadioPosition(x: Double(number % 10), y: Double(number / 10))).advertiseExtended(
                    bench, [], interval: 0x20, data: [UInt8](repeating: UInt8(number), count: 1 + number % 240))
            }
            central.flood = RawHost.packet([UInt8](repeating: 5, count: 27), handle: link.central)
            central.pump()
            bench.run(for: .milliseconds(600))
            #expect(way == .timers || bench.radio.beaconCount == beacons)
            return (record(bench), lost)
        }
        let expected = try log(.timers)
        #expect(try expected.lost > log(.timers, beacons: 0).lost + 100 || !isObserved)
        #expect(try log(.oneThread).lines == expected.lines)
        #expect(try log(.twoThreads).lines == expected.lines)
    }
}
