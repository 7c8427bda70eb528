import Foundation
import Testing

@testable import BLEBeacons

/// The state of a scanner without a radio.
@Suite struct BeaconScanTests {
    private let uuid = UUID()
    private var region: BeaconRegion { BeaconRegion(uuid: uuid) }

    private func beacon(_ minor: UInt16, power: Int8 = -59) -> IBeacon {
        IBeacon(uuid: uuid, major: 1, minor: minor, measuredPower: power)
    }

    private func scan(monitors: [BeaconRegion] = [], ranges: [BeaconRegion] = []) -> BeaconScan {
        var scan = BeaconScan()
        for region in monitors { scan.startMonitoring(region, at: .zero) }
        for region in ranges { scan.startRanging(region, at: .zero) }
        scan.setAvailable(true, at: .zero)
        #expect(scan.takeEvent() == .available)
        return scan
    }

    private func events(_ scan: inout BeaconScan) -> [BeaconScan.Event] {
        var events: [BeaconScan.Event] = []
        while let event = scan.takeEvent() { events.append(event) }
        return events
    }

    /// The beacons of the last event.
    private func report(_ events: [BeaconScan.Event]) throws -> [RangedBeacon] {
        let beacons: [RangedBeacon]? = if case .ranged(region, let beacons)? = events.last { beacons } else { nil }
        return try #require(beacons)
    }

    @Test func theFirstStateIsNoCrossing() {
        let other = BeaconRegion(uuid: UUID())
        var scan = scan(monitors: [region, region, other])
        #expect(scan.isInside(region) == nil && scan.nextDeadline == .seconds(3))
        scan.observe(beacon(1), rssi: -60, at: .seconds(1))
        #expect(scan.isInside(region) == true)
        scan.advance(to: .seconds(3))
        #expect(events(&scan) == [.determined(region, isInside: true), .determined(other, isInside: false)])
        scan.observe(beacon(2), rssi: -60, at: .seconds(11))
        #expect(scan.nextDeadline == .seconds(41))
        scan.advance(to: .seconds(40))
        #expect(events(&scan) == [])
        scan.advance(to: .seconds(41))
        scan.observe(beacon(2), rssi: -60, at: .seconds(50))
        #expect(events(&scan) == [.left(region), .entered(region)])
    }

    @Test func aRegionIsForgottenAfterItsEnd() {
        var scan = scan(monitors: [region])
        scan.observe(beacon(1), rssi: -60, at: .seconds(1))
        scan.stopMonitoring(region)
        #expect(!scan.isNeeded && scan.nextDeadline == nil && scan.isInside(region) == nil)
        scan.startMonitoring(region, at: .seconds(2))
        #expect(scan.nextDeadline == .seconds(5))
    }

    @Test func withoutBluetoothNothingIsDue() {
        var scan = scan(monitors: [region], ranges: [region])
        scan.observe(beacon(1), rssi: -60, at: .milliseconds(500))
        scan.setAvailable(false, at: .seconds(1))
        scan.setAvailable(false, at: .seconds(2))
        #expect(events(&scan) == [.determined(region, isInside: true), .unavailable])
        #expect(scan.nextDeadline == nil && scan.isInside(region) == nil && scan.isNeeded)
        scan.startMonitoring(BeaconRegion(uuid: uuid, major: 1), at: .seconds(3))
        #expect(scan.nextDeadline == nil)
        scan.setAvailable(true, at: .seconds(10))
        #expect(scan.nextDeadline == .seconds(11))
        scan.advance(to: .seconds(11))
        #expect(events(&scan) == [.available, .ranged(region, [])])
    }

    @Test func rangedBeaconsHaveTheMeanOfASecondAndAnOrder() throws {
        var scan = scan(ranges: [region])
        for (minor, rssi) in [(3, -70), (3, -74), (2, -60), (9, -60), (1, 127)] as [(UInt16, Int)] {
            scan.observe(beacon(minor), rssi: rssi, at: .milliseconds(500))
        }
        scan.observe(IBeacon(uuid: UUID(), major: 1, minor: 1), rssi: -40, at: .milliseconds(500))
        scan.advance(to: .seconds(1))
        let beacons = try report(events(&scan))
        #expect(beacons.map(\.beacon.minor) == [2, 9, 3, 1])
        #expect(beacons.map(\.rssi) == [-60, -60, -72, nil])
        #expect(beacons.map(\.proximity) == [.near, .near, .near, .unknown])
        #expect(beacons.last?.distance == nil)
    }

    @Test func aSilentBeaconIsReportedForFiveSeconds() {
        var scan = scan(ranges: [region])
        scan.observe(beacon(1), rssi: -60, at: .milliseconds(900))
        var reports: [[Int?]] = []
        for second in 1...7 {
            scan.advance(to: .seconds(second))
            for case .ranged(_, let beacons) in events(&scan) { reports.append(beacons.map(\.rssi)) }
        }
        #expect(reports == [[-60], [nil], [nil], [nil], [nil], [], []])
    }

    @Test func aLateProgramGetsTheNewestReports() throws {
        var scan = scan(ranges: [region])
        for second in 1...10 {
            scan.observe(beacon(UInt16(second)), rssi: -60, at: .seconds(second))
            scan.advance(to: .seconds(second))
        }
        let waiting = events(&scan)
        #expect(waiting.count == 1)
        let beacons = try report(waiting)
        #expect(Set(beacons.map(\.beacon.minor)) == [6, 7, 8, 9, 10])
        // After a pause of the clock, one report and not many.
        scan.advance(to: .milliseconds(60_500))
        #expect(events(&scan).count == 1 && scan.nextDeadline == .milliseconds(61_500))
    }

    @Test func strangersDoNotFillTheMemory() throws {
        var scan = scan(monitors: [region], ranges: [region])
        for number in 0..<UInt16(BeaconScan.beaconLimit + 100) {
            scan.observe(beacon(number), rssi: -60, at: .milliseconds(1))
        }
        _ = events(&scan)
        scan.advance(to: .seconds(1))
        let beacons = try report(events(&scan))
        #expect(beacons.count == BeaconScan.beaconLimit)
        // A program that takes no events: the beacon comes and goes.
        for round in 1...UInt16(BeaconScan.eventLimit) {
            scan.observe(beacon(1), rssi: -60, at: .seconds(100 * Int(round)))
        }
        let waiting = events(&scan)
        #expect(waiting.count == BeaconScan.eventLimit && waiting.last == .entered(region))
    }

    @Test func theEndOfRangingForgetsItsBeacons() {
        let group = BeaconRegion(uuid: uuid, major: 1, minor: 2)
        var scan = scan(ranges: [region, group])
        for minor in 1...2 as ClosedRange<UInt16> { scan.observe(beacon(minor), rssi: -60, at: .milliseconds(1)) }
        scan.stopRanging(region)
        scan.startRanging(region, at: .milliseconds(2))
        scan.advance(to: .seconds(1))
        var counts: [BeaconRegion: Int] = [:]
        for case .ranged(let region, let beacons) in events(&scan) { counts[region] = beacons.count }
        #expect(counts == [region: 1, group: 1])
        scan.stopRanging(region)
        scan.stopRanging(group)
        #expect(scan.nextDeadline == nil && !scan.isNeeded)
    }
}
