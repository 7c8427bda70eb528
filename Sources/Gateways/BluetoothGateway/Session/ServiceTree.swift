import BLEWire
import ESPHomeAPI

/// The services of a peer, found by a discovery of everything.
struct ServiceTree: Sendable {
    struct Characteristic: Sendable {
        var found: DiscoveredCharacteristic
        var descriptors: [DiscoveredDescriptor] = []
    }

    struct Service: Sendable {
        var found: DiscoveredService
        var characteristics: [Characteristic] = []
    }

    var services: [Service] = []

    func record(_ service: Service, short: Bool) -> GATTServiceRecord {
        let uuid = service.found.uuid.fields(short: short)
        return GATTServiceRecord(
            uuid: uuid.uuid, handle: UInt32(service.found.range.start),
            characteristics: service.characteristics.map { characteristic in
                let uuid = characteristic.found.uuid.fields(short: short)
                return GATTCharacteristicRecord(
                    uuid: uuid.uuid, handle: UInt32(characteristic.found.valueHandle),
                    properties: UInt32(characteristic.found.properties),
                    descriptors: characteristic.descriptors.map { descriptor in
                        let uuid = descriptor.uuid.fields(short: short)
                        return GATTDescriptorRecord(
                            uuid: uuid.uuid, handle: UInt32(descriptor.handle), shortUUID: uuid.shortUUID)
                    }, shortUUID: uuid.shortUUID)
            }, shortUUID: uuid.shortUUID)
    }
}

/// Discovers all services, characteristics and descriptors of a peer, one operation at a time.
///
/// The adapter leaves the GAP and the GATT service out of a discovery of services, as Apple's systems do. Clients of a gateway expect
/// them, so the discovery reads the declarations in the handles that no found service has (Vol 3, Part G, 3.1).
struct TreeDiscovery: Sendable {
    private enum Step: Sendable {
        case services
        /// The declaration of a service at the start of handles without a known service.
        case gap(HandleRange)
        case characteristics(service: Int)
        case descriptors(service: Int, characteristic: Int)
        /// The attribute after the descriptors of a characteristic in such handles. It may declare the next service.
        case next(service: Int, characteristic: Int, handle: UInt16)
    }

    private(set) var tree = ServiceTree()
    /// The services that were not found as services.
    private var hidden: Set<Int> = []
    /// The steps that remain, the next one last.
    private var steps = [Step.services]
    private var operations = 0

    /// The most operations of a discovery, so that a hostile peer does not keep its link busy forever.
    private static let operationLimit = 8192

    /// The next operation; nil at the end.
    var operation: GATTOperation? {
        switch steps.last {
        case nil: nil
        case .services: .discoverServices(nil)
        case .gap(let range): .read(handle: range.start)
        case .next(_, _, let handle): .read(handle: handle)
        case .characteristics(let service): .discoverCharacteristics(service: tree.services[service].found.range, nil)
        case .descriptors(let service, let characteristic):
            .discoverDescriptors(
                after: tree.services[service].characteristics[characteristic].found.valueHandle,
                end: tree.services[service].characteristics[characteristic].found.end)
        }
    }

    /// Takes the result of `operation`. Returns the error that ends the discovery.
    mutating func take(_ result: Result<GATTResult, GATTError>) -> GATTError? {
        guard let step = steps.popLast() else { return nil }
        operations += 1
        guard operations <= Self.operationLimit else { return .bearerLost }
        switch (step, result) {
        case (.services, .success(.services(let found))):
            tree.services = found.map { ServiceTree.Service(found: $0) }
            // The steps run from the last to the first.
            steps = found.indices.reversed().map { .characteristics(service: $0) }
            steps += Self.gaps(between: found.map(\.range)).reversed().map { .gap($0) }
        case (.gap(let range), .success(.value(let value))):
            if let uuid = Self.service(value) { add(uuid, range, []) }
        case (.characteristics(let service), .success(.characteristics(let found))):
            tree.services[service].characteristics = found.map { ServiceTree.Characteristic(found: $0) }
            planDescriptors(of: service)
        case (.descriptors(let service, let index), .success(.descriptors(let found))):
            tree.services[service].characteristics[index].descriptors = found
            let characteristic = tree.services[service].characteristics[index].found
            let last = found.map(\.handle).max() ?? characteristic.valueHandle
            if hidden.contains(service), last < characteristic.end {
                steps.append(.next(service: service, characteristic: index, handle: last + 1))
            }
        case (.next(let service, let index, let handle), .success(.value(let value))):
            if let uuid = Self.service(value) { split(service, after: index, at: handle, uuid) }
        // There is nothing at a handle, or it cannot be read.
        case (.gap, .failure(.attribute)), (.next, .failure(.attribute)): break
        case (_, .failure(let failure)): return failure
        default: break
        }
        if steps.isEmpty { tree.services.sort { $0.found.range.start < $1.found.range.start } }
        return nil
    }

    /// The UUID in the declaration of a service: 16 or 128 bits.
    private static func service(_ value: [UInt8]) -> BluetoothUUID? {
        value.count == 2 || value.count == 16 ? try? BluetoothUUID(decoding: value.span) : nil
    }

    private mutating func add(
        _ uuid: BluetoothUUID, _ range: HandleRange, _ characteristics: [ServiceTree.Characteristic]
    ) {
        let service = tree.services.count
        hidden.insert(service)
        tree.services.append(
            ServiceTree.Service(
                found: DiscoveredService(uuid: uuid, range: range, isPrimary: true), characteristics: characteristics))
        if characteristics.isEmpty {
            steps.append(.characteristics(service: service))
        } else {
            planDescriptors(of: service)
        }
    }

    /// Ends a service before `handle`, where the next one begins with the characteristics after `index`.
    private mutating func split(_ service: Int, after index: Int, at handle: UInt16, _ uuid: BluetoothUUID) {
        let end = tree.services[service].found.range.end
        let rest = Array(tree.services[service].characteristics[(index + 1)...])
        tree.services[service].characteristics.removeSubrange((index + 1)...)
        tree.services[service].characteristics[index].found.end = handle - 1
        tree.services[service].found.range.end = handle - 1
        steps.removeAll { if case .descriptors(service, _) = $0 { true } else { false } }
        if rest.isEmpty, handle == end {
            hidden.insert(tree.services.count)
            tree.services.append(
                ServiceTree.Service(
                    found: DiscoveredService(
                        uuid: uuid, range: HandleRange(start: handle, end: end), isPrimary: true)))
        } else {
            add(uuid, HandleRange(start: handle, end: end), rest)
        }
    }

    private mutating func planDescriptors(of service: Int) {
        let characteristics = tree.services[service].characteristics
        for index in characteristics.indices.reversed()
        where characteristics[index].found.end > characteristics[index].found.valueHandle {
            steps.append(.descriptors(service: service, characteristic: index))
        }
    }

    /// The handles outside of `ranges`.
    private static func gaps(between ranges: [HandleRange]) -> [HandleRange] {
        var gaps: [HandleRange] = []
        var next: UInt16 = 1
        for range in ranges.sorted(by: { $0.start < $1.start }) {
            if range.start > next { gaps.append(HandleRange(start: next, end: range.start - 1)) }
            guard range.end < .max else { return gaps }
            next = max(next, range.end + 1)
        }
        gaps.append(HandleRange(start: next, end: .max))
        return gaps
    }
}
