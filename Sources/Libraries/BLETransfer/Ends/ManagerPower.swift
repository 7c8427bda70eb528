import CoreBluetooth

/// The power of the adapter of one end.
struct ManagerPower {
    enum Change { case on, off, unusable }

    private var wasOn = false

    /// An adapter that was on and is unsupported now has gone, and may come back. Before, there is none.
    mutating func change(to state: CBManagerState) -> Change {
        switch state {
        case .poweredOn:
            wasOn = true
            return .on
        case .unauthorized: return .unusable
        case .unsupported: return wasOn ? .off : .unusable
        default: return .off
        }
    }
}
