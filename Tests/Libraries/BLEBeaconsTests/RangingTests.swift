import BLEBeacons
import Foundation
import Testing

@Suite struct RangingTests {
    @Test(arguments: [(-59, 1.0), (-79, 10.0), (-39, 0.1)])
    func distanceFollowsTheFreeSpaceModel(rssi: Int, metres: Double) throws {
        var estimator = RangeEstimator()
        #expect(estimator.distance(measuredPower: -59) == nil)
        estimator.add(rssi: rssi)
        let distance = try #require(estimator.distance(measuredPower: -59))
        #expect(abs(distance - metres) < metres / 1000)
    }

    @Test func valuesAreSmoothedAndUnavailableOnesIgnored() throws {
        var estimator = RangeEstimator(smoothing: 0.5)
        estimator.add(rssi: -60)
        estimator.add(rssi: 127)
        estimator.add(rssi: -70)
        #expect(estimator.rssi == -65)
    }

    @Test(
        arguments: [(nil, Proximity.unknown), (0.2, .immediate), (0.5, .near), (3.9, .near), (4, .far)]
            as [(Double?, Proximity)])
    func proximityHasItsLimits(distance: Double?, proximity: Proximity) {
        #expect(Proximity(distance: distance) == proximity)
    }
}

@Suite struct RegionMonitorTests {
    private let uuid = UUID()

    private func beacon(_ major: UInt16, _ minor: UInt16 = 1) -> IBeacon {
        IBeacon(uuid: uuid, major: major, minor: minor)
    }

    @Test func aRegionIsEnteredOnceAndLeftAfterTheDelay() {
        let region = BeaconRegion(uuid: uuid)
        var monitor = RegionMonitor([region], exitDelay: .seconds(30))
        #expect(monitor.nextDeadline == nil)
        #expect(monitor.observe(beacon(1), at: .seconds(1)) == [.entered(region)])
        #expect(monitor.observe(beacon(2), at: .seconds(20)) == [])
        #expect(monitor.nextDeadline == .seconds(50) && monitor.inside == [region])
        #expect(monitor.advance(to: .seconds(49)) == [])
        #expect(monitor.advance(to: .seconds(50)) == [.left(region)])
        #expect(monitor.inside.isEmpty && monitor.nextDeadline == nil)
    }

    @Test func aBeaconThatComesBackTooLateIsLeftAndEntered() {
        let region = BeaconRegion(uuid: uuid)
        var monitor = RegionMonitor([region], exitDelay: .seconds(10))
        _ = monitor.observe(beacon(1), at: .zero)
        #expect(monitor.observe(beacon(1), at: .seconds(60)) == [.left(region), .entered(region)])
    }

    @Test func regionsMatchByUUIDGroupAndBeacon() {
        let regions = [
            BeaconRegion(uuid: uuid), BeaconRegion(uuid: uuid, major: 1), BeaconRegion(uuid: uuid, major: 1, minor: 2),
            BeaconRegion(uuid: UUID()),
        ]
        var monitor = RegionMonitor(regions)
        #expect(monitor.observe(beacon(1, 1), at: .zero) == [.entered(regions[0]), .entered(regions[1])])
        #expect(monitor.observe(beacon(1, 2), at: .zero) == [.entered(regions[2])])
        #expect(monitor.inside == Array(regions[..<3]))
    }
}
