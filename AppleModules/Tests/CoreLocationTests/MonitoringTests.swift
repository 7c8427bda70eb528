import BLESimulator
import Testing

@testable import CoreLocation

@Suite struct MonitoringTests {
    private let place = BeaconWorld()
    private var world: World { place.world }

    @Test func aRegionIsEnteredAndLeftAgainAndAgain() async throws {
        let (manager, recorder) = place.manager(world.addDevice("phone"))
        defer { withExtendedLifetime(manager) {} }
        manager.startMonitoring(for: place.region())
        await world.run(for: .seconds(5))
        #expect(recorder.texts == ["started door", "outside door"])
        for round in 0..<2 {
            recorder.clear()
            let start = world.now / .seconds(1)
            let beacon = try place.beacon(1)
            await world.run(for: .seconds(10))
            #expect(recorder.texts == ["entered door", "inside door"], "round \(round)")
            #expect(recorder.lastTime - start < 1, "round \(round)")
            beacon.remove()
            let end = world.now / .seconds(1)
            await world.run(for: .seconds(29))
            #expect(recorder.texts.count == 2, "round \(round)")
            await world.run(for: .seconds(5))
            #expect(recorder.texts.suffix(2) == ["left door", "outside door"], "round \(round)")
            #expect((29...30).contains(recorder.lastTime - end), "round \(round)")
        }
    }

    /// A region in which the program is from the start was not entered.
    @Test func theFirstStateIsNoEntry() async throws {
        let beacon = try place.beacon(1)
        let (manager, recorder) = place.manager(world.addDevice("phone"))
        defer { withExtendedLifetime(manager) {} }
        manager.startMonitoring(for: place.region())
        await world.run(for: .seconds(60))
        #expect(recorder.texts == ["started door", "inside door"])
        #expect(recorder.lastTime < 3)
        withExtendedLifetime(beacon) {}
    }

    @Test func twentyRegionsAreMonitored() async {
        let (manager, recorder) = place.manager(world.addDevice("phone"))
        defer { withExtendedLifetime(manager) {} }
        for number in 1...20 { manager.startMonitoring(for: place.region("\(number)")) }
        manager.startMonitoring(for: place.region("21"))
        // The region with the name takes the place of the other.
        let replacement = CLBeaconRegion(uuid: UUID(), identifier: "20")
        manager.startMonitoring(for: replacement)
        await world.run(for: .seconds(1))
        #expect(recorder.texts.count { $0.hasPrefix("started") } == 21)
        #expect(recorder.texts.filter { $0.contains("failed") } == ["21 failed: 5"])
        #expect(manager.monitoredRegions.count == 20)
        #expect(manager.monitoredRegions.first { $0.identifier == "20" } === replacement)
        recorder.clear()
        manager.stopMonitoring(for: place.region("3"))
        manager.startMonitoring(for: place.region("21"))
        manager.startMonitoring(for: place.region("22"))
        await world.run(for: .milliseconds(100))
        #expect(recorder.texts.filter { !$0.contains("side") } == ["started 21", "22 failed: 5"])
        #expect(!manager.monitoredRegions.contains(place.region("3")))
    }

    @Test func onlyBeaconRegionsAreMonitored() async {
        let (manager, recorder) = place.manager(world.addDevice("phone"))
        defer { withExtendedLifetime(manager) {} }
        manager.startMonitoring(for: CLRegion(identifier: "circle"))
        await world.run(for: .seconds(1))
        #expect(recorder.texts == ["circle failed: 5"] && manager.monitoredRegions.isEmpty)
        #expect(CLLocationManager.isMonitoringAvailable(for: CLBeaconRegion.self))
        #expect(!CLLocationManager.isMonitoringAvailable(for: CLRegion.self))
        #expect(CLLocationManager.isRangingAvailable() && CLLocationManager.locationServicesEnabled())
    }

    @Test func aRegionSaysWhatIsNotified() async throws {
        let (manager, recorder) = place.manager(world.addDevice("phone"))
        defer { withExtendedLifetime(manager) {} }
        let (silent, region) = (place.region("silent"), place.region("out"))
        (silent.notifyOnEntry, silent.notifyOnExit, region.notifyOnEntry) = (false, false, false)
        manager.startMonitoring(for: silent)
        manager.startMonitoring(for: region)
        await world.run(for: .seconds(5))
        recorder.clear()
        let beacon = try place.beacon(1)
        await world.run(for: .seconds(5))
        beacon.remove()
        await world.run(for: .seconds(40))
        #expect(
            recorder.texts == [
                "inside silent", "inside out", "outside silent", "left out", "outside out",
            ])
    }

    @Test func theStateIsAnswered() async throws {
        let beacon = try place.beacon(1)
        let (manager, recorder) = place.manager(world.addDevice("phone"))
        defer { withExtendedLifetime(manager) {} }
        manager.requestState(for: place.region())
        manager.startMonitoring(for: place.region())
        manager.requestState(for: place.region())
        await world.run(for: .seconds(5))
        #expect(recorder.texts == ["unknown door", "started door", "unknown door", "inside door"])
        recorder.clear()
        manager.requestState(for: place.region())
        // A second region of the same beacons has the state that is known.
        manager.startMonitoring(for: place.region("second"))
        await world.run(for: .seconds(5))
        #expect(recorder.texts == ["inside door", "started second", "inside second"])
        recorder.clear()
        manager.stopMonitoring(for: place.region())
        beacon.remove()
        await world.run(for: .seconds(40))
        #expect(recorder.texts == ["left second", "outside second"])
    }

    @Test func twoManagersShareTheirRegions() async throws {
        let phone = world.addDevice("phone")
        let (first, one) = place.manager(phone)
        var second: CLLocationManager?
        let two: LocationRecorder
        (second, two) = place.manager(phone)
        first.startMonitoring(for: place.region())
        second?.startMonitoring(for: place.region("hall"))
        await world.run(for: .seconds(5))
        #expect(first.monitoredRegions == second?.monitoredRegions && first.monitoredRegions.count == 2)
        #expect(one.texts == ["started door", "outside door", "outside hall"])
        #expect(two.texts == ["started hall", "outside door", "outside hall"])
        let beacon = try place.beacon(1)
        await world.run(for: .seconds(5))
        #expect(one.texts.suffix(4) == ["entered door", "inside door", "entered hall", "inside hall"])
        #expect(two.texts.suffix(4) == one.texts.suffix(4))
        // The end of a manager does not end its regions, and another one can.
        second = nil
        two.clear()
        beacon.remove()
        await world.run(for: .seconds(40))
        #expect(one.texts.suffix(4) == ["left door", "outside door", "left hall", "outside hall"])
        #expect(two.texts.isEmpty)
        first.stopMonitoring(for: place.region("hall"))
        first.stopMonitoring(for: place.region())
        await world.run(for: .seconds(1))
        #expect(first.monitoredRegions.isEmpty && phone.activity?.isScanning == false)
    }

    @Test func devicesHaveRegionsOfTheirOwn() async throws {
        let (here, one) = place.manager(world.addDevice("here"))
        let (there, two) = place.manager(world.addDevice("there", at: Position(x: 1_000_000)))
        let beacon = try place.beacon(1)
        here.startMonitoring(for: place.region())
        #expect(there.monitoredRegions.isEmpty)
        there.startMonitoring(for: place.region())
        await world.run(for: .seconds(5))
        #expect(one.texts == ["started door", "inside door"] && two.texts == ["started door", "outside door"])
        withExtendedLifetime((beacon, here, there)) {}
    }

    /// While Bluetooth is off, nothing is known; what changed meanwhile was not crossed.
    @Test func bluetoothOffAndOn() async throws {
        let beacon = try place.beacon(1)
        let phone = world.addDevice("phone")
        let (manager, recorder) = place.manager(phone)
        defer { withExtendedLifetime(manager) {} }
        manager.startMonitoring(for: place.region())
        await world.run(for: .seconds(5))
        for round in 0..<2 {
            recorder.clear()
            phone.powerOff()
            await world.run(for: .seconds(60))
            manager.requestState(for: place.region())
            await world.run(for: .seconds(1))
            #expect(recorder.texts == [], "round \(round)")
            if round == 1 { beacon.remove() }
            phone.powerOn()
            await world.run(for: .seconds(5))
            #expect(recorder.texts == [round == 0 ? "inside door" : "outside door"], "round \(round)")
        }
        let other = try place.beacon(2)
        await world.run(for: .seconds(5))
        #expect(recorder.texts.suffix(2) == ["entered door", "inside door"])
        withExtendedLifetime(other) {}
    }
}
