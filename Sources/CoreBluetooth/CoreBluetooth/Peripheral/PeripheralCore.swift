internal import BLERuntime
internal import BLEWire
import BLEAdapter
import Foundation

/// The implementation of a peripheral manager. It keeps the session, the published services and weak references to the clients, and
/// turns the adapter's events into callbacks.
final class PeripheralCore: ManagerCore<PeripheralManagerState>, @unchecked Sendable {
    /// Nil without a restore identifier.
    let restorer: PeripheralRestorer?

    init(
        dispatcher: CallbackDispatcher, delegate: (any CBPeripheralManagerDelegate)?, restorer: PeripheralRestorer?
    ) {
        self.restorer = restorer
        super.init(dispatcher: dispatcher, state: PeripheralManagerState(delegate: delegate))
    }

    func start(_ manager: CBPeripheralManager) {
        start(manager) { dispatcher.adapter.openPeripheral(observer: self) }
    }

    /// Ends advertising and removes the services after the manager's release.
    func close() {
        let session = guarded.withLock { state in
            let session = state.session
            state.session = nil
            return session
        }
        withExtendedLifetime(session) {}
        forgetServices()
        restorer?.forget()
    }
}

extension PeripheralCore {
    /// The object for a client: the one that the program keeps, or a new one.
    func central(for record: CentralRecord) -> CBCentral {
        let central = guarded.withLock { state in
            if let known = state.centrals[record.identifier]?.object { return known }
            // Clients with private addresses return with new identifiers, so entries of released objects are removed.
            if state.centrals.count >= 64 { state.centrals = state.centrals.filter { $0.value.object != nil } }
            let new = CBCentral(record)
            state.centrals[record.identifier] = PeripheralManagerState.WeakCentral(new)
            return new
        }
        central.updateLength.withLock { $0 = record.maximumUpdateLength }
        return central
    }

    func characteristic(_ reference: CharacteristicReference) -> CBMutableCharacteristic? {
        guarded.withLock { $0.characteristic(reference) }
    }

    func reference(to characteristic: CBMutableCharacteristic) -> CharacteristicReference? {
        guarded.withLock { $0.references[ObjectIdentifier(characteristic)] }
    }

    /// Registers a service under a new token.
    func publish(_ service: CBMutableService, included: [Int]) -> Int {
        let characteristics = (service.characteristics ?? []).compactMap { $0 as? CBMutableCharacteristic }
        return guarded.withLock { state in
            let token = state.nextToken
            state.nextToken += 1
            state.tokens[ObjectIdentifier(service)] = token
            state.services[token] = PeripheralManagerState.PublishedService(
                object: service, characteristics: characteristics, included: included)
            for (index, characteristic) in characteristics.enumerated() {
                state.references[ObjectIdentifier(characteristic)] = CharacteristicReference(
                    service: token, index: index)
            }
            return token
        }
    }

    /// Removes a service. Its subscriptions end.
    ///
    /// - Parameter notifiesDelegate: Whether the delegate gets a callback for each subscription that ends.
    @discardableResult
    func withdraw(_ token: Int, notifiesDelegate: Bool = false) -> CBMutableService? {
        let service = guarded.withLock { state in
            let service = state.services.removeValue(forKey: token)
            if let service {
                state.tokens[ObjectIdentifier(service.object)] = nil
                for characteristic in service.characteristics {
                    state.references[ObjectIdentifier(characteristic)] = nil
                }
            }
            return service
        }
        for characteristic in service?.characteristics ?? [] {
            if notifiesDelegate { endSubscriptions(of: characteristic) } else { characteristic.removeAllSubscribers() }
        }
        restorer?.withdrew(token)
        return service?.object
    }

    /// Delivers one didUnsubscribeFrom for each subscriber that the delegate knows. Pending callbacks about this characteristic find
    /// no characteristic and deliver nothing.
    private func endSubscriptions(of characteristic: CBMutableCharacteristic) {
        let centrals = characteristic.subscribedCentrals ?? []
        characteristic.removeAllSubscribers()
        for central in centrals {
            dispatcher.post { [self] in
                guard let manager else { return }
                delegate?.peripheralManager(manager, central: central, didUnsubscribeFrom: characteristic)
            }
        }
    }

    func forgetServices(notifiesDelegate: Bool = false) {
        for token in guarded.withLock({ $0.services.keys.sorted() }) {
            withdraw(token, notifiesDelegate: notifiesDelegate)
        }
    }
}
