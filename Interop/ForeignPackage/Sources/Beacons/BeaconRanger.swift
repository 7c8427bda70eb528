import CoreLocation

/// Watches the iBeacons of a UUID, in the manner of programs for Apple's systems: monitoring finds them, and ranging says how near they are.
public final class BeaconRanger: NSObject {
    /// The distance of the nearest beacon.
    public private(set) var proximity = CLProximity.unknown
    /// Whether a beacon is in range.
    public private(set) var isInside = false

    private let locationManager = CLLocationManager()
    private let region: CLBeaconRegion

    /// Makes a ranger, which asks for the location services.
    public init(uuid: UUID) {
        region = CLBeaconRegion(uuid: uuid, identifier: "org.example.beacons")
        super.init()
        locationManager.delegate = self
        locationManager.requestAlwaysAuthorization()
    }
}

extension BeaconRanger: CLLocationManagerDelegate {
    /// Starts to monitor when the program may.
    public func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {
        switch manager.authorizationStatus {
        case .authorizedAlways, .authorizedWhenInUse:
            guard CLLocationManager.isMonitoringAvailable(for: CLBeaconRegion.self) else { return }
            region.notifyEntryStateOnDisplay = true
            manager.startMonitoring(for: region)
        case .notDetermined, .restricted, .denied: break
        @unknown default: break
        }
    }

    /// Ranges while a beacon is in range.
    public func locationManager(
        _ manager: CLLocationManager, didDetermineState state: CLRegionState, for region: CLRegion
    ) {
        guard let region = region as? CLBeaconRegion else { return }
        isInside = state == .inside
        if isInside {
            manager.startRangingBeacons(satisfying: region.beaconIdentityConstraint)
        } else {
            manager.stopRangingBeacons(satisfying: region.beaconIdentityConstraint)
            proximity = .unknown
        }
    }

    /// Notes the nearest beacon.
    public func locationManager(
        _ manager: CLLocationManager, didRange beacons: [CLBeacon],
        satisfying beaconConstraint: CLBeaconIdentityConstraint
    ) {
        let known = beacons.filter { $0.proximity != .unknown }
        proximity = known.first?.proximity ?? .unknown
    }

    /// A failure of the Bluetooth of this machine.
    public func locationManager(
        _ manager: CLLocationManager, didFailRangingFor beaconConstraint: CLBeaconIdentityConstraint, error: Error
    ) { proximity = .unknown }
}
