internal import BLERuntime
internal import BLEWire
import BLEAdapter
import Foundation

/// The implementation of a central manager. It keeps the session and weak references to the peripherals, and turns the adapter's
/// events into callbacks.
final class CentralCore: ManagerCore<CentralManagerState>, @unchecked Sendable {
    /// Nil without a restore identifier.
    let restorer: CentralRestorer?
    /// Nil if the adapter does not compute identifiers.
    private let identification: (any PeerIdentification)?

    init(dispatcher: CallbackDispatcher, delegate: (any CBCentralManagerDelegate)?, restorer: CentralRestorer?) {
        self.restorer = restorer
        identification = dispatcher.adapter.peerIdentification
        super.init(dispatcher: dispatcher, state: CentralManagerState(delegate: delegate))
        let handle = CentralHandle(self)
        guarded.withLock { $0.handle = handle }
        dispatcher.setReceiver(handle)
    }

    func start(_ manager: CBCentralManager) {
        start(manager) { dispatcher.adapter.openCentral(observer: self) }
    }

    /// Ends the manager's scan and connections after the manager's release.
    func close() {
        let (session, handle, peripherals, confirmations) = guarded.withLock { state in
            let (session, handle) = (state.session, state.handle)
            state.session = nil
            state.handle = nil
            state.scan = nil
            state.isClosed = true
            // The result holds the kept objects, too.
            let peripherals = state.peripherals.objects
            _ = state.peripherals.dropAll()
            return (session, handle, peripherals, state.confirmations.removeAll())
        }
        dispatcher.setReceiver(nil)
        for peripheral in peripherals { peripheral.linkLost(isInvalidated: true) }
        restorer?.forget()
        withExtendedLifetime((session, handle, confirmations)) {}
    }
}

extension CentralCore {
    private func identity(of identifier: PeerIdentifier) -> AdvertiserIdentity {
        identification?.identity(of: identifier) ?? AdvertiserIdentity(identifier)
    }

    /// The object for a peer, if the program keeps one.
    func existingPeripheral(_ peer: PeerIdentifier) -> CBPeripheral? {
        if let known = guarded.withLock({ $0.peripherals[requested: peer] }) { return known }
        let identity = identity(of: peer)
        return guarded.withLock { $0.peripherals[identity] }
    }

    /// The object for a peer, if the program keeps one and the manager exists.
    func managedPeripheral(_ peer: PeerIdentifier) -> CBPeripheral? {
        if let known = guarded.withLock({ $0.isClosed ? nil : $0.peripherals[requested: peer] }) { return known }
        let identity = identity(of: peer)
        return guarded.withLock { $0.isClosed ? nil : $0.peripherals[identity] }
    }

    /// The object for a peer: the one that the program keeps, or a new one.
    func peripheral(for record: PeerRecord) -> CBPeripheral {
        let identity = identity(of: record.identifier)
        return guarded.withLock { state in
            if let known = state.peripherals[identity] { return known }
            let new = CBPeripheral(owner: state.handle ?? CentralHandle(self), record: record, identity: identity)
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

// For `CentralHandle`.
extension CentralCore {
    var hasManager: Bool { manager != nil }

    func connectionRequested(_ peripheral: CBPeripheral, reconnectsAutomatically: Bool) {
        // Computes the identifier outside the lock.
        let peer = peripheral.peer
        let kept = guarded.withLock { $0.peripherals.use(peripheral) }
        withExtendedLifetime(kept) {}
        restorer?.connectionRequested(peer, reconnectsAutomatically: reconnectsAutomatically)
    }

    func connectionEnded(_ peer: PeerIdentifier) { restorer?.connectionEnded(peer) }

    func peripheralReleased(_ peer: AdvertiserIdentity, _ object: ObjectIdentifier, requested: PeerIdentifier?) {
        let (session, successor) = guarded.withLock { ($0.session, $0.peripherals.remove(peer, object)) }
        guard let peer = requested, let session, successor?.wantsConnection != true else { return }
        APIMisuse.log(
            "Cancelling connection for unused peripheral \(peer.uuid), Did you forget to keep a reference to it?")
        restorer?.connectionEnded(peer)
        session.cancelConnection(peer)
    }
}
