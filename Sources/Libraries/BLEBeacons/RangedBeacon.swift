/// A beacon in a ranged region, as ``BeaconScanner`` reports it.
public struct RangedBeacon: Hashable, Sendable {
    /// The beacon.
    public let beacon: IBeacon
    /// The mean signal strength of the last second in dBm; nil if the beacon was not heard.
    public let rssi: Int?
    /// The distance in metres, by ``RangeEstimator``; nil if the beacon was not heard in the last second.
    public let distance: Double?

    /// The distance in words.
    public var proximity: Proximity { Proximity(distance: distance) }
}
