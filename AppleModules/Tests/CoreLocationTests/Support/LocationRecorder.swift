import BLESimulator
import CoreLocation

/// A delegate that notes its callbacks with their virtual times.
final class LocationRecorder: NSObject, CLLocationManagerDelegate, @unchecked Sendable {
    /// The beacons of one report.
    struct Report {
        let time: Double
        /// The identifier of a region, or the group of a constraint.
        let name: String
        let beacons: [CLBeacon]
    }

    // `@unchecked Sendable`: the properties are used with `lock` locked.
    private let lock = NSLock()
    private let clock: VirtualClock
    private var entries: [(time: Double, text: String)] = []
    private var storedReports: [Report] = []
    private var storedAuthorizations: [CLAuthorizationStatus] = []

    init(_ world: World) { clock = world.clock }

    /// The events of regions and the failures.
    var texts: [String] { lock.withLock { entries.map(\.text) } }
    /// The virtual time of the last of ``texts`` in seconds.
    var lastTime: Double { lock.withLock { entries.last?.time ?? 0 } }
    var reports: [Report] { lock.withLock { storedReports } }
    var authorizations: [CLAuthorizationStatus] { lock.withLock { storedAuthorizations } }

    func clear() {
        lock.withLock {
            entries = []
            storedReports = []
        }
    }

    private var now: Double { clock.now.sinceStart / .seconds(1) }

    private func note(_ text: String) { lock.withLock { entries.append((now, text)) } }

    private func note(_ name: String, _ beacons: [CLBeacon]) {
        lock.withLock { storedReports.append(Report(time: now, name: name, beacons: beacons)) }
    }

    func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {
        lock.withLock { storedAuthorizations.append(manager.authorizationStatus) }
    }

    func locationManager(_ manager: CLLocationManager, didStartMonitoringFor region: CLRegion) {
        note("started \(region.identifier)")
    }

    func locationManager(_ manager: CLLocationManager, didDetermineState state: CLRegionState, for region: CLRegion) {
        note("\(state) \(region.identifier)")
    }

    func locationManager(_ manager: CLLocationManager, didEnterRegion region: CLRegion) {
        note("entered \(region.identifier)")
    }

    func locationManager(_ manager: CLLocationManager, didExitRegion region: CLRegion) {
        note("left \(region.identifier)")
    }

    func locationManager(
        _ manager: CLLocationManager, monitoringDidFailFor region: CLRegion?, withError error: any Error
    ) { note("\(region?.identifier ?? "-") failed: \((error as? CLError)?.code.rawValue ?? -1)") }

    func locationManager(
        _ manager: CLLocationManager, rangingBeaconsDidFailFor region: CLBeaconRegion, withError error: any Error
    ) { note("\(region.identifier) not ranged: \((error as? CLError)?.code.rawValue ?? -1)") }

    func locationManager(
        _ manager: CLLocationManager, didFailRangingFor beaconConstraint: CLBeaconIdentityConstraint, error: any Error
    ) { note("\(beaconConstraint.major ?? 0) not ranged: \((error as? CLError)?.code.rawValue ?? -1)") }

    func locationManager(_ manager: CLLocationManager, didRangeBeacons beacons: [CLBeacon], in region: CLBeaconRegion) {
        note(region.identifier, beacons)
    }

    func locationManager(
        _ manager: CLLocationManager, didRange beacons: [CLBeacon],
        satisfying beaconConstraint: CLBeaconIdentityConstraint
    ) { note("\(beaconConstraint.major ?? 0)", beacons) }
}

/// A world with the path loss of the estimated distances, and beacons with the power of its radio at 1 m: the distances are right.
struct BeaconWorld {
    let world = World(seed: 8, environment: RadioEnvironment(pathLossExponent: 2))
    let uuid = UUID()

    func beacon(_ minor: UInt16, at x: Double = 2, major: UInt16 = 1) throws -> VirtualAdvertiser {
        let structure = AdvertisingStructure.iBeacon(uuid, major: major, minor: minor, measuredPower: -40)
        return try world.addAdvertiser(
            "beacon \(major) \(minor)", RawAdvertisement(structures: [.flags(), structure]), at: Position(x: x))
    }

    func manager(_ device: VirtualDevice) -> (CLLocationManager, LocationRecorder) {
        let recorder = LocationRecorder(world)
        let manager = device.run { CLLocationManager() }
        manager.delegate = recorder
        return (manager, recorder)
    }

    func region(_ identifier: String = "door") -> CLBeaconRegion { CLBeaconRegion(uuid: uuid, identifier: identifier) }
}
