import BLEWire

/// The services of a peer as a host elsewhere reports them. Gateways and daemons report the handles of services, characteristics and
/// descriptors; the ends that they do not tell follow from the order of attributes (Vol 3, Part G, 2.6).
package struct RemoteServices: Sendable {
    package struct Service: Sendable {
        package var uuid: BluetoothUUID
        package var handle: UInt16
        /// The last handle; nil if it is not known.
        package var end: UInt16?
        package var isPrimary: Bool
        /// Whether programs do not see it, as those of GAP and GATT.
        package var isHidden: Bool
        /// The handles of the included services.
        package var includes: [UInt16]
        package var characteristics: [Characteristic]

        package init(
            uuid: BluetoothUUID, handle: UInt16, end: UInt16? = nil, isPrimary: Bool = true, isHidden: Bool = false,
            includes: [UInt16] = [],
            characteristics: [Characteristic] = []
        ) {
            self.uuid = uuid
            self.handle = handle
            self.end = end
            self.isPrimary = isPrimary
            self.isHidden = isHidden
            self.includes = includes
            self.characteristics = characteristics
        }
    }

    package struct Characteristic: Sendable {
        package var uuid: BluetoothUUID
        package var valueHandle: UInt16
        package var properties: UInt8
        package var descriptors: [DiscoveredDescriptor]

        package init(
            uuid: BluetoothUUID, valueHandle: UInt16, properties: UInt8, descriptors: [DiscoveredDescriptor] = []
        ) {
            self.uuid = uuid
            self.valueHandle = valueHandle
            self.properties = properties
            self.descriptors = descriptors
        }
    }

    /// Each characteristic of a service is declared by the attribute before its value (Vol 3, Part G, 3.3).
    package static let declarationDistance: UInt16 = 1

    /// In the order of their handles.
    private let services: [Service]

    package init(_ services: [Service] = []) {
        self.services = services.sorted { $0.handle < $1.handle }
    }

    package var isEmpty: Bool { services.isEmpty }

    /// The last handle of a service comes before the next service.
    private func range(_ index: Int) -> HandleRange {
        let start = services[index].handle
        let next = index + 1 < services.count ? services[index + 1].handle : nil
        let last = next.map { $0 &- 1 } ?? .max
        return HandleRange(start: start, end: max(start, min(last, services[index].end ?? last)))
    }

    /// The ranges of services that changed, by their handles in this list or in a later one. Those that follow each other are one range.
    package func changes(_ handles: Set<UInt16>, to later: RemoteServices) -> [HandleRange] {
        let all = (services.indices.map(range) + later.services.indices.map(later.range)).sorted { $0.start < $1.start }
        var changes: [HandleRange] = []
        var isLast = false
        for range in all {
            let isChanged = handles.contains(range.start)
            if isChanged, isLast {
                changes[changes.count - 1].end = max(changes[changes.count - 1].end, range.end)
            } else if isChanged {
                changes.append(range)
            }
            isLast = isChanged
        }
        return changes
    }

    /// The primary services, those with the UUIDs if `wanted` has some.
    package func services(_ wanted: [BluetoothUUID]?) -> [DiscoveredService] {
        services.indices.compactMap { index in
            let service = services[index]
            guard service.isPrimary, !service.isHidden, Self.wants(service.uuid, wanted) else { return nil }
            return DiscoveredService(uuid: service.uuid, range: range(index), isPrimary: true)
        }
    }

    package func includedServices(of service: HandleRange, _ wanted: [BluetoothUUID]?) -> [DiscoveredService] {
        guard let including = services.first(where: { $0.handle == service.start }) else { return [] }
        return services.indices.compactMap { index in
            let service = services[index]
            guard including.includes.contains(service.handle), Self.wants(service.uuid, wanted) else { return nil }
            return DiscoveredService(uuid: service.uuid, range: range(index), isPrimary: service.isPrimary)
        }
    }

    package func characteristics(of service: HandleRange, _ wanted: [BluetoothUUID]?) -> [DiscoveredCharacteristic] {
        guard let index = services.firstIndex(where: { $0.handle == service.start }) else { return [] }
        let found = services[index].characteristics.sorted { $0.valueHandle < $1.valueHandle }
        return found.indices.compactMap { position in
            let (uuid, value) = (found[position].uuid, found[position].valueHandle)
            guard value > service.start, Self.wants(uuid, wanted) else { return nil }
            let next = position + 1 < found.count ? found[position + 1].valueHandle : nil
            let end = next.map { $0 &- Self.declarationDistance &- 1 } ?? service.end
            return DiscoveredCharacteristic(
                uuid: uuid, properties: found[position].properties,
                declarationHandle: value - Self.declarationDistance, valueHandle: value, end: max(value, end))
        }
    }

    package func descriptors(after valueHandle: UInt16, end: UInt16) -> [DiscoveredDescriptor] {
        guard let found = characteristic(valueHandle) else { return [] }
        return found.descriptors.filter { $0.handle > valueHandle && $0.handle <= end }
            .sorted { $0.handle < $1.handle }
    }

    package func isDescriptor(_ handle: UInt16) -> Bool {
        services.contains { service in
            service.characteristics.contains { $0.descriptors.contains { $0.handle == handle } }
        }
    }

    package func characteristic(_ valueHandle: UInt16) -> Characteristic? {
        for service in services {
            if let found = service.characteristics.first(where: { $0.valueHandle == valueHandle }) { return found }
        }
        return nil
    }

    /// The result of a discovery that runs on the cache; nil for another operation.
    package func result(of operation: GATTOperation) -> GATTResult? {
        switch operation {
        case .discoverServices(let wanted): .services(services(wanted))
        case .discoverIncludedServices(let service, let wanted): .services(includedServices(of: service, wanted))
        case .discoverCharacteristics(let service, let wanted): .characteristics(characteristics(of: service, wanted))
        case .discoverDescriptors(let after, let end): .descriptors(descriptors(after: after, end: end))
        case .read, .write, .setNotify, .readRSSI: nil
        }
    }

    private static func wants(_ uuid: BluetoothUUID, _ wanted: [BluetoothUUID]?) -> Bool {
        guard let wanted, !wanted.isEmpty else { return true }
        return wanted.contains(uuid)
    }
}
