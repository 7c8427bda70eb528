/// Whether the user lets the program use the location services.
///
/// Linux has no dialog for this: a request is granted at once, and beacons are monitored and ranged without one, too.
public enum CLAuthorizationStatus: Int32, Sendable {
    /// The program has not asked.
    case notDetermined = 0
    /// Not used on Linux.
    case restricted = 1
    /// Not used on Linux.
    case denied = 2
    /// The program may always use the location services.
    case authorizedAlways = 3
    /// The program may use the location services while it is in use.
    case authorizedWhenInUse = 4

    /// The older name of ``authorizedAlways``.
    public static var authorized: CLAuthorizationStatus { .authorizedAlways }
}
