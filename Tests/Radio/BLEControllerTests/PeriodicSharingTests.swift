import BLEWire
import Testing

@testable import BLEController

/// Trains share the radio of their controllers with links, sets, scanners and each other (Documentation/Internals/Radio.md).
struct PeriodicSharingTests {
    private let bench = Bench()
    private let advertiser: RawHost
    private let scanner: RawHost

    init() {
        advertiser = bench.addHost()
        scanner = bench.addHost()
    }

    private func octets(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) } }

    private func synchronize(_ handle: UInt8 = 1, timeout: UInt16 = 300) {
        let before = scanner.established.count
        #expect(scanner.createSync(bench, with: advertiser, setID: handle, timeout: timeout) == .success)
        #expect(bench.run(atMost: .seconds(20)) { scanner.established.count > before })
        #expect(scanner.established.last?.status == .success)
    }

    private func connect(_ central: RawHost, _ peripheral: RawHost, interval: UInt16) {
        peripheral.advertiseExtended(bench, .connectable, handle: 0)
        let before = central.connections.count
        central.connectExtended(to: peripheral.address, interval: interval)
        #expect(bench.run(atMost: .seconds(5)) { central.connections.count > before })
    }

    /// A link of either controller and a train of the same or a multiple of its interval: neither starves the other.
    @Test(arguments: [true, false], [(6, 20), (16, 20), (80, 20), (6, 1_650), (80, 1_650)] as [(UInt16, Int)])
    func aLinkAndATrainShareTheRadio(isSender: Bool, size: (interval: UInt16, count: Int)) {
        let (interval, count) = size
        advertiser.advertisePeriodically(bench, interval: 80, data: octets(count))
        scanner.scanExtended()
        synchronize()
        scanner.send(HCI.LESetExtendedScanEnable(enable: false))
        let peer = bench.addHost()
        connect(isSender ? advertiser : peer, isSender ? peer : scanner, interval: interval)
        bench.run(for: .seconds(1))
        scanner.events.removeAll()
        bench.run(for: .seconds(10))
        let reports = scanner.periodicReports
        #expect(reports.count >= 40, "\(reports.count)")
        #expect(reports.contains { $0.data == octets(count) })
        for host in bench.hosts { #expect(host.disconnections.isEmpty) }
        #expect(scanner.lostSyncs.isEmpty)
    }

    /// Two trains of the same interval that overlap all the time take turns.
    @Test func overlappingTrainsTakeTurns() {
        for handle in 1...4 as ClosedRange<UInt8> {
            advertiser.advertisePeriodically(bench, handle: handle, interval: 16, data: octets(1_000))
        }
        let ear = AirEar(bench, of: advertiser)
        bench.run(for: .seconds(10))
        // 500 intervals, of which two events of 8.7 ms fit at most each.
        #expect(ear.trains.count == 4)
        for events in ear.trains.values { #expect(events.count >= 60, "\(events.count)") }
    }

    /// A receiver of overlapping trains receives each of them.
    @Test func overlappingTrainsAreReceivedInTurns() {
        let others = (0..<3).map { _ in bench.addHost() }
        for host in others { host.advertisePeriodically(bench, interval: 16, data: octets(1_000)) }
        scanner.scanExtended()
        for host in others {
            let before = scanner.established.count
            #expect(scanner.createSync(bench, with: host, timeout: 300) == .success)
            #expect(bench.run(atMost: .seconds(20)) { scanner.established.count > before })
        }
        scanner.events.removeAll()
        bench.run(for: .seconds(10))
        let counts = Dictionary(grouping: scanner.periodicReports, by: \.handle).mapValues(\.count)
        #expect(counts.count == 3 && counts.values.allSatisfy { $0 >= 60 }, "\(counts)")
        #expect(scanner.lostSyncs.isEmpty)
    }

    /// Sixteen sets, two of them with trains, a link, and a scan together: each goes on.
    @Test func allActivitiesGoOn() {
        let peer = bench.addHost()
        connect(advertiser, peer, interval: 24)
        for handle in UInt8(1)..<16 {
            if handle <= 2 {
                advertiser.advertisePeriodically(
                    bench, handle: handle, interval: 80, data: octets(500), advertisingInterval: 0xA0)
            } else {
                advertiser.advertiseExtended(bench, [], handle: handle, interval: 0xA0, data: octets(200))
            }
        }
        advertiser.scanExtended()
        let beacon = bench.addHost()
        beacon.advertiseExtended(bench, [], handle: 3, interval: 0x50, data: [1, 2, 3])
        scanner.scanExtended()
        synchronize(1)
        synchronize(2)
        let ear = AirEar(bench, of: advertiser)
        scanner.events.removeAll()
        advertiser.events.removeAll()
        bench.run(for: .seconds(20))
        var counts: [UInt8: Int] = [:]
        for packet in ear.packets where packet.channel == 37 {
            let octets = packet.octets
            guard case .extended(_, let payload)? = try? LL.AdvertisingPDU(decoding: octets.span) else { continue }
            if let info = payload.dataInfo { counts[info.setID, default: 0] += 1 }
        }
        #expect(counts.count == 15 && counts.values.allSatisfy { $0 >= 30 }, "\(counts)")
        #expect(advertiser.disconnections.isEmpty && peer.disconnections.isEmpty)
        #expect(advertiser.extendedReports.count > 20, "\(advertiser.extendedReports.count)")
        let reports = Dictionary(grouping: scanner.periodicReports, by: \.handle).mapValues(\.count)
        #expect(reports.count == 2 && reports.values.allSatisfy { $0 >= 50 }, "\(reports)")
        #expect(scanner.lostSyncs.isEmpty)
    }

    /// A set whose events are longer than the interval of the train is sent as well.
    @Test func aLongSetBesideAShortTrain() {
        advertiser.advertisePeriodically(bench, interval: 6, data: [1])
        advertiser.advertiseExtended(bench, [], handle: 2, interval: 0xA0, data: octets(1_650))
        advertiser.advertiseExtended(bench, [.connectable, .scannable, .legacy], handle: 3, interval: 0xA0)
        let air = AirRecord(bench)
        scanner.scanExtended()
        bench.run(for: .seconds(10))
        #expect(scanner.extendedReports.contains { $0.sid == 2 && $0.status == 0 })
        #expect(air.packets.count { $0.type == .advInd } >= 150)
        // The train loses events for them, not all.
        #expect(air.others >= 900)
    }

    /// A set that waits for the end of a train's event is sent, also if events owe the scanner time at that end.
    @Test(arguments: [300, 1_650]) func aSetGoesOnBesideItsTrainAndAScan(count: Int) {
        advertiser.advertisePeriodically(bench, interval: 24, data: octets(count), advertisingInterval: 0x28)
        advertiser.scanExtended()
        let air = AirRecord(bench)
        for _ in 0..<10 {
            air.removeAll()
            let before = air.others
            bench.run(for: .seconds(5))
            #expect(air.primary.count >= 60 && air.others - before >= 60)
        }
    }

    /// The same seed gives the same run.
    @Test func runsRepeat() {
        func log() -> [String] {
            let bench = Bench(seed: 9)
            let (sender, receiver) = (bench.addHost(), bench.addHost())
            bench.keepLog()
            sender.advertisePeriodically(bench, data: octets(600))
            receiver.scanExtended()
            receiver.createSync(bench, with: sender)
            bench.run(for: .seconds(3))
            return bench.log
        }
        let first = log()
        #expect(first.count > 100 && first == log())
    }
}
