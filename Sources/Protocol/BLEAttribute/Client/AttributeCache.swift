import BLEWire

/// What a client has discovered in the database of a bonded server, and the hash of that database (Vol 3, Part G, 2.5.2).
///
/// A query is recorded with its whole result, and answered exactly as the procedure over the air answers it. The cache holds at
/// most `capacity` octets in its coded form; further results are not recorded.
struct AttributeCache: Hashable, Sendable {
    /// The knowledge about the peer's Service Changed.
    enum ServiceChanged: Hashable, Sendable {
        case unknown
        /// The server has no such characteristic, so its database never changes (Vol 3, Part G, 7.1).
        case absent
        /// This client has enabled the indications of the value with this handle.
        case subscribed(UInt16)
    }

    struct Entry<Key: Hashable & Sendable, Value: Hashable & Sendable>: Hashable, Sendable {
        var key: Key
        var values: [Value]
    }

    /// The limit of `octetCount`. It is below the limit of a bond store (32,768).
    static let capacity = 32_000

    /// Nil if the server has no Database Hash.
    var databaseHash: UInt128?
    var serviceChanged = ServiceChanged.unknown
    /// Whether the server knows that this client supports robust caching.
    var hasAnnouncedRobustCaching = false

    /// All primary services but those of GAP and GATT; nil until they have been discovered.
    var services: [DiscoveredService]?
    var servicesByUUID: [Entry<BluetoothUUID, DiscoveredService>] = []
    var includedServices: [Entry<HandleRange, DiscoveredService>] = []
    var characteristics: [Entry<HandleRange, DiscoveredCharacteristic>] = []
    /// The key is the value handle and the last handle of the characteristic.
    var descriptors: [Entry<HandleRange, DiscoveredDescriptor>] = []
    /// Handles of client characteristic configurations, found for a subscription. The key is the value handle.
    var configurations: [UInt16: UInt16] = [:]
    /// The number of octets in the coded form.
    var octetCount = Self.emptyCount

    static let emptyCount = 1 + 1 + 16 + 2 + 5 * 2

    init() {}

    /// Whether a server that has no Database Hash has to announce its changes to this client on the next link.
    var isAnnounced: Bool { serviceChanged != .unknown }

    /// Forgets the database. What the client wrote into it stays.
    mutating func removeAll() {
        let old = self
        self = AttributeCache()
        serviceChanged = old.serviceChanged
        hasAnnouncedRobustCaching = old.hasAnnouncedRobustCaching
    }
}

// MARK: Queries

extension AttributeCache {
    /// The result of a discovery; nil if it is not known.
    func answer(_ operation: GATTOperation) -> GATTResult? {
        switch operation {
        case .discoverServices(let uuids):
            guard let uuids, !uuids.isEmpty else { return services.map { .services($0) } }
            return answer(servicesWith: uuids).map { .services($0) }
        case .discoverIncludedServices(let service, let uuids):
            guard let found = includedServices.values(service) else { return nil }
            return .services(found.filter { (uuids ?? []).wants($0.uuid) })
        case .discoverCharacteristics(let service, let uuids):
            guard let found = characteristics.values(service) else { return nil }
            return .characteristics(found.filter { (uuids ?? []).wants($0.uuid) })
        case .discoverDescriptors(let after, let end):
            return descriptors.values(HandleRange(start: after, end: end)).map { .descriptors($0) }
        case .read, .write, .setNotify, .readRSSI: return nil
        }
    }

    /// The search by UUID reports each service with the UUID of the request, in its length, in the order of the handles.
    private func answer(servicesWith uuids: [BluetoothUUID]) -> [DiscoveredService]? {
        var found: [DiscoveredService] = []
        for uuid in uuids.distinctServices(hidesSystemServices: true) {
            guard let known = services?.filter({ $0.uuid == uuid }) ?? servicesByUUID.values(uuid) else { return nil }
            for var service in known {
                service.uuid = uuid
                found.append(service)
            }
        }
        return found.sorted { $0.range.start < $1.range.start }
    }

    /// The handle of a characteristic's client configuration; nil if it is not known.
    func clientConfiguration(valueHandle: UInt16, end: UInt16) -> UInt16? {
        if let handle = configurations[valueHandle] { return handle }
        return descriptors.values(HandleRange(start: valueHandle, end: end))?
            .first { $0.uuid == GATTType.clientConfiguration }?.handle
    }

    /// The type of the attribute with this handle; nil if it is not known.
    func type(of handle: UInt16) -> BluetoothUUID? {
        for entry in characteristics {
            for characteristic in entry.values where characteristic.valueHandle == handle { return characteristic.uuid }
        }
        for entry in descriptors {
            for descriptor in entry.values where descriptor.handle == handle { return descriptor.uuid }
        }
        return nil
    }
}

// MARK: Records

extension AttributeCache {
    /// Records the result of a discovery. Returns whether the cache has changed.
    mutating func record(_ operation: GATTOperation, _ result: GATTResult) -> Bool {
        switch (operation, result) {
        case (.discoverServices(let uuids), .services(let found)):
            guard let uuids, !uuids.isEmpty else {
                guard services == nil, reserve(found.reduce(2) { $0 + $1.codedCount }) else { return false }
                services = found
                return true
            }
            guard services == nil else { return false }
            var hasChanged = false
            for uuid in uuids.distinctServices(hidesSystemServices: true) {
                let values = found.filter { $0.uuid == uuid }
                hasChanged = add(values, for: uuid, \.servicesByUUID) || hasChanged
            }
            return hasChanged
        case (.discoverIncludedServices(let service, let uuids), .services(let found)):
            // A search for some UUIDs does not resolve the others.
            return (uuids ?? []).isEmpty && add(found, for: service, \.includedServices)
        // The caller passes all characteristics of the service, whatever the UUIDs.
        case (.discoverCharacteristics(let service, _), .characteristics(let found)):
            return add(found, for: service, \.characteristics)
        case (.discoverDescriptors(let after, let end), .descriptors(let found)):
            return add(found, for: HandleRange(start: after, end: end), \.descriptors)
        default: return false
        }
    }

    /// Records the handle of a client configuration. Returns whether the cache has changed.
    mutating func record(clientConfiguration handle: UInt16, valueHandle: UInt16) -> Bool {
        guard configurations[valueHandle] == nil, reserve(4) else { return false }
        configurations[valueHandle] = handle
        return true
    }

    private mutating func add<Key: CacheOctets, Value: CacheOctets>(
        _ values: [Value], for key: Key, _ list: WritableKeyPath<AttributeCache, [Entry<Key, Value>]>
    ) -> Bool {
        guard self[keyPath: list].values(key) == nil,
            reserve(values.reduce(2 + key.codedCount) { $0 + $1.codedCount })
        else { return false }
        self[keyPath: list].append(Entry(key: key, values: values))
        return true
    }

    private mutating func reserve(_ count: Int) -> Bool {
        guard octetCount + count <= Self.capacity else { return false }
        octetCount += count
        return true
    }
}

extension Array {
    fileprivate func values<Key, Value>(_ key: Key) -> [Value]? where Element == AttributeCache.Entry<Key, Value> {
        first { $0.key == key }?.values
    }
}
