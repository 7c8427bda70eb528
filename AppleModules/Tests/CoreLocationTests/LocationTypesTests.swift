import BLESimulator
import CoreLocation
import Testing

/// Regions, constraints, errors and the authorization.
@Suite struct LocationTypesTests {
    private let uuid = UUID(uuidString: "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0")!

    @Test func regionsHaveTheirBeacons() {
        let regions = [
            CLBeaconRegion(uuid: uuid, identifier: "a"), CLBeaconRegion(uuid: uuid, major: 1, identifier: "b"),
            CLBeaconRegion(uuid: uuid, major: 1, minor: 65_535, identifier: "c"),
            CLBeaconRegion(proximityUUID: uuid, identifier: "a"),
            CLBeaconRegion(proximityUUID: uuid, major: 1, identifier: "b"),
            CLBeaconRegion(proximityUUID: uuid, major: 1, minor: 65_535, identifier: "c"),
        ]
        for (index, region) in regions.enumerated() {
            #expect(region.uuid == uuid && region.proximityUUID == uuid)
            #expect(region.major == [nil, 1, 1][index % 3] && region.minor == [nil, nil, 65_535][index % 3])
            let constraint = region.beaconIdentityConstraint
            #expect(constraint.uuid == uuid && constraint.major == region.major?.uint16Value)
            #expect(constraint.minor == region.minor?.uint16Value)
            let copy = CLBeaconRegion(beaconIdentityConstraint: constraint, identifier: "copy")
            #expect(copy.beaconIdentityConstraint == constraint && copy != region && copy.identifier == "copy")
            #expect(region.notifyOnEntry && region.notifyOnExit && !region.notifyEntryStateOnDisplay)
        }
        #expect(Set<CLRegion>(regions).count == 3)
        #expect(Set(regions.map(\.beaconIdentityConstraint)).count == 3)
        #expect(
            regions[1].description
                == "CLBeaconRegion (identifier:'b', uuid:E2C56DB5-DFFB-48D2-B060-D0F5A71096E0, major:1, minor:(null))")
    }

    /// The 21 octets after type and length of Apple's Proximity Beacon Specification.
    @Test(
        arguments: [
            (nil, 0xC5), (NSNumber(value: -40), 0xD8), (NSNumber(value: 300), 0x7F), (NSNumber(value: -300), 0x80),
        ]
            as [(NSNumber?, UInt8)])
    func aRegionHasTheDataOfItsBeacon(power: NSNumber?, octet: UInt8) throws {
        let region = CLBeaconRegion(uuid: uuid, major: 258, identifier: "a")
        let dictionary = try #require(region.peripheralData(withMeasuredPower: power) as? [String: Any])
        let data = try #require(dictionary["kCBAdvDataAppleBeaconKey"] as? Data)
        let octets = withUnsafeBytes(of: uuid.uuid) { [UInt8]($0) } + [1, 2, 0, 0, octet]
        #expect([UInt8](data) == octets && dictionary.count == 1)
    }

    @Test func errorsAreCaughtByCode() {
        let error: any Error = CLError(.regionMonitoringFailure)
        #expect((error as? CLError)?.code == .regionMonitoringFailure)
        #expect((error as NSError).domain == kCLErrorDomain && (error as NSError).code == 5)
        #expect(throws: CLError.self) { throw error }
        var isCaught = false
        do { throw error } catch CLError.regionMonitoringFailure { isCaught = true } catch {}
        #expect(isCaught)
        #expect(Set([CLError(.denied), CLError(.denied), CLError(.network)]).count == 2)
    }

    @Test func requestsAreGranted() async {
        let world = World(seed: 9)
        let phone = world.addDevice("phone")
        let (early, first) = (phone.run { CLLocationManager() }, LocationRecorder(world))
        #expect(early.authorizationStatus == .notDetermined)
        early.delegate = first
        early.requestWhenInUseAuthorization()
        #expect(early.authorizationStatus == .notDetermined)
        await world.run(for: .seconds(1))
        #expect(first.authorizations == [.notDetermined, .authorizedWhenInUse])
        let (late, second) = (phone.run { CLLocationManager() }, LocationRecorder(world))
        late.delegate = second
        late.delegate = nil
        late.delegate = second
        for _ in 0..<2 {
            late.requestAlwaysAuthorization()
            late.requestWhenInUseAuthorization()
            await world.run(for: .seconds(1))
        }
        #expect(first.authorizations.suffix(1) == [.authorizedAlways] && first.authorizations.count == 3)
        #expect(second.authorizations == [.authorizedWhenInUse, .authorizedAlways])
        #expect(phone.run { CLLocationManager.authorizationStatus() } == .authorizedAlways)
        // Another device is another phone.
        let device = world.addDevice("other")
        #expect(device.run { CLLocationManager.authorizationStatus() } == .notDetermined)
        let other = device.run { CLLocationManager() }
        #expect(other.authorizationStatus == .notDetermined)
        withExtendedLifetime((early, late)) {}
    }

    /// What the program may lasts longer than the manager that asked. The managers of the process call the main queue, and open no adapter for this.
    @Test func theAuthorizationOfTheProcessOutlivesItsManagers() async {
        var manager: CLLocationManager? = CLLocationManager()
        manager?.requestAlwaysAuthorization()
        await MainActor.run {}
        #expect(manager?.authorizationStatus == .authorizedAlways)
        manager = nil
        let later = CLLocationManager()
        #expect(later.authorizationStatus == .authorizedAlways)
        #expect(CLLocationManager.authorizationStatus() == .authorizedAlways)
        withExtendedLifetime(later) {}
    }

    /// A delegate with the older form alone receives it.
    @Test func theOlderFormOfTheAuthorizationIsCalled() async {
        final class Older: NSObject, CLLocationManagerDelegate {
            nonisolated(unsafe) var statuses: [CLAuthorizationStatus] = []
            func locationManager(_ manager: CLLocationManager, didChangeAuthorization status: CLAuthorizationStatus) {
                statuses.append(status)
            }
        }
        let world = World(seed: 10)
        let delegate = Older()
        let manager = world.addDevice("phone").run { CLLocationManager() }
        manager.delegate = delegate
        manager.requestAlwaysAuthorization()
        await world.run(for: .seconds(1))
        #expect(delegate.statuses == [.notDetermined, .authorizedAlways])
        withExtendedLifetime(manager) {}
    }

    @Test func settingsAreKept() {
        let manager = World(seed: 11).addDevice("phone").run { CLLocationManager() }
        #expect(!manager.allowsBackgroundLocationUpdates && manager.pausesLocationUpdatesAutomatically)
        (manager.allowsBackgroundLocationUpdates, manager.pausesLocationUpdatesAutomatically) = (true, false)
        #expect(manager.allowsBackgroundLocationUpdates && !manager.pausesLocationUpdatesAutomatically)
    }
}
