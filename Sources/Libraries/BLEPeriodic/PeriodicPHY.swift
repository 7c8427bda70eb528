internal import BLEWire

/// The physical layer of a train.
public enum PeriodicPHY: Hashable, Sendable {
    case le1M
    case le2M
    /// Long range. The announcements are on it as well, so that only receivers whose scans are on it find the train:
    /// `BLUETOOTH_EXTENDED_ADVERTISING=coded`.
    case coded

    var phy: HCI.PHY {
        switch self {
        case .le1M: .le1M
        case .le2M: .le2M
        case .coded: .leCoded
        }
    }

    init(_ phy: HCI.PHY) {
        switch phy {
        case .le2M: self = .le2M
        case .leCoded: self = .coded
        default: self = .le1M
        }
    }
}
