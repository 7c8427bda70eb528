public import Foundation

/// Monitors regions of beacons and ranges the beacons in them.
///
/// The manager uses the virtual device in whose `VirtualDevice.run` it is created, and the clock of its world; elsewhere the adapter that a
/// `CBCentralManager` uses. It calls its delegate on the main queue, and on a virtual device on a queue of that device. On Apple's systems,
/// the run loop of the thread that creates the manager delivers the callbacks.
///
/// A region is entered when a beacon of it is heard, and left when none was heard for 30 s. Where the program is when monitoring begins, or
/// when Bluetooth is turned on, is reported by didDetermineState, not by didEnterRegion: at once if a beacon is heard, and otherwise after
/// 3 s. The monitored regions are those of all managers of the program. They end with the last manager; Linux does not start a program for
/// a region.
///
/// The manager may be used from any thread.
open class CLLocationManager: NSObject, @unchecked Sendable {
    private let service: LocationService
    private let client = LocationClient()
    private let settings = Guarded((background: false, pauses: true, tellsAuthorization: true))

    /// Creates a manager. Its delegate receives the authorization soon after it is set.
    public override init() {
        service = LocationService.current
        super.init()
        client.setManager(self)
        service.add(client)
    }

    deinit { service.remove(client) }

    /// The object that receives the events. The manager keeps a weak reference.
    open weak var delegate: (any CLLocationManagerDelegate)? {
        get { client.delegate }
        set {
            client.delegate = newValue
            let isFirst = settings.withLock { settings in
                guard newValue != nil, settings.tellsAuthorization else { return false }
                settings.tellsAuthorization = false
                return true
            }
            if isFirst { service.post(client) { $1.locationManagerDidChangeAuthorization($0) } }
        }
    }

    // MARK: Authorization

    /// Whether the location services are on. Always true on Linux.
    open class func locationServicesEnabled() -> Bool { true }

    /// The authorization of the program. Deprecated on Apple's systems since iOS 14.
    open class func authorizationStatus() -> CLAuthorizationStatus { LocationService.authorization }

    /// The authorization of the program: `notDetermined` until it asks.
    open var authorizationStatus: CLAuthorizationStatus { service.authorization }

    /// Asks for the location services while the program is in use. The request is granted at once, and the delegates of all managers are told.
    open func requestWhenInUseAuthorization() { service.requestAuthorization(.authorizedWhenInUse) }

    /// Asks for the location services at any time. The request is granted at once, and the delegates of all managers are told.
    open func requestAlwaysAuthorization() { service.requestAuthorization(.authorizedAlways) }

    /// Whether the program has location updates in the background. No effect on Linux.
    open var allowsBackgroundLocationUpdates: Bool {
        get { settings.withLock { $0.background } }
        set { settings.withLock { $0.background = newValue } }
    }

    /// Whether the system may pause location updates. No effect on Linux.
    open var pausesLocationUpdatesAutomatically: Bool {
        get { settings.withLock { $0.pauses } }
        set { settings.withLock { $0.pauses = newValue } }
    }

    // MARK: Monitoring

    /// Whether regions of a class can be monitored. On Linux, those of ``CLBeaconRegion`` can.
    open class func isMonitoringAvailable(for regionClass: AnyClass) -> Bool { regionClass is CLBeaconRegion.Type }

    /// The regions that the managers of the program monitor.
    open var monitoredRegions: Set<CLRegion> { Set(service.regions) }

    /// Monitors a region. didStartMonitoringFor follows, and then didDetermineState when it is known where the program is.
    ///
    /// - Parameter region: A region of beacons. It replaces a monitored region with the same identifier. If 20 other regions are monitored,
    ///   monitoringDidFailFor follows with ``CLError/Code/regionMonitoringFailure``.
    open func startMonitoring(for region: CLRegion) { service.startMonitoring(region, client) }

    /// Ends the monitoring of the region with the identifier of `region`, also if another manager has begun it.
    open func stopMonitoring(for region: CLRegion) { service.stopMonitoring(region) }

    /// Asks whether the program is in the region with the identifier of `region`. didDetermineState follows, unless Bluetooth is off. The
    /// state is `unknown` if the region is not monitored, or if it is not known yet where the program is.
    open func requestState(for region: CLRegion) { service.requestState(region, client) }

    // MARK: Ranging

    /// Whether beacons can be ranged. Always true on Linux; without an adapter, or while Bluetooth is off, ranging fails.
    open class func isRangingAvailable() -> Bool { true }

    /// What the manager ranges by constraint.
    open var rangedBeaconConstraints: Set<CLBeaconIdentityConstraint> {
        Set(
            service.ranged(by: client).compactMap {
                if case .constraint(let constraint) = $0 { constraint } else { nil }
            })
    }

    /// What the manager ranges by region. Deprecated on Apple's systems since iOS 13.
    open var rangedRegions: Set<CLRegion> {
        Set(service.ranged(by: client).compactMap { if case .region(let region) = $0 { region } else { nil } })
    }

    /// Reports the beacons of a constraint once a second: didRange follows. While Bluetooth is off, didFailRangingFor follows in its place, with
    /// ``CLError/Code/rangingUnavailable``, and the reports go on when Bluetooth is turned on.
    open func startRangingBeacons(satisfying constraint: CLBeaconIdentityConstraint) {
        service.startRanging(.constraint(constraint), client)
    }

    /// Ends the reports of the beacons of a constraint.
    open func stopRangingBeacons(satisfying constraint: CLBeaconIdentityConstraint) {
        service.stopRanging(.constraint(constraint), client)
    }

    /// The older form of ``startRangingBeacons(satisfying:)``: didRangeBeacons and rangingBeaconsDidFailFor follow. Deprecated on Apple's
    /// systems since iOS 13.
    open func startRangingBeacons(in region: CLBeaconRegion) { service.startRanging(.region(region), client) }

    /// Ends the reports of the beacons of the region with the identifier of `region`.
    open func stopRangingBeacons(in region: CLBeaconRegion) { service.stopRanging(.region(region), client) }
}
