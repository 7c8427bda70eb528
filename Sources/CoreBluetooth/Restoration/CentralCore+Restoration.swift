#if !canImport(Darwin)
internal import BLERuntime
internal import BLEWire
import BLEAdapter
import Foundation

// A manager that was made anew with its restore identifier, on the delegate's queue.
extension CentralCore {
    /// Before the first state: tells the delegate what an earlier run did. The peripherals are `.connecting` from here on; the
    /// program has to keep them.
    func tellRestoredState(_ manager: CBCentralManager) {
        guard let found = restorer?.found, !guarded.withLock({ $0.isStateKnown }) else { return }
        guarded.withLock { $0.restoring = found }
        var state: [String: Any] = [:]
        let peripherals = found.connections.map { connection in
            peripheral(
                for: delivery.adapter.restorationStore?.record(of: connection.peer)
                    ?? PeerRecord(identifier: connection.peer, name: nil))
        }
        for (peripheral, connection) in zip(peripherals, found.connections) {
            _ = peripheral.beginConnecting(reconnectsAutomatically: connection.reconnectsAutomatically)
        }
        if !peripherals.isEmpty { state[CBCentralManagerRestoredStatePeripheralsKey] = peripherals }
        if let scan = found.scan {
            state[CBCentralManagerRestoredStateScanServicesKey] = scan.services.map { CBUUID(value: $0) }
            state[CBCentralManagerRestoredStateScanOptionsKey] = scan.options
        }
        delegate?.centralManager(manager, willRestoreState: state)
        withExtendedLifetime(peripherals) {}
    }

    /// Powered on for the first time: goes on with what the earlier run did.
    func resumeRestored() {
        let (found, session) = guarded.withLock { state in
            defer { state.restoring = nil }
            if let scan = state.restoring?.scan { state.scan = scan }
            return (state.restoring, state.session)
        }
        guard let found, let session else { return }
        if let scan = found.scan { session.startScan(scan) }
        for connection in found.connections {
            // A peripheral that the program did not keep is gone, and with it the attempt.
            guard existingPeripheral(connection.peer)?.wantsConnection == true else { continue }
            session.connect(
                connection.peer,
                options: ConnectionOptions(reconnectsAutomatically: connection.reconnectsAutomatically))
        }
    }
}

extension ScanRequest {
    /// The options of the scan, as a program gives them.
    fileprivate var options: [String: Any] {
        var options: [String: Any] = [:]
        if allowDuplicates { options[CBCentralManagerScanOptionAllowDuplicatesKey] = true }
        if !solicitedServices.isEmpty {
            options[CBCentralManagerScanOptionSolicitedServiceUUIDsKey] = solicitedServices.map { CBUUID(value: $0) }
        }
        return options
    }
}
#endif
