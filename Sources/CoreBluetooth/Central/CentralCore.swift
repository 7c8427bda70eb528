internal import BLERuntime
internal import BLEWire
import BLEAdapter
import Foundation

/// The implementation of a central manager. It keeps the session and weak references to the peripherals, and turns the adapter's
/// events into callbacks.
final class CentralCore: ManagerCore<CentralManagerState>, @unchecked Sendable {
    /// Nil without a restore identifier.
    let restorer: CentralRestorer?

    init(dispatcher: CallbackDispatcher, delegate: (any CBCentralManagerDelegate)?, restorer: CentralRestorer?) {
        self.restorer = restorer
        super.init(dispatcher: dispatcher, state: CentralManagerState(delegate: delegate))
        dispatcher.setReceiver(self)
    }

    func start(_ manager: CBCentralManager) {
        start(manager) { dispatcher.adapter.openCentral(observer: self) }
    }

    /// Ends the manager's scan and connections after the manager's release.
    func close() {
        let (session, peripherals, confirmations) = guarded.withLock { state in
            let session = state.session
            state.session = nil
            state.scan = nil
            state.isClosed = true
            // The result holds the kept objects, too.
            let peripherals = state.peripherals.objects
            _ = state.peripherals.dropAll()
            return (session, peripherals, state.confirmations.removeAll())
        }
        for peripheral in peripherals { peripheral.linkLost(isInvalidated: true) }
        restorer?.forget()
        withExtendedLifetime((session, confirmations)) {}
    }
}

extension CentralCore {
    /// The object for a peer, if the program keeps one.
    func existingPeripheral(_ peer: PeerIdentifier) -> CBPeripheral? {
        guarded.withLock { $0.peripherals[peer] }
    }

    /// The object for a peer, if the program keeps one and the manager exists.
    func managedPeripheral(_ peer: PeerIdentifier) -> CBPeripheral? {
        guarded.withLock { $0.isClosed ? nil : $0.peripherals[peer] }
    }

    /// The object for a peer: the one that the program keeps, or a new one.
    func peripheral(for record: PeerRecord) -> CBPeripheral {
        guarded.withLock { state in
            if let known = state.peripherals[record.identifier] { return known }
            let new = CBPeripheral(owner: self, record: record)
            state.peripherals.insert(new)
            return new
        }
    }

    /// Changes the scan of the manager.
    func setScan(_ scan: ScanRequest?) {
        let unused = guarded.withLock { state in
            state.scan = scan
            return scan?.allowDuplicates == true ? [] : state.peripherals.dropAll()
        }
        withExtendedLifetime(unused) {}
    }
}

extension CentralCore: PeripheralOwner {
    var hasManager: Bool { manager != nil }

    func connectionRequested(_ peripheral: CBPeripheral, reconnectsAutomatically: Bool) {
        let kept = guarded.withLock { $0.peripherals.use(peripheral) }
        withExtendedLifetime(kept) {}
        restorer?.connectionRequested(peripheral.peer, reconnectsAutomatically: reconnectsAutomatically)
    }

    func connectionEnded(_ peer: PeerIdentifier) { restorer?.connectionEnded(peer) }

    func peripheralReleased(_ peer: PeerIdentifier, _ identity: ObjectIdentifier, wantedConnection: Bool) {
        let (session, successor) = guarded.withLock { ($0.session, $0.peripherals.remove(peer, identity)) }
        guard wantedConnection, let session, successor?.wantsConnection != true else { return }
        APIMisuse.log(
            "Cancelling connection for unused peripheral \(peer.uuid), Did you forget to keep a reference to it?")
        restorer?.connectionEnded(peer)
        session.cancelConnection(peer)
    }
}
