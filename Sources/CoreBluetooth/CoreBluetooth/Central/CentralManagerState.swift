internal import BLERuntime
import BLEAdapter
import Foundation

/// The state of a central manager.
struct CentralManagerState: ManagerState {
    weak var manager: CBCentralManager?
    weak var delegate: (any CBCentralManagerDelegate)?
    var session: (any CentralSession)?
    /// Nil after the manager's release.
    var handle: CentralHandle?
    var state = CBManagerState.unknown
    var isStateKnown = false
    var missedState: CBManagerState?
    /// The active scan; nil if the manager does not scan.
    var scan: ScanRequest?
    var isScanning: Bool { scan != nil }
    var peripherals = PeripheralTable()
    /// Whether the manager has been released.
    var isClosed = false
    var connectionEvents: ConnectionEventFilter?
    /// Peers with a pending callback about room for Write Commands.
    var readyPeers: Set<PeerIdentifier> = []
    var confirmations = WaitingConfirmations()
    /// Set by the default body of the delegate's didDisconnectPeripheral with three arguments.
    var lacksShortDisconnection = false
    /// Whether a line in the log says why the connection of a device is not renewed.
    var hasExplainedDisconnection = false
    /// The restored state of an earlier run, until the adapter is powered on for the first time.
    var restoring: CentralRestoration?

    struct Watched: Equatable {
        let state: CBManagerState
        let isScanning: Bool
    }

    var watched: Watched { Watched(state: state, isScanning: isScanning) }
}

/// A manager during consecutive callbacks, which load the weak reference to it once.
/// It cannot be copied, because references to objects with weak references are expensive.
struct RetainedManager: ~Copyable {
    private var manager: CBCentralManager

    init?(_ manager: CBCentralManager?) {
        guard let manager else { return nil }
        self.manager = manager
    }

    borrowing func discovered(
        _ peripheral: CBPeripheral, _ advertisement: [String: Any], rssi: NSNumber,
        _ delegate: any CBCentralManagerDelegate
    ) {
        delegate.centralManager(manager, didDiscover: peripheral, advertisementData: advertisement, rssi: rssi)
    }

    /// Whether the program has released the manager.
    mutating func isReleased() -> Bool { isKnownUniquelyReferenced(&manager) }
}
