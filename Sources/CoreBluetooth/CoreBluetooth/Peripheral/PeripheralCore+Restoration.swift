internal import BLERuntime
internal import BLEWire
import BLEAdapter
import Foundation

// The restoration of an earlier run's state, on the delegate's queue.
extension PeripheralCore {
    /// Recreates the services of an earlier run and passes them to the delegate, before the first state callback. The services
    /// count as added from here on.
    func reportRestoredState(_ manager: CBPeripheralManager) {
        guard let found = restorer?.found, !guarded.withLock({ $0.isStateKnown }) else { return }
        var objects: [CBMutableService] = []
        // A later service may include an earlier one. Services get new tokens.
        var restored: [Int: (object: CBMutableService, token: Int)] = [:]
        var services: [PeripheralRestoration.Service] = []
        for service in found.services {
            let object = CBMutableService(restoring: service.definition)
            let included = service.definition.includedServices.compactMap { restored[$0] }
            if !included.isEmpty { object.includedServices = included.map(\.object) }
            var definition = service.definition
            definition.includedServices = included.map(\.token)
            let token = publish(object, included: definition.includedServices)
            restored[service.token] = (object, token)
            objects.append(object)
            services.append(.init(token: token, definition: definition))
        }
        let restoring = PeripheralRestoration(services: services, advertisement: found.advertisement)
        guarded.withLock { state in
            state.restoring = restoring
            state.restoredTokens = Set(services.map(\.token))
        }
        restorer?.replaceServices(services)
        var state: [String: Any] = [:]
        if !objects.isEmpty { state[CBPeripheralManagerRestoredStateServicesKey] = objects }
        if let advertisement = found.advertisement {
            state[CBPeripheralManagerRestoredStateAdvertisementDataKey] = advertisement.dictionary
        }
        delegate?.peripheralManager(manager, willRestoreState: state)
    }

    /// Publishes the restored services and resumes advertising when the adapter is powered on for the first time. The delegate
    /// receives no results.
    func resumeRestored() {
        let (found, session) = guarded.withLock { state in
            defer { state.restoring = nil }
            if state.restoring?.advertisement != nil {
                state.wantsAdvertising = true
                state.isAdvertising = true
                state.isRestoringAdvertisement = true
            }
            return (state.restoring, state.session)
        }
        guard let found, let session else { return }
        for service in found.services { session.add(service.definition, token: service.token) }
        if let advertisement = found.advertisement { session.startAdvertising(advertisement) }
    }
}

extension Advertisement {
    /// The advertisement as the argument of startAdvertising.
    fileprivate var dictionary: [String: Any] {
        var dictionary: [String: Any] = [:]
        if let localName { dictionary[CBAdvertisementDataLocalNameKey] = localName }
        if !services.isEmpty { dictionary[CBAdvertisementDataServiceUUIDsKey] = services.map { CBUUID(value: $0) } }
        return dictionary
    }
}

extension CBMutableService {
    /// Recreates a service that an earlier run published.
    fileprivate convenience init(restoring definition: ServiceDefinition) {
        self.init(type: CBUUID(value: definition.uuid), primary: definition.isPrimary)
        characteristics = definition.characteristics.map { item in
            let characteristic = CBMutableCharacteristic(
                type: CBUUID(value: item.uuid), properties: CBCharacteristicProperties(rawValue: item.properties),
                value: item.value.map { Data($0) }, permissions: CBAttributePermissions(rawValue: item.permissions))
            if !item.descriptors.isEmpty {
                characteristic.descriptors = item.descriptors.map { CBMutableDescriptor(restoring: $0) }
            }
            return characteristic
        }
    }
}

extension CBMutableDescriptor {
    fileprivate convenience init(restoring definition: DescriptorDefinition) {
        let isText = definition.uuid.shortValue == 0x2901
        self.init(
            type: CBUUID(value: definition.uuid),
            value: isText ? String(decoding: definition.value, as: UTF8.self) : Data(definition.value))
    }
}
