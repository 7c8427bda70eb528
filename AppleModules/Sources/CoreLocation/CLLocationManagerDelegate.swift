public import Foundation

/// Receives the events of a location manager, on its queue.
///
/// All methods are optional on Apple's systems. On Linux they are requirements with default bodies. Therefore a class that inherits the
/// conformance from a superclass of the program can only override methods that the superclass implements.
public protocol CLLocationManagerDelegate: NSObjectProtocol {
    /// The authorization of the program is known or has changed. The default body calls ``locationManager(_:didChangeAuthorization:)``.
    func locationManagerDidChangeAuthorization(_ manager: CLLocationManager)

    /// The older form of ``locationManagerDidChangeAuthorization(_:)``. A delegate that implements the newer form does not receive it.
    func locationManager(_ manager: CLLocationManager, didChangeAuthorization status: CLAuthorizationStatus)

    /// The location manager failed. Not used on Linux.
    func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error)

    /// A region is monitored from now on.
    func locationManager(_ manager: CLLocationManager, didStartMonitoringFor region: CLRegion)

    /// A region cannot be monitored.
    ///
    /// - Parameter error: A ``CLError``.
    func locationManager(
        _ manager: CLLocationManager, monitoringDidFailFor region: CLRegion?, withError error: any Error)

    /// Whether the program is in a region: when that becomes known, after each crossing, and in answer to ``CLLocationManager/requestState(for:)``.
    func locationManager(
        _ manager: CLLocationManager, didDetermineState state: CLRegionState, for region: CLRegion)

    /// The program entered a region, in which it was not before.
    func locationManager(_ manager: CLLocationManager, didEnterRegion region: CLRegion)

    /// The program left a region.
    func locationManager(_ manager: CLLocationManager, didExitRegion region: CLRegion)

    /// The beacons in range, once a second; the nearest one first, and those with an unknown proximity last.
    func locationManager(
        _ manager: CLLocationManager, didRange beacons: [CLBeacon],
        satisfying beaconConstraint: CLBeaconIdentityConstraint)

    /// Beacons cannot be ranged. Reports follow when they can.
    ///
    /// - Parameter error: A ``CLError``.
    func locationManager(
        _ manager: CLLocationManager, didFailRangingFor beaconConstraint: CLBeaconIdentityConstraint,
        error: any Error)

    /// The older form of ``locationManager(_:didRange:satisfying:)``, for ``CLLocationManager/startRangingBeacons(in:)``.
    func locationManager(
        _ manager: CLLocationManager, didRangeBeacons beacons: [CLBeacon], in region: CLBeaconRegion)

    /// The older form of ``locationManager(_:didFailRangingFor:error:)``, for ``CLLocationManager/startRangingBeacons(in:)``.
    func locationManager(
        _ manager: CLLocationManager, rangingBeaconsDidFailFor region: CLBeaconRegion, withError error: any Error)
}

extension CLLocationManagerDelegate {
    /// Calls the older form.
    public func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {
        locationManager(manager, didChangeAuthorization: manager.authorizationStatus)
    }

    /// Does nothing.
    public func locationManager(_ manager: CLLocationManager, didChangeAuthorization status: CLAuthorizationStatus) {}
    /// Does nothing.
    public func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {}
    /// Does nothing.
    public func locationManager(_ manager: CLLocationManager, didStartMonitoringFor region: CLRegion) {}
    /// Does nothing.
    public func locationManager(
        _ manager: CLLocationManager, monitoringDidFailFor region: CLRegion?, withError error: any Error
    ) {}
    /// Does nothing.
    public func locationManager(
        _ manager: CLLocationManager, didDetermineState state: CLRegionState, for region: CLRegion
    ) {}
    /// Does nothing.
    public func locationManager(_ manager: CLLocationManager, didEnterRegion region: CLRegion) {}
    /// Does nothing.
    public func locationManager(_ manager: CLLocationManager, didExitRegion region: CLRegion) {}
    /// Does nothing.
    public func locationManager(
        _ manager: CLLocationManager, didRange beacons: [CLBeacon],
        satisfying beaconConstraint: CLBeaconIdentityConstraint
    ) {}
    /// Does nothing.
    public func locationManager(
        _ manager: CLLocationManager, didFailRangingFor beaconConstraint: CLBeaconIdentityConstraint,
        error: any Error
    ) {}
    /// Does nothing.
    public func locationManager(
        _ manager: CLLocationManager, didRangeBeacons beacons: [CLBeacon], in region: CLBeaconRegion
    ) {}
    /// Does nothing.
    public func locationManager(
        _ manager: CLLocationManager, rangingBeaconsDidFailFor region: CLBeaconRegion, withError error: any Error
    ) {}
}
