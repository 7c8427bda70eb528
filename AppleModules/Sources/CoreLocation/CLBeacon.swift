import BLEBeacons
public import Foundation

/// The distance of a beacon in words.
public enum CLProximity: Int, Sendable {
    /// The beacon was not heard in the last second.
    case unknown = 0
    /// Less than 0.5 m.
    case immediate = 1
    /// Less than 4 m.
    case near = 2
    /// 4 m or more.
    case far = 3
}

/// A beacon that a location manager ranged.
open class CLBeacon: NSObject, @unchecked Sendable {
    private let ranged: RangedBeacon
    private let date: Date

    init(_ ranged: RangedBeacon, at date: Date) {
        self.ranged = ranged
        self.date = date
        super.init()
    }

    /// The time of the report. In a world it follows virtual time.
    open var timestamp: Date { date }

    /// The UUID of the beacon.
    open var uuid: UUID { ranged.beacon.uuid }

    /// The same as ``uuid``. Deprecated on Apple's systems since iOS 13.
    open var proximityUUID: UUID { ranged.beacon.uuid }

    /// The group of the beacon.
    open var major: NSNumber { NSNumber(value: ranged.beacon.major) }

    /// The number of the beacon in its group.
    open var minor: NSNumber { NSNumber(value: ranged.beacon.minor) }

    /// The distance in words.
    open var proximity: CLProximity { CLProximity(rawValue: ranged.proximity.rawValue) ?? .unknown }

    /// The estimated distance in metres; -1 if the beacon was not heard in the last second.
    open var accuracy: CLLocationAccuracy { ranged.distance ?? -1 }

    /// The mean signal strength of the last second in dBm; 0 if the beacon was not heard.
    open var rssi: Int { ranged.rssi ?? 0 }

    /// Identity, proximity, accuracy and signal strength.
    open override var description: String {
        let accuracy = String(format: "%.2f", accuracy)
        return "CLBeacon (uuid:\(uuid.uuidString), major:\(major), minor:\(minor), proximity:\(proximity.rawValue) "
            + "+/- \(accuracy)m, rssi:\(rssi))"
    }
}
