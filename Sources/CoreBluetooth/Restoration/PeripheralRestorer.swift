#if !canImport(Darwin)
internal import BLERuntime
internal import BLEWire
import BLEAdapter
import Foundation

/// Keeps in the store what a peripheral manager with a restore identifier has published and advertises; see
/// ``CentralRestorer``.
final class PeripheralRestorer: Sendable {
    private let store: any RestorationStore
    private let identifier: String
    private let record: Lock<PeripheralRestoration>

    /// Nil without a restore identifier, and where the adapter has no store.
    init?(_ options: [String: Any]?, _ adapter: any BluetoothAdapter) {
        guard let identifier = options?.text(CBPeripheralManagerOptionRestoreIdentifierKey), !identifier.isEmpty,
            let store = adapter.restorationStore
        else { return nil }
        self.store = store
        self.identifier = identifier
        record = Lock(store.peripheral(identifier) ?? PeripheralRestoration())
    }

    /// What an earlier run left; nil: nothing.
    var found: PeripheralRestoration? {
        let record = record.withLock { $0 }
        return record.isEmpty ? nil : record
    }

    func published(_ definition: ServiceDefinition, token: Int) {
        change { $0.services.append(.init(token: token, definition: definition)) }
    }

    func withdrew(_ token: Int) { change { record in record.services.removeAll { $0.token == token } } }

    func advertisementChanged(_ advertisement: Advertisement?) { change { $0.advertisement = advertisement } }

    /// Puts the services as they have just been published in place of those of the earlier run.
    func replaceServices(_ services: [PeripheralRestoration.Service]) { change { $0.services = services } }

    /// The manager does nothing any more.
    func forget() { change { $0 = PeripheralRestoration() } }

    private func change(_ body: (inout PeripheralRestoration) -> Void) {
        record.withLock { record in
            let old = record
            body(&record)
            // Under the lock, so that two changes reach the store in their order. The store never calls back.
            if record != old { store.keep(record.isEmpty ? nil : record, of: identifier) }
        }
    }
}
#endif
