#if !canImport(Darwin)
internal import BLERuntime
internal import BLEWire
import BLEAdapter
import Foundation

/// What a central manager is behind its public face: it keeps the session, knows the peripherals weakly, and turns what
/// the adapter observes into callbacks. Peripherals hold it, so it may outlive its manager; the session does not.
final class CentralCore: @unchecked Sendable {
    struct State: WatchedState {
        weak var manager: CBCentralManager?
        weak var delegate: (any CBCentralManagerDelegate)?
        var session: (any CentralSession)?
        var state = CBManagerState.unknown
        var isStateKnown = false
        /// What is scanned for; nil: nothing.
        var scan: ScanRequest?
        var isScanning: Bool { scan != nil }
        var peripherals: [PeerIdentifier: WeakPeripheral] = [:]
        var connectionEvents: ConnectionEventFilter?
        /// Peers whose readiness for Write Commands is on its way to the delegate.
        var readyPeers: Set<PeerIdentifier> = []
        var confirmations = WaitingConfirmations()
        /// What an earlier run did, until the adapter is powered on for the first time.
        var restoring: CentralRestoration?

        struct Watched: Equatable {
            let state: CBManagerState
            let isScanning: Bool
        }

        var watched: Watched { Watched(state: state, isScanning: isScanning) }
    }

    final class WeakPeripheral {
        weak let object: CBPeripheral?
        let identity: ObjectIdentifier

        init(_ object: CBPeripheral) {
            self.object = object
            identity = ObjectIdentifier(object)
        }
    }

    let delivery: Delivery
    let guarded: ObservedLock<State>
    /// Nil without a restore identifier.
    let restorer: CentralRestorer?

    init(delivery: Delivery, delegate: (any CBCentralManagerDelegate)?, restorer: CentralRestorer? = nil) {
        self.delivery = delivery
        self.restorer = restorer
        guarded = ObservedLock(State(delegate: delegate))
    }

    /// Held while the session is opened: the first callback may come on another thread before it is known here.
    private let opening = Lock(())

    /// Opens the session, once the manager is complete.
    func start(_ manager: CBCentralManager) {
        guarded.withLock { $0.manager = manager }
        opening.withLock { _ in
            let session = delivery.adapter.openCentral(observer: self)
            guarded.withLock { $0.session = session }
        }
    }

    /// Returns when the session is known.
    func awaitStart() {
        opening.withLock { _ in }
    }

    /// The manager is gone: ends its scan and its connections.
    func close() {
        let (session, peripherals, confirmations) = guarded.withLock { state in
            let session = state.session
            state.session = nil
            state.scan = nil
            return (
                session, state.peripherals.values.compactMap { $0.object }, state.confirmations.removeAll()
            )
        }
        for peripheral in peripherals { peripheral.linkLost(isInvalidated: true) }
        restorer?.forget()
        withExtendedLifetime((session, confirmations)) {}
    }

    var manager: CBCentralManager? { guarded.withLock { $0.manager } }
    var delegate: (any CBCentralManagerDelegate)? { guarded.withLock { $0.delegate } }
    var session: (any CentralSession)? { guarded.withLock { $0.session } }
    var state: CBManagerState { guarded.withLock { $0.state } }

    /// The session, if commands are accepted; else says so and gives nil.
    func sessionForCommand(_ caller: @autoclosure () -> String) -> (any CentralSession)? {
        let (state, session) = guarded.withLock { ($0.state, $0.session) }
        guard state == .poweredOn else {
            APIMisuse.log("\(caller()) can only accept this command while in the powered on state")
            return nil
        }
        return session
    }
}

extension CentralCore {
    /// The object for a peer, if the program keeps one.
    func existingPeripheral(_ peer: PeerIdentifier) -> CBPeripheral? {
        guarded.withLock { $0.peripherals[peer]?.object }
    }

    /// The same, if the manager is still there.
    func managedPeripheral(_ peer: PeerIdentifier) -> CBPeripheral? {
        let (manager, peripheral) = guarded.withLock { ($0.manager, $0.peripherals[peer]?.object) }
        return manager == nil ? nil : peripheral
    }

    /// The object for a peer: the one that the program keeps, or a new one.
    func peripheral(for record: PeerRecord) -> CBPeripheral {
        guarded.withLock { state in
            if let known = state.peripherals[record.identifier]?.object { return known }
            let new = CBPeripheral(core: self, record: record)
            state.peripherals[record.identifier] = WeakPeripheral(new)
            return new
        }
    }

    /// The program let go of a peripheral: its connection, or the attempt at one, ends.
    func released(_ peer: PeerIdentifier, _ identity: ObjectIdentifier, wantedConnection: Bool) {
        let (session, successor) = guarded.withLock { state in
            let successor = state.peripherals[peer]?.object
            if state.peripherals[peer]?.identity == identity { state.peripherals[peer] = nil }
            return (state.session, successor)
        }
        guard wantedConnection, let session, successor?.wantsConnection != true else { return }
        APIMisuse.log(
            "Cancelling connection for unused peripheral \(peer.uuid), Did you forget to keep a reference to it?")
        restorer?.connectionEnded(peer)
        session.cancelConnection(peer)
    }
}
#endif
