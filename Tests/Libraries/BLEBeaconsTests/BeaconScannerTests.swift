import BLEAdapter
import BLEBeacons
import BLESimulator
import Foundation
import Testing

/// A scanner on the virtual radio. The environment has the path loss of the estimate, and the beacons the power of the radio at 1 m:
/// distances are right.
@Suite struct BeaconScannerTests {
    private let world = World(seed: 31, environment: RadioEnvironment(pathLossExponent: 2))
    private let uuid = UUID()
    private var region: BeaconRegion { BeaconRegion(uuid: uuid) }

    private func beacon(_ minor: UInt16, at x: Double) throws -> VirtualAdvertiser {
        let structure = AdvertisingStructure.iBeacon(uuid, major: 1, minor: minor, measuredPower: -40)
        return try world.addAdvertiser(
            "beacon \(minor)", RawAdvertisement(structures: [.flags(), structure]), at: Position(x: x))
    }

    /// The events with their times in virtual seconds.
    private final class Record: Sendable {
        private let entries = Lock<[(time: Double, event: BeaconScanner.Event)]>([])
        func add(_ event: BeaconScanner.Event, at time: Duration) {
            entries.withLock { $0.append((time / .seconds(1), event)) }
        }
        var all: [(time: Double, event: BeaconScanner.Event)] { entries.withLock { $0 } }
        var events: [BeaconScanner.Event] { all.map(\.event) }
        /// The reports of ranged beacons.
        var reports: [(time: Double, beacons: [RangedBeacon])] {
            all.compactMap { entry in
                if case .ranged(_, let beacons) = entry.event { (entry.time, beacons) } else { nil }
            }
        }
    }

    private func scanner(_ device: VirtualDevice) -> (BeaconScanner, Record) {
        let record = Record()
        let clock = world.clock
        return (
            device.run { BeaconScanner { record.add($0, at: clock.now.sinceStart) } }, record
        )
    }

    @Test func aRegionIsEnteredAndLeft() async throws {
        let phone = world.addDevice("phone")
        let (scanner, record) = scanner(phone)
        scanner.startMonitoring(region)
        #expect(scanner.isAvailable == nil && scanner.isInside(region) == nil)
        await world.run(until: .seconds(10))
        #expect(record.events == [.available, .determined(region, isInside: false)])
        #expect(scanner.isAvailable == true && scanner.isInside(region) == false)
        for round in 0..<2 {
            let start = world.now / .seconds(1)
            let beacon = try beacon(1, at: 2)
            await world.run(for: .seconds(5))
            let entered = try #require(record.all.last)
            #expect(entered.event == .entered(region) && entered.time - start < 1, "round \(round)")
            beacon.remove()
            let end = world.now / .seconds(1)
            await world.run(for: .seconds(40))
            let left = try #require(record.all.last)
            #expect(left.event == .left(region) && (29...30).contains(left.time - end), "round \(round)")
        }
        #expect(record.events.count == 6)
    }

    @Test func beaconsAreRangedOnceASecondByDistance() async throws {
        let near = try beacon(7, at: 0.25)
        let middle = try beacon(8, at: 2)
        let far = try beacon(3, at: 10)
        let (scanner, record) = scanner(world.addDevice("phone"))
        scanner.startRanging(region)
        await world.run(for: .seconds(10))
        let reports = record.reports
        #expect((9...10).contains(reports.count))
        for (one, next) in zip(reports, reports.dropFirst()) { #expect(abs(next.time - one.time - 1) < 0.001) }
        let last = try #require(reports.last).beacons
        #expect(last.map(\.beacon.minor) == [7, 8, 3])
        #expect(last.map(\.proximity) == [.immediate, .near, .far])
        #expect(abs(try #require(last[1].distance) - 2) < 0.2)
        #expect(last[1].rssi == -46)
        far.move(to: Position(x: 0.2))
        near.remove()
        await world.run(for: .seconds(15))
        #expect(record.reports.last?.beacons.map(\.beacon.minor) == [3, 8])
        scanner.stopRanging(region)
        await world.run(for: .seconds(1))
        let count = record.reports.count
        await world.run(for: .seconds(5))
        #expect(record.reports.count == count)
        withExtendedLifetime(middle) {}
    }

    @Test func bluetoothOffAndOnBeginsAnew() async throws {
        let beacon = try beacon(1, at: 1)
        let phone = world.addDevice("phone")
        let (scanner, record) = scanner(phone)
        for round in 0..<2 {
            scanner.startMonitoring(region)
            await world.run(for: .seconds(2))
            #expect(record.events.suffix(2) == [.available, .determined(region, isInside: true)], "round \(round)")
            phone.powerOff()
            await world.run(for: .seconds(60))
            #expect(record.events.last == .unavailable && scanner.isInside(region) == nil, "round \(round)")
            phone.powerOn()
        }
        await world.run(for: .seconds(2))
        #expect(record.events.count == 8)
        withExtendedLifetime(beacon) {}
    }

    /// The scan is on only while it is needed, and ends with the scanner.
    @Test func theScanEnds() async throws {
        let phone = world.addDevice("phone")
        do {
            let (scanner, _) = scanner(phone)
            await world.run(for: .seconds(1))
            #expect(phone.activity?.isScanning == false)
            for _ in 0..<2 {
                scanner.startRanging(region)
                scanner.startMonitoring(region)
                await world.run(for: .seconds(1))
                #expect(phone.activity?.isScanning == true)
                scanner.stopRanging(region)
                await world.run(for: .seconds(1))
                #expect(phone.activity?.isScanning == true)
                scanner.stopMonitoring(region)
                await world.run(for: .seconds(1))
                #expect(phone.activity?.isScanning == false)
            }
            scanner.startMonitoring(region)
            await world.run(for: .seconds(1))
            #expect(phone.activity?.isScanning == true)
            withExtendedLifetime(scanner) {}
        }
        await world.run(for: .seconds(1))
        #expect(phone.activity?.isScanning == false)
    }

    @Test func aScannerBelongsToItsDevice() async throws {
        let (here, there) = (world.addDevice("here"), world.addDevice("there", at: Position(x: 1_000_000)))
        let beacon = try beacon(1, at: 1)
        let (first, heard) = scanner(here)
        let (second, missed) = scanner(there)
        first.startMonitoring(region)
        second.startMonitoring(region)
        let before = first.date
        await world.run(for: .seconds(5))
        #expect(heard.events.last == .determined(region, isInside: true))
        #expect(missed.events.last == .determined(region, isInside: false))
        #expect(abs(first.date.timeIntervalSince(before) - 5) < 0.001)
        #expect(BeaconScanner.scope == nil && here.run { BeaconScanner.scope } != there.run { BeaconScanner.scope })
        withExtendedLifetime(beacon) {}
    }
}
