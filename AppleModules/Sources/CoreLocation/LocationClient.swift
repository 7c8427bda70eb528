import BLEBeacons

/// What a location manager ranges, in the form of the call.
enum RangingRequest: Hashable {
    case region(CLBeaconRegion)
    case constraint(CLBeaconIdentityConstraint)

    var beacons: BeaconRegion {
        switch self {
        case .region(let region): region.beacons
        case .constraint(let constraint): constraint.beacons
        }
    }
}

/// A location manager, as its service sees it.
final class LocationClient: Sendable {
    private struct Content {
        weak var manager: CLLocationManager?
        weak var delegate: (any CLLocationManagerDelegate)?
    }

    private let content = Guarded(Content())

    func setManager(_ manager: CLLocationManager) { content.withLock { $0.manager = manager } }

    var delegate: (any CLLocationManagerDelegate)? {
        get { content.withLock { $0.delegate } }
        set { content.withLock { $0.delegate = newValue } }
    }

    /// Calls `body` with the delegate. Has no effect without one, or after the manager's release.
    func notify(_ body: (CLLocationManager, any CLLocationManagerDelegate) -> Void) {
        let (manager, delegate) = content.withLock { ($0.manager, $0.delegate) }
        guard let manager, let delegate else { return }
        body(manager, delegate)
    }
}
