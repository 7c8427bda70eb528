internal import BLERuntime
internal import BLEWire
import BLEAdapter
import Foundation

/// Stores the published services and the advertisement of a peripheral manager with a restore identifier, and provides the state
/// that an earlier run left.
final class PeripheralRestorer: Sendable {
    private let record: RestorationRecord<PeripheralRestoration>

    /// Nil without a restore identifier, and if the adapter has no store.
    init?(_ options: [String: Any]?, _ adapter: any BluetoothAdapter) {
        guard let identifier = options?.text(CBPeripheralManagerOptionRestoreIdentifierKey), !identifier.isEmpty,
            let store = adapter.restorationStore
        else { return nil }
        record = RestorationRecord(store.peripheral(identifier) ?? PeripheralRestoration()) {
            store.keep($0.isEmpty ? nil : $0, of: identifier)
        }
    }

    /// The state that an earlier run left; nil if there is none.
    var found: PeripheralRestoration? {
        let content = record.content
        return content.isEmpty ? nil : content
    }

    func published(_ definition: ServiceDefinition, token: Int) {
        record.change { $0.services.append(.init(token: token, definition: definition)) }
    }

    func withdrew(_ token: Int) { record.change { content in content.services.removeAll { $0.token == token } } }

    func advertisementChanged(_ advertisement: Advertisement?) { record.change { $0.advertisement = advertisement } }

    /// Replaces the services of the earlier run by those that the new manager published.
    func replaceServices(_ services: [PeripheralRestoration.Service]) { record.change { $0.services = services } }

    /// Clears the record at the manager's release, or when the adapter is lost.
    func forget() { record.change { $0 = PeripheralRestoration() } }
}
