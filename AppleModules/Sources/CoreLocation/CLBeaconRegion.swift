import BLEBeacons
public import Foundation

/// A region of beacons: all beacons of one UUID, of one group, or a single one. The program is in it while it hears one of them.
open class CLBeaconRegion: CLRegion, @unchecked Sendable {
    let beacons: BeaconRegion
    private let isNotifiedOnDisplay = Guarded(false)

    /// All beacons with this UUID.
    public init(uuid: UUID, identifier: String) {
        beacons = BeaconRegion(uuid: uuid)
        super.init(identifier: identifier)
    }

    /// All beacons with this UUID in one group.
    public init(uuid: UUID, major: CLBeaconMajorValue, identifier: String) {
        beacons = BeaconRegion(uuid: uuid, major: major)
        super.init(identifier: identifier)
    }

    /// One beacon.
    public init(uuid: UUID, major: CLBeaconMajorValue, minor: CLBeaconMinorValue, identifier: String) {
        beacons = BeaconRegion(uuid: uuid, major: major, minor: minor)
        super.init(identifier: identifier)
    }

    /// The beacons of a constraint.
    public init(beaconIdentityConstraint: CLBeaconIdentityConstraint, identifier: String) {
        beacons = beaconIdentityConstraint.beacons
        super.init(identifier: identifier)
    }

    /// All beacons with this UUID. Deprecated on Apple's systems since iOS 13.
    public init(proximityUUID: UUID, identifier: String) {
        beacons = BeaconRegion(uuid: proximityUUID)
        super.init(identifier: identifier)
    }

    /// All beacons with this UUID in one group. Deprecated on Apple's systems since iOS 13.
    public init(proximityUUID: UUID, major: CLBeaconMajorValue, identifier: String) {
        beacons = BeaconRegion(uuid: proximityUUID, major: major)
        super.init(identifier: identifier)
    }

    /// One beacon. Deprecated on Apple's systems since iOS 13.
    public init(proximityUUID: UUID, major: CLBeaconMajorValue, minor: CLBeaconMinorValue, identifier: String) {
        beacons = BeaconRegion(uuid: proximityUUID, major: major, minor: minor)
        super.init(identifier: identifier)
    }

    /// The UUID of the beacons.
    open var uuid: UUID { beacons.uuid }

    /// The same as ``uuid``. Deprecated on Apple's systems since iOS 13.
    open var proximityUUID: UUID { beacons.uuid }

    /// The group of the beacons; nil matches every group.
    open var major: NSNumber? { beacons.major.map { NSNumber(value: $0) } }

    /// The number of the beacon in its group; nil matches every beacon.
    open var minor: NSNumber? { beacons.minor.map { NSNumber(value: $0) } }

    /// The beacons of the region.
    open var beaconIdentityConstraint: CLBeaconIdentityConstraint {
        switch (beacons.major, beacons.minor) {
        case (let major?, let minor?): CLBeaconIdentityConstraint(uuid: uuid, major: major, minor: minor)
        case (let major?, nil): CLBeaconIdentityConstraint(uuid: uuid, major: major)
        default: CLBeaconIdentityConstraint(uuid: uuid)
        }
    }

    /// Whether the delegate receives the state when the user turns on the display. No effect on Linux.
    open var notifyEntryStateOnDisplay: Bool {
        get { isNotifiedOnDisplay.withLock { $0 } }
        set { isNotifiedOnDisplay.withLock { $0 = newValue } }
    }

    /// The dictionary with which `CBPeripheralManager.startAdvertising(_:)` makes this device a beacon of the region. A missing group or number is 0.
    ///
    /// - Parameter measuredPower: The signal strength at a distance of 1 m in dBm; nil is -59 dBm. A value outside -128 to 127 becomes the
    ///   nearest limit.
    open func peripheralData(withMeasuredPower measuredPower: NSNumber?) -> NSMutableDictionary {
        let beacon = IBeacon(
            uuid: uuid, major: beacons.major ?? 0, minor: beacons.minor ?? 0,
            measuredPower: measuredPower.map { Int8(clamping: $0.intValue) } ?? -59)
        // Without company, type and length, which CoreBluetooth adds.
        return NSMutableDictionary(dictionary: ["kCBAdvDataAppleBeaconKey": Data(beacon.manufacturerData.dropFirst(4))])
    }

    /// Identifier, UUID, group and number.
    open override var description: String { "CLBeaconRegion (identifier:'\(identifier)', \(beacons.text))" }
}
