internal import BLERuntime
import BLEAdapter

/// The state of a central manager.
struct CentralManagerState: ManagerState {
    weak var manager: CBCentralManager?
    weak var delegate: (any CBCentralManagerDelegate)?
    var session: (any CentralSession)?
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
    /// The restored state of an earlier run, until the adapter is powered on for the first time.
    var restoring: CentralRestoration?

    struct Watched: Equatable {
        let state: CBManagerState
        let isScanning: Bool
    }

    var watched: Watched { Watched(state: state, isScanning: isScanning) }
}
