internal import BLERuntime
internal import BLEWire
import BLEAdapter
import Foundation

// The restoration of an earlier run's state, on the delegate's queue.
extension CentralCore {
    /// Passes the restored state to the delegate, before the first state callback. The peripherals are `.connecting` from here on.
    /// The program must keep references to them.
    func reportRestoredState(_ manager: CBCentralManager) {
        guard let found = restorer?.found, !guarded.withLock({ $0.isStateKnown }) else { return }
        guarded.withLock { $0.restoring = found }
        var state: [String: Any] = [:]
        let peripherals = found.connections.map { connection in
            peripheral(
                for: dispatcher.adapter.restorationStore?.record(of: connection.peer)
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

    /// Resumes the restored scan and connections when the adapter is powered on for the first time.
    func resumeRestored() {
        let (found, session) = guarded.withLock { state in
            defer { state.restoring = nil }
            if let scan = state.restoring?.scan { state.scan = scan }
            return (state.restoring, state.session)
        }
        guard let found, let session else { return }
        if let scan = found.scan { session.startScan(scan) }
        for connection in found.connections {
            // The attempt ended if the program did not keep the peripheral.
            guard existingPeripheral(connection.peer)?.wantsConnection == true else { continue }
            session.connect(
                connection.peer,
                options: ConnectionOptions(reconnectsAutomatically: connection.reconnectsAutomatically))
        }
    }
}

extension ScanRequest {
    /// The options of the scan, as the program passed them.
    fileprivate var options: [String: Any] {
        var options: [String: Any] = [:]
        if allowDuplicates { options[CBCentralManagerScanOptionAllowDuplicatesKey] = true }
        if !solicitedServices.isEmpty {
            options[CBCentralManagerScanOptionSolicitedServiceUUIDsKey] = solicitedServices.map { CBUUID(value: $0) }
        }
        return options
    }
}
