import BLEWire
import Testing

@testable import BLEController

/// Single cases in which a lane could differ from timers.
struct BeaconEngineCaseTests {
    private typealias Way = BeaconEngineTests.Way

    private func bench(seed: UInt64, _ way: Way) -> Bench {
        let bench = Bench(seed: seed)
        way.apply(to: bench.radio)
        bench.keepLog()
        return bench
    }

    /// What the air and the hosts of a bench saw.
    private func record(_ bench: Bench) -> [String] { bench.log + bench.hosts.map { "\($0.events)" } }

    @Test(arguments: 0..<8 as Range<UInt64>)
    func aBeaconThatLeavesBeforeItsEventHidesNoInterference(seed: UInt64) {
        func log(_ way: Way) -> [String] {
            let bench = bench(seed: seed, way)
            let rare = (0..<2).map { _ in
                let host = bench.addHost()
                host.advertise(.nonconnectableUndirected, interval: 0x4000)
                bench.run(for: .milliseconds(50))
                return host
            }
            // Its next event, and nothing else, is 10 s ahead.
            rare[0].send(HCI.LESetAdvertisingEnable(enable: false))
            bench.deliver()
            bench.run(for: .milliseconds(1))
            bench.addHost(at: RadioPosition(x: 10)).scan(.passive)
            for _ in 0..<200 { bench.addHost().advertise(.nonconnectableUndirected, interval: 0x20) }
            bench.run(for: .milliseconds(200))
            #expect(way == .timers || bench.radio.storedBeaconTransmissions < 3_000)
            return record(bench)
        }
        let expected = log(.timers)
        #expect(expected.count > 5_000)
        #expect(log(.oneThread) == expected)
    }

    /// The long data of a beacon that enters the lane overlap short packets that ended before the lane's first long packet.
    @Test(arguments: 0..<4 as Range<UInt64>)
    func theFirstLongPacketOfALaneOverlapsEndedPackets(seed: UInt64) {
        func log(_ way: Way) -> [String] {
            let bench = bench(seed: seed, way)
            bench.addHost(at: RadioPosition(x: 10)).scan(.passive)
            for number in 0..<30 {
                let host = bench.addHost(at: RadioPosition(x: Double(number)))
                host.advertise(.scannableUndirected, interval: 0x20, data: [], response: [])
            }
            let beacons = (0..<10).map { _ in
                let host = bench.addHost()
                host.send(
                    HCI.LESetAdvertisingParameters(
                        intervalMinimum: 0x20, intervalMaximum: 0x20, advertisingType: .nonconnectableUndirected,
                        ownAddressType: .random, channelMap: HCI.AdvertisingChannelMap(rawValue: 1)))
                host.send(HCI.LESetAdvertisingEnable(enable: true))
                return host
            }
            // The host changes the data during the only packet of an event, after which the beacon enters the lane.
            let data = [UInt8](repeating: 1, count: 31)
            for beacon in beacons {
                func isSending() -> Bool {
                    var result = false
                    bench.radio.forEachTransmissionInFlight { result = result || $0.sender == beacon.identifier }
                    return result
                }
                // The steps have equal lengths, because a lane has other deadlines.
                var steps = 0
                while !isSending(), steps < 1_000 {
                    bench.run(for: .microseconds(50))
                    steps += 1
                }
                #expect(steps < 1_000)
                if let data = HCI.AdvertisingData(data.span) { beacon.send(HCI.LESetAdvertisingData(data: data)) }
                bench.deliver()
            }
            bench.run(for: .milliseconds(300))
            return record(bench)
        }
        let expected = log(.timers)
        #expect(expected.count > 1_000)
        #expect(log(.oneThread) == expected)
    }

    /// Advertisers that wait for answers, active scanners and initiators receive beacons in place of the answers, in several cells.
    @Test(arguments: 0..<4 as Range<UInt64>)
    func devicesThatAwaitAnswersReceiveTheSameBeacons(seed: UInt64) {
        func log(_ way: Way) -> [String] {
            let bench = bench(seed: seed, way)
            // Powers of -20 dBm reach some 25 m.
            func place(_ number: Int) -> RadioPosition {
                RadioPosition(x: Double(number * 37 % 100), y: Double(number * 61 % 90))
            }
            func add(_ number: Int) -> RawHost { bench.addHost(at: place(number)) { $0.transmitPower = -20 } }
            for number in 0..<80 { add(number).advertise(.nonconnectableUndirected, interval: 0x20) }
            for number in 0..<10 { add(number).advertise(.scannableUndirected, interval: 0x20) }
            for number in 10..<20 { add(number).scan(.active, interval: 0x20, window: UInt16(0x10 + number % 17)) }
            let peripherals = (0..<5).map { add(100 + $0) }
            for (number, peripheral) in peripherals.enumerated() {
                peripheral.advertise(interval: 0x20)
                add(100 + number).connect(to: peripheral.address, interval: 6)
            }
            bench.run(for: .milliseconds(700))
            #expect(way == .timers || bench.radio.beaconCount == 80)
            return record(bench)
        }
        let expected = log(.timers)
        #expect(expected.count > 2_000)
        for way in Way.allCases.dropFirst() { #expect(log(way) == expected, "\(way)") }
    }

    /// A new device with the number of a removed one receives each packet once.
    @Test func aReusedNumberGetsNoReceptionsOfTheRemovedDevice() {
        func log(_ way: Way) -> [String] {
            let bench = bench(seed: 9, way)
            for number in 0..<30 {
                bench.addHost(at: RadioPosition(x: Double(number))).advertise(.nonconnectableUndirected, interval: 0x20)
            }
            bench.run(for: .milliseconds(100))
            for _ in 0..<50 {
                let scanner = bench.addHost(at: RadioPosition(x: 5))
                scanner.scan(.passive)
                bench.deliver()
                let next = bench.radio.now + .microseconds(1_700)
                bench.run(until: next)
                bench.radio.removeController(scanner.identifier, isReusable: true)
                bench.hosts.removeLast()
                // The second one listens at the same moment as a device that is removed at once.
                let gone = bench.addHost()
                gone.scan(.passive)
                bench.deliver()
                bench.radio.removeController(gone.identifier, isReusable: true)
                bench.hosts.removeLast()
                let other = bench.addHost(at: RadioPosition(x: 20))
                other.scan(.passive)
                bench.run(for: .microseconds(900))
                bench.radio.removeController(other.identifier, isReusable: true)
                bench.hosts.removeLast()
                bench.log.append("\(other.events)")
            }
            return record(bench)
        }
        let expected = log(.timers)
        #expect(expected.count > 300)
        for way in Way.allCases.dropFirst() { #expect(log(way) == expected, "\(way)") }
    }

    /// A radio gets a lane with its 256th device, and keeps the beacons in it when others leave.
    @Test func theRunDoesNotDependOnTheNumberOfDevicesAtWhichTheLaneBegins() {
        func log(minimum: Int?) -> [String] {
            let bench = bench(seed: 5, .oneThread)
            if let minimum { bench.radio.minimumLaneDevices = minimum } else { bench.radio.minimumLaneDevices = 256 }
            func add(_ count: Int) -> [RawHost] {
                (0..<count).map { _ in
                    let host = bench.addHost(at: RadioPosition(x: Double(bench.hosts.count % 100)))
                    host.advertise(.nonconnectableUndirected, interval: 0x40)
                    return host
                }
            }
            bench.addHost().scan(.passive)
            for host in add(250) { bench.radio.removeController(host.identifier) }
            var present = add(10)
            bench.run(for: .milliseconds(100))
            // Removed devices do not count.
            #expect(bench.radio.beaconCount == 0)
            present += add(245)
            bench.run(for: .milliseconds(100))
            #expect((bench.radio.beaconCount > 0) == (minimum == nil))
            for host in present.dropFirst(200) { bench.radio.removeController(host.identifier, isReusable: true) }
            bench.run(for: .milliseconds(100))
            _ = add(20)
            bench.run(for: .milliseconds(100))
            return record(bench)
        }
        let expected = log(minimum: .max)
        #expect(expected.count > 2_000)
        #expect(log(minimum: nil) == expected)
    }

    /// The longest interval is 10.24 s and 10 ms of delay. The events of such beacons come and go with those of a faster one, and alone.
    @Test(arguments: [0x20, nil] as [UInt16?]) func aBeaconWithTheLongestIntervalKeepsItsEvents(faster: UInt16?) {
        func log(_ way: Way) -> [String] {
            let bench = bench(seed: 10, way)
            for _ in 0..<4 {
                bench.addHost().advertise(.nonconnectableUndirected, interval: 0x4000)
                bench.run(for: .milliseconds(1_700))
            }
            if let faster { bench.addHost().advertise(.nonconnectableUndirected, interval: faster) }
            let scanner = bench.addHost(at: RadioPosition(x: 10))
            scanner.scan(.passive, interval: 0x100, window: 0x100)
            bench.run(for: .seconds(33))
            // A host changes the data long before the next event.
            for round in 0..<3 {
                for host in bench.hosts.prefix(4) { host.send(HCI.LESetAdvertisingData(data: HCI.AdvertisingData())) }
                bench.deliver()
                bench.run(for: .milliseconds(3_000 + 100 * round))
            }
            bench.run(for: .seconds(12))
            #expect(scanner.reports.count { $0.address == bench.hosts[0].address.value } > 1)
            return record(bench)
        }
        let expected = log(.timers)
        // Four beacons with at least three events of three packets.
        #expect(expected.count > 36)
        #expect(log(.oneThread) == expected)
    }

    /// The storage of a lane depends on the number of its devices, and not on the time.
    @Test func aLaneKeepsTheReceptionsOfOneSlice() {
        let bench = Bench(seed: 11)
        Way.oneThread.apply(to: bench.radio)
        for number in 0..<40 {
            bench.addHost(at: RadioPosition(x: Double(number))).advertise(.nonconnectableUndirected, interval: 0x20)
        }
        for _ in 0..<3 { bench.addHost().scan(.passive) }
        for _ in 0..<6 {
            bench.run(for: .milliseconds(500))
            #expect(bench.radio.beaconCount == 40)
            // Three scanners of one channel each, and one event of a beacon in 20 ms.
            #expect(bench.radio.medium.lane.receptions.count <= 3 * 40)
            #expect(bench.radio.storedBeaconTransmissions <= 2 * 3 * 40)
        }
    }

    /// One call that advances the time by a second gives the same run as many short ones.
    @Test(arguments: [1, 300] as [Int64]) func theLengthOfAStepDoesNotChangeTheRun(milliseconds: Int64) {
        func log(_ way: Way, step: Int64?) -> [String] {
            let bench = bench(seed: 6, way)
            for number in 0..<30 {
                bench.addHost(at: RadioPosition(x: Double(number))).advertise(.nonconnectableUndirected, interval: 0x30)
            }
            bench.addHost().scan(.passive, interval: 0x20, window: 0x10)
            bench.run(for: .milliseconds(100))
            let end = bench.radio.now + .milliseconds(900)
            if let step {
                while bench.radio.now < end {
                    bench.radio.advance(to: bench.radio.now + .milliseconds(Int(step)))
                    bench.deliver()
                }
            } else {
                bench.run(until: end)
            }
            return record(bench)
        }
        let expected = log(.timers, step: nil)
        #expect(expected.count > 1_000)
        #expect(log(.oneThread, step: milliseconds) == expected)
    }

    /// A test that changes the octets of packets changes those of beacons, and an observer may come and go.
    @Test func tamperingAndObserversFindThePacketsOfBeacons() {
        func log(_ way: Way) -> [String] {
            let bench = bench(seed: 7, way)
            for number in 0..<20 {
                bench.addHost(at: RadioPosition(x: Double(number))).advertise(.nonconnectableUndirected, interval: 0x30)
            }
            bench.addHost().scan(.passive)
            bench.run(for: .milliseconds(100))
            let observer = bench.radio.airObserver
            bench.radio.airObserver = nil
            bench.run(for: .microseconds(50_100))
            bench.radio.airObserver = observer
            bench.run(for: .milliseconds(50))
            bench.radio.tamper = { $0[$0.count - 1] ^= 0xFF }
            bench.run(for: .milliseconds(50))
            bench.radio.airObserver = nil
            bench.run(for: .milliseconds(50))
            bench.radio.tamper = nil
            bench.run(for: .milliseconds(50))
            return record(bench)
        }
        let expected = log(.timers)
        #expect(expected.count > 200)
        for way in Way.allCases.dropFirst() { #expect(log(way) == expected, "\(way)") }
    }

    /// Only a device that scans or initiates ends the quiet of a radio with beacons.
    @Test func beaconsInTheLaneAreQuietUntilADeviceListens() throws {
        let bench = bench(seed: 8, .oneThread)
        bench.addHost().advertise(.nonconnectableUndirected, interval: 0x20)
        let scanner = bench.addHost()
        bench.run(for: .seconds(1))
        #expect(bench.radio.beaconCount == 1)
        #expect(bench.radio.quietUntil == Instant(nanoseconds: .max))
        scanner.scan()
        bench.deliver()
        #expect(bench.radio.quietUntil == nil)
        #expect(bench.run(atMost: .seconds(1)) { !scanner.reports.isEmpty })
    }

    /// Beacons of several cells collide at a scanner near the corner of the cells.
    @Test(arguments: 0..<3 as Range<UInt64>) func beaconsOfSeveralCellsCollide(seed: UInt64) {
        func log(_ way: Way) -> [String] {
            let bench = bench(seed: seed, way)
            var random = SeededRandom(seed: seed &+ 50)
            // A power of -20 dBm reaches 10^(41 / 25) m, which is the width of a cell.
            let width = 43.65
            for _ in 0..<90 {
                let place = RadioPosition(
                    x: width - 15 + Double(random.next() % 300) / 10, y: width - 15 + Double(random.next() % 300) / 10)
                bench.addHost(at: place) { $0.transmitPower = -20 }.advertise(.nonconnectableUndirected, interval: 0x20)
            }
            for offset in [-1.0, 1] {
                bench.addHost(at: RadioPosition(x: width + offset, y: width + offset)) { $0.transmitPower = -20 }
                    .scan(.passive, interval: 0x4000, window: 0x4000)
            }
            bench.run(for: .milliseconds(200))
            let observer = bench.radio.airObserver
            bench.radio.airObserver = nil
            bench.run(for: .milliseconds(200))
            bench.radio.airObserver = observer
            #expect(way == .timers || bench.radio.beaconCount == 90)
            return record(bench)
        }
        let expected = log(.timers)
        #expect(expected.count > 1_000)
        for way in Way.allCases.dropFirst() { #expect(log(way) == expected, "\(way)") }
    }
}
