import BLESimulator
import CoreBluetooth
import CoreLocation
import Testing

@Suite struct RangingTests {
    private let place = BeaconWorld()
    private var world: World { place.world }
    private var constraint: CLBeaconIdentityConstraint { CLBeaconIdentityConstraint(uuid: place.uuid) }

    @Test func beaconsAreReportedOnceASecondByDistance() async throws {
        let beacons = [try place.beacon(5, at: 2), try place.beacon(9, at: 0.25), try place.beacon(3, at: 10)]
        let (manager, recorder) = place.manager(world.addDevice("phone"))
        defer { withExtendedLifetime(manager) {} }
        let start = Date()
        manager.startRangingBeacons(satisfying: constraint)
        await world.run(for: .seconds(10))
        let reports = recorder.reports
        #expect((9...10).contains(reports.count))
        for (one, next) in zip(reports, reports.dropFirst()) { #expect(abs(next.time - one.time - 1) < 0.001) }
        let last = try #require(reports.last).beacons
        #expect(last.map(\.minor) == [9, 5, 3] && last.map(\.major) == [1, 1, 1])
        #expect(last.map(\.proximity) == [.immediate, .near, .far])
        #expect(last[1].rssi == -46 && abs(last[1].accuracy - 2) < 0.2)
        #expect(last[1].uuid == place.uuid && last[1].proximityUUID == place.uuid)
        // The times of reports follow virtual time.
        #expect(
            (9...10.1).contains(
                last[1].timestamp.timeIntervalSince(try #require(reports.first).beacons[0].timestamp) + 1))
        #expect(last[1].timestamp > start)
        // A beacon that is not heard loses its distance, comes last, and disappears.
        beacons[1].remove()
        await world.run(for: .seconds(3))
        let silent = try #require(recorder.reports.last).beacons
        #expect(silent.map(\.minor) == [5, 3, 9])
        #expect(silent[2].proximity == .unknown && silent[2].accuracy == -1 && silent[2].rssi == 0)
        await world.run(for: .seconds(5))
        #expect(recorder.reports.last?.beacons.map(\.minor) == [5, 3])
        manager.stopRangingBeacons(satisfying: constraint)
        await world.run(for: .seconds(1))
        recorder.clear()
        await world.run(for: .seconds(5))
        #expect(recorder.reports.isEmpty)
    }

    @Test func managersRangeForThemselves() async throws {
        let beacons = [try place.beacon(1, major: 1), try place.beacon(1, major: 2)]
        let phone = world.addDevice("phone")
        let (first, one) = place.manager(phone)
        let (second, two) = place.manager(phone)
        let group = CLBeaconIdentityConstraint(uuid: place.uuid, major: 2)
        first.startRangingBeacons(in: place.region())
        first.startRangingBeacons(in: place.region())
        second.startRangingBeacons(satisfying: group)
        second.startRangingBeacons(satisfying: constraint)
        #expect(first.rangedRegions == [place.region()] && first.rangedBeaconConstraints.isEmpty)
        #expect(second.rangedBeaconConstraints == [group, constraint] && second.rangedRegions.isEmpty)
        await world.run(for: .milliseconds(2_500))
        #expect(one.reports.map(\.name) == ["door", "door"] && one.reports.allSatisfy { $0.beacons.count == 2 })
        #expect(two.reports.filter { $0.name == "2" }.map { $0.beacons.map(\.major) } == [[2], [2]])
        #expect(two.reports.filter { $0.name == "0" }.count == 2)
        // The region and the constraint have the same beacons: the end of one leaves the other.
        second.stopRangingBeacons(satisfying: constraint)
        two.clear()
        one.clear()
        await world.run(for: .seconds(2))
        #expect(one.reports.count == 2 && two.reports.map(\.name) == ["2", "2"])
        // A region with the same identifier takes its place.
        first.startRangingBeacons(in: CLBeaconRegion(uuid: UUID(), identifier: "door"))
        one.clear()
        await world.run(for: .seconds(2))
        #expect(one.reports.map(\.beacons.count) == [0, 0])
        withExtendedLifetime(beacons) {}
    }

    @Test func withoutBluetoothRangingFails() async throws {
        let beacon = try place.beacon(1)
        let phone = world.addDevice("phone")
        let (manager, recorder) = place.manager(phone)
        defer { withExtendedLifetime(manager) {} }
        manager.startRangingBeacons(satisfying: constraint)
        await world.run(for: .seconds(3))
        phone.powerOff()
        await world.run(for: .seconds(3))
        #expect(recorder.texts == ["0 not ranged: 16"])
        recorder.clear()
        manager.startRangingBeacons(in: place.region())
        await world.run(for: .seconds(3))
        #expect(recorder.texts == ["door not ranged: 16"] && recorder.reports.isEmpty)
        recorder.clear()
        phone.powerOn()
        await world.run(for: .milliseconds(2_500))
        #expect(recorder.texts == [] && Set(recorder.reports.map(\.name)) == ["0", "door"])
        #expect(recorder.reports.last?.beacons.count == 1)
        withExtendedLifetime(beacon) {}
    }

    @Test func theEndOfAManagerEndsItsScan() async throws {
        let phone = world.addDevice("phone")
        var pair: (CLLocationManager, LocationRecorder)? = place.manager(phone)
        let (other, _) = place.manager(phone)
        pair?.0.startRangingBeacons(satisfying: constraint)
        await world.run(for: .seconds(1))
        #expect(phone.activity?.isScanning == true)
        pair = nil
        await world.run(for: .seconds(1))
        #expect(phone.activity?.isScanning == false && other.rangedBeaconConstraints.isEmpty)
    }

    @Test func theDataOfARegionMakesADeviceABeacon() async throws {
        let region = CLBeaconRegion(uuid: place.uuid, major: 7, minor: 260, identifier: "mine")
        let advertiser = RegionAdvertiser(region)
        let device = world.addDevice("beacon", at: Position(x: 1))
        let peripheral = device.run { CBPeripheralManager(delegate: advertiser, queue: DispatchQueue(label: "beacon")) }
        let (manager, recorder) = place.manager(world.addDevice("phone"))
        defer { withExtendedLifetime(manager) {} }
        manager.startRangingBeacons(satisfying: region.beaconIdentityConstraint)
        await world.run(for: .seconds(5))
        #expect(peripheral.isAdvertising)
        let beacon = try #require(recorder.reports.last?.beacons.first)
        #expect(beacon.uuid == place.uuid && beacon.major == 7 && beacon.minor == 260)
        // At a distance of 1 m with -40 dBm instead of -59 dBm.
        #expect(beacon.proximity == .immediate && beacon.rssi == -40)
    }
}

/// Advertises a region in the manner of Apple's documentation.
private final class RegionAdvertiser: NSObject, CBPeripheralManagerDelegate {
    private let region: CLBeaconRegion

    init(_ region: CLBeaconRegion) { self.region = region }

    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        guard peripheral.state == .poweredOn else { return }
        peripheral.startAdvertising(region.peripheralData(withMeasuredPower: nil) as? [String: Any])
    }
}
