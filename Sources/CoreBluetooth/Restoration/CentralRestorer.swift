#if !canImport(Darwin)
internal import BLERuntime
import BLEAdapter
import Foundation

/// Keeps in the store what a central manager with a restore identifier does, and knows what an earlier run left there.
///
/// The record follows the manager: it holds what the manager would go on with if the program ended now.
final class CentralRestorer: Sendable {
    private let store: any RestorationStore
    private let identifier: String
    private let record: Lock<CentralRestoration>

    /// Nil without a restore identifier, and where the adapter has no store.
    init?(_ options: [String: Any]?, _ adapter: any BluetoothAdapter) {
        guard let identifier = options?.text(CBCentralManagerOptionRestoreIdentifierKey), !identifier.isEmpty,
            let store = adapter.restorationStore
        else { return nil }
        self.store = store
        self.identifier = identifier
        record = Lock(store.central(identifier) ?? CentralRestoration())
    }

    /// What an earlier run left; nil: nothing.
    var found: CentralRestoration? {
        let record = record.withLock { $0 }
        return record.isEmpty ? nil : record
    }

    func scanChanged(_ scan: ScanRequest?) { change { $0.scan = scan } }

    func connectionWanted(_ peer: PeerIdentifier, reconnectsAutomatically: Bool) {
        change { record in
            record.connections.removeAll { $0.peer == peer }
            record.connections.append(.init(peer: peer, reconnectsAutomatically: reconnectsAutomatically))
        }
    }

    func connectionEnded(_ peer: PeerIdentifier) {
        change { record in record.connections.removeAll { $0.peer == peer } }
    }

    /// The manager does nothing any more.
    func forget() { change { $0 = CentralRestoration() } }

    private func change(_ body: (inout CentralRestoration) -> Void) {
        record.withLock { record in
            let old = record
            body(&record)
            // Under the lock, so that two changes reach the store in their order. The store never calls back.
            if record != old { store.keep(record.isEmpty ? nil : record, of: identifier) }
        }
    }
}
#endif
