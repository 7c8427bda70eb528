import BLEWire
import Dispatch
import Testing

@testable import BLEController

/// Beacons without timers give the same run as beacons with timers, to the bit, on any number of threads.
struct BeaconEngineTests {
    /// How the radio computes: without a lane, or with one and this number of threads.
    enum Way: CaseIterable {
        case timers, oneThread, twoThreads, fourThreads

        func apply(to radio: VirtualRadio) {
            radio.minimumLaneDevices = self == .timers ? .max : 1
            let count = self == .twoThreads ? 2 : self == .fourThreads ? 4 : 1
            radio.threads = BeaconThreads(count: count) { parts, body in
                DispatchQueue.concurrentPerform(iterations: parts, execute: body)
            }
            radio.threads.minimumWork = 1
        }
    }

    private struct Run {
        var air: [String]
        var events: [[[UInt8]]]
        var inFlight: [String]
        /// The number of beacons without timers at the end.
        var beaconCount = 0

        /// The first difference; nil for equal runs.
        func difference(from other: Run) -> String? {
            for (one, other) in [(air, other.air), (inFlight, other.inFlight)] {
                for (first, second) in zip(one, other) where first != second { return "\(first) | \(second)" }
                if one.count != other.count { return "\(one.count) and \(other.count) lines" }
            }
            return events == other.events ? nil : "other events of a host"
        }
    }

    /// A square with beacons, scannable advertisers, scanners, links and walls, in which something changes at random times.
    private final class Square {
        let bench: Bench
        var random: SeededRandom
        var present: [RawHost] = []
        var run = Run(air: [], events: [], inFlight: [])
        /// Whether two of three devices have extended advertising and scanning.
        let isExtended: Bool

        init(seed: UInt64, _ way: Way, isExtended: Bool = false, isObserved: Bool = true) {
            random = SeededRandom(seed: seed &+ 1000)
            bench = Bench(seed: seed, configuration: Self.environment(&random))
            self.isExtended = isExtended
            way.apply(to: bench.radio)
            if isObserved { bench.keepLog() }
        }

        /// A host uses the legacy commands, or the extended ones.
        func isExtended(_ host: RawHost) -> Bool { isExtended && host.identifier.rawValue % 3 != 0 }

        static func environment(_ random: inout SeededRandom) -> RadioConfiguration {
            var configuration = RadioConfiguration()
            configuration.pathLossExponent = [2.5, 2.7, 3, 3.5][Int(random.next() % 4)]
            if random.next() % 4 == 0 { configuration.fading = 3 }
            if random.next() % 3 == 0 { configuration.loss = 0.1 }
            if random.next() % 2 == 0 {
                configuration.walls = [
                    RadioWall(from: RadioPosition(x: 50), to: RadioPosition(x: 50, y: 100), attenuation: 10)
                ]
            }
            return configuration
        }

        func below(_ limit: Int) -> Int { Int(random.next() % UInt64(limit)) }
        func place() -> RadioPosition { RadioPosition(x: Double(below(2000)) / 10, y: Double(below(2000)) / 10) }

        func addBeacon() {
            let host = bench.addHost(at: place()) { $0.transmitPower = Int8([-20, -6, 0, 8][self.below(4)]) }
            present.append(host)
            advertise(host)
        }

        func advertise(_ host: RawHost) {
            if isExtended(host) { return advertiseExtended(host) }
            host.send(HCI.LESetAdvertisingEnable(enable: false))
            host.send(
                HCI.LESetAdvertisingParameters(
                    intervalMinimum: 0x20 + UInt16(below(200)), intervalMaximum: 0x200,
                    advertisingType: .nonconnectableUndirected, ownAddressType: .random,
                    channelMap: HCI.AdvertisingChannelMap(rawValue: UInt8(1 + below(7)))))
            setData(host)
            host.send(HCI.LESetAdvertisingEnable(enable: true))
        }

        func advertiseExtended(_ host: RawHost) {
            host.disable(bench)
            // Most are beacons. Others have an answer, a chain, or a packet on Coded.
            let properties: [HCI.AdvertisingEventProperties] = [[], [], [], .anonymous, .includesTxPower, .scannable]
            let property = properties[below(properties.count)]
            host.advertiseExtended(
                bench, property, interval: 0x20 + UInt32(below(200)),
                data: property == .scannable ? [] : [UInt8](repeating: UInt8(below(256)), count: below(280)),
                response: property == .scannable ? [1, 2, 3] : [], enables: false
            ) {
                $0.primaryChannelMap = HCI.AdvertisingChannelMap(rawValue: UInt8(1 + self.below(7)))
                $0.secondaryPHY = [.le1M, .le2M, .le1M, .le2M, .leCoded][self.below(5)]
                if self.below(6) == 0 { $0.primaryPHY = .leCoded }
            }
            host.enable(bench)
        }

        func scan(_ host: RawHost, _ type: HCI.ScanType, window: UInt16) {
            guard isExtended(host) else { return host.scan(type, interval: 0x20, window: window) }
            let phys: [HCI.PHYMask] = [.le1M, .le1M, .leCoded, [.le1M, .leCoded]]
            host.scanExtended(type, on: phys[below(phys.count)], interval: 0x20, window: window)
        }

        func setData(_ host: RawHost) {
            if isExtended(host) {
                host.setData(bench, [UInt8](repeating: UInt8(below(256)), count: below(200)))
                return
            }
            let data = [UInt8](repeating: UInt8(below(256)), count: below(32))
            if let data = HCI.AdvertisingData(data.span) { host.send(HCI.LESetAdvertisingData(data: data)) }
        }

        func change() {
            let host = present[below(present.count)]
            switch below(11) {
            case 0...2: bench.radio.move(host.identifier, to: place())
            case 3:
                if isExtended(host) {
                    host.disable(bench)
                } else {
                    host.send(HCI.LESetAdvertisingEnable(enable: false))
                }
            case 4: advertise(host)
            case 5: setData(host)
            case 6: bench.radio.setLoss(Double(below(5)) / 10, of: host.identifier)
            case 7: scan(host, .active, window: 0x10)
            case 8 where isExtended(host): host.send(HCI.LESetExtendedScanEnable(enable: false))
            case 8: host.send(HCI.LESetScanEnable(enable: false, filterDuplicates: false))
            case 9:
                // The power is cut in the middle of whatever the device does.
                bench.radio.removeController(host.identifier)
                present.removeAll { $0 === host }
                addBeacon()
            default: bench.radio.configuration = Self.environment(&random)
            }
            bench.deliver()
        }

        func live(changes: Int) -> Run {
            for _ in 0..<40 { addBeacon() }
            for number in 0..<6 {
                scan(bench.addHost(at: place()), number % 2 == 0 ? .active : .passive, window: 0x18)
            }
            for _ in 0..<4 { bench.addHost(at: place()).advertise(.scannableUndirected, interval: 0x20) }
            let (central, peripheral) = (bench.addHost(at: place()), bench.addHost(at: place()))
            peripheral.advertise(interval: 0x20)
            central.connect(to: peripheral.address, interval: 6)
            for _ in 0..<changes {
                let now = bench.radio.now.nanoseconds
                var time = now + Int64(below(12_000_000))
                // Half of the changes are at the edge of a slice, or next to it.
                if below(2) == 0 { time = max(now, (time >> 21) << 21 + Int64(below(3)) - 1) }
                bench.run(until: Instant(nanoseconds: time))
                var line = "\(time):"
                bench.radio.forEachTransmissionInFlight { line += " \($0.sender.rawValue)/\($0.channel)" }
                run.inFlight.append(line)
                change()
            }
            bench.run(for: .milliseconds(200))
            run.air = bench.log
            run.events = bench.hosts.map(\.events)
            run.beaconCount = bench.radio.beaconCount
            return run
        }
    }

    @Test(arguments: 0..<6 as Range<UInt64>)
    func beaconsWithoutTimersGiveTheSameRunOnAnyNumberOfThreads(seed: UInt64) {
        let expected = Square(seed: seed, .timers).live(changes: 150)
        #expect(expected.air.count > 1_000)
        #expect(expected.beaconCount == 0)
        for way in Way.allCases.dropFirst() {
            let run = Square(seed: seed, way).live(changes: 150)
            #expect(run.beaconCount > 10, "\(way)")
            #expect(run.difference(from: expected) == nil, "\(way)")
        }
    }

    /// The devices' own events show what an observer of the air would change.
    @Test(arguments: 0..<8 as Range<UInt64>)
    func extendedBeaconsWithoutTimersGiveTheSameRun(seed: UInt64) {
        func run(_ way: Way) -> Run {
            Square(seed: seed, way, isExtended: true, isObserved: seed % 2 == 0).live(changes: 150)
        }
        let expected = run(.timers)
        #expect(expected.air.count > 1_000 || seed % 2 == 1)
        #expect(expected.events.joined().count { $0[0] == 0x3E && $0[2] == 0x0D } > 50)
        for way in Way.allCases.dropFirst() {
            let run = run(way)
            #expect(run.beaconCount > 10, "\(way)")
            #expect(run.difference(from: expected) == nil, "\(way)")
        }
    }

    /// A slice may be prepared long before its time, if beacons are rare. One that is added meanwhile comes first.
    @Test func anEarlierBeaconIsNotMissed() {
        func log(_ way: Way) -> [String] {
            let bench = Bench(seed: 3)
            way.apply(to: bench.radio)
            bench.keepLog()
            bench.addHost().advertise(.nonconnectableUndirected, interval: 0x4000)
            bench.run(for: .milliseconds(100))
            bench.addHost().advertise(.nonconnectableUndirected, interval: 0x20)
            bench.addHost().scan(.passive)
            bench.run(for: .seconds(25))
            return bench.log
        }
        let expected = log(.timers)
        #expect(expected.count > 3 * 25_000 / 31)
        #expect(log(.oneThread) == expected)
    }

    /// Packets of beacons collide. A crowd at one place loses most of them.
    @Test func beaconsInterfere() {
        func received(_ count: Int) -> Double {
            let bench = Bench(seed: 4)
            Way.twoThreads.apply(to: bench.radio)
            for _ in 0..<count { bench.addHost().advertise(.nonconnectableUndirected, interval: 0x20) }
            bench.addHost(at: RadioPosition(x: 10)).scan(.passive)
            var (ends, receptions) = (0, 0)
            bench.radio.airObserver = { packet in
                ends += packet.receptions.count
                receptions += packet.receptions.count { $0.outcome == .received }
            }
            bench.run(for: .seconds(2))
            return Double(receptions) / Double(max(1, ends))
        }
        #expect(received(2) > 0.9)
        #expect(received(150) < 0.2)
    }
}
