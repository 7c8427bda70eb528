import BLEBeacons
public import Foundation

/// The beacons that a location manager ranges: all beacons of one UUID, of one group, or a single one.
open class CLBeaconIdentityConstraint: NSObject, @unchecked Sendable {
    let beacons: BeaconRegion

    /// All beacons with this UUID.
    public init(uuid: UUID) { beacons = BeaconRegion(uuid: uuid) }

    /// All beacons with this UUID in one group.
    public init(uuid: UUID, major: CLBeaconMajorValue) { beacons = BeaconRegion(uuid: uuid, major: major) }

    /// One beacon.
    public init(uuid: UUID, major: CLBeaconMajorValue, minor: CLBeaconMinorValue) {
        beacons = BeaconRegion(uuid: uuid, major: major, minor: minor)
    }

    /// The UUID of the beacons.
    open var uuid: UUID { beacons.uuid }

    /// The group of the beacons; nil matches every group.
    open var major: CLBeaconMajorValue? { beacons.major }

    /// The number of the beacon in its group; nil matches every beacon.
    open var minor: CLBeaconMinorValue? { beacons.minor }

    /// Compares UUID, group and number.
    open override func isEqual(_ object: Any?) -> Bool {
        (object as? CLBeaconIdentityConstraint)?.beacons == beacons
    }

    /// The hash of UUID, group and number.
    open override var hash: Int { beacons.hashValue }

    /// UUID, group and number.
    open override var description: String {
        "CLBeaconIdentityConstraint (\(beacons.text))"
    }
}

extension BeaconRegion {
    /// UUID, group and number, as in the descriptions of Apple's objects.
    var text: String {
        "uuid:\(uuid.uuidString), major:\(major.map { "\($0)" } ?? "(null)"), minor:\(minor.map { "\($0)" } ?? "(null)")"
    }
}
