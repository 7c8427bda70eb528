internal import BLERuntime
import BLEAdapter
import Foundation

/// Stores the state of a central manager with a restore identifier, and provides the state that an earlier run left.
final class CentralRestorer: Sendable {
    private let record: RestorationRecord<CentralRestoration>

    /// Nil without a restore identifier, and if the adapter has no store.
    init?(_ options: [String: Any]?, _ adapter: any BluetoothAdapter) {
        guard let identifier = options?.text(CBCentralManagerOptionRestoreIdentifierKey), !identifier.isEmpty,
            let store = adapter.restorationStore
        else { return nil }
        record = RestorationRecord(store.central(identifier) ?? CentralRestoration()) {
            store.keep($0.isEmpty ? nil : $0, of: identifier)
        }
    }

    /// The state that an earlier run left; nil if there is none.
    var found: CentralRestoration? {
        let content = record.content
        return content.isEmpty ? nil : content
    }

    func scanChanged(_ scan: ScanRequest?) { record.change { $0.scan = scan } }

    func connectionRequested(_ peer: PeerIdentifier, reconnectsAutomatically: Bool) {
        record.change { content in
            content.connections.removeAll { $0.peer == peer }
            content.connections.append(.init(peer: peer, reconnectsAutomatically: reconnectsAutomatically))
        }
    }

    func connectionEnded(_ peer: PeerIdentifier) {
        record.change { content in content.connections.removeAll { $0.peer == peer } }
    }

    /// Clears the record at the manager's release, or when the adapter is lost.
    func forget() { record.change { $0 = CentralRestoration() } }
}
