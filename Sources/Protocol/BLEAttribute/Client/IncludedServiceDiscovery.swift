import BLEWire

/// Find Included Services (Vol 3, Part G, 4.5.1). The include declaration omits a UUID of 128 bits, so the procedure
/// reads it from the included service's own declaration. The type of that declaration shows whether the service is
/// primary.
struct IncludedServiceDiscovery: ClientProcedure {
    private enum State {
        case listing(next: UInt16)
        case typing(index: Int)
        case reading(index: Int)
    }
    private struct Include {
        var range: HandleRange
        var uuid: BluetoothUUID?
        var isPrimary = false
    }

    private let service: HandleRange
    private let uuids: [BluetoothUUID]
    private var state: State
    private var includes: [Include] = []

    /// Nil or empty `uuids` find all services.
    init(service: HandleRange, uuids: [BluetoothUUID]?) {
        self.service = service
        self.uuids = uuids ?? []
        state = .listing(next: service.start)
    }

    mutating func start(mtu: Int) -> ClientStep<[DiscoveredService]> { list(from: service.start) }

    private mutating func list(from next: UInt16) -> ClientStep<[DiscoveredService]> {
        guard next >= 1, next <= service.end else { return resolve(0) }
        state = .listing(next: next)
        return .send(.readByType(HandleRange(start: next, end: service.end), GATTType.include))
    }

    private mutating func resolve(_ first: Int) -> ClientStep<[DiscoveredService]> {
        for index in first..<includes.count {
            if let uuid = includes[index].uuid, !uuids.wants(uuid) { continue }
            let start = includes[index].range.start
            state = .typing(index: index)
            return .send(.findInformation(HandleRange(start: start, end: start)))
        }
        return .finish(
            includes.compactMap { include in
                guard let uuid = include.uuid, uuids.wants(uuid) else { return nil }
                return DiscoveredService(uuid: uuid, range: include.range, isPrimary: include.isPrimary)
            })
    }

    mutating func receive(_ packet: ATT.Packet, mtu: Int) -> ClientStep<[DiscoveredService]> {
        switch (state, packet) {
        case (.listing(var next), .readByTypeResponse(let response)):
            for index in 0..<response.count {
                let handle = response.handle(at: index)
                guard handle >= next, handle <= service.end else { return .nonsense }
                guard let include = Self.include(response.value(at: index)) else { return .malformed }
                guard include.range.start >= 1, include.range.start <= include.range.end else { return .nonsense }
                includes.append(include)
                guard handle < service.end else { return resolve(0) }
                next = handle + 1
            }
            return list(from: next)
        case (.listing, .errorResponse(let error)):
            return error.code == .attributeNotFound ? resolve(0) : .refused(error)

        case (.typing(let index), .findInformationResponse(let response)):
            includes[index].isPrimary = response[0].uuid == GATTType.primaryService
            return read(index)
        case (.typing(let index), .errorResponse): return read(index)

        case (.reading(let index), .readResponse(let response)):
            guard let uuid = try? BluetoothUUID(attributeType: response.value) else { return .malformed }
            includes[index].uuid = uuid
            return resolve(index + 1)
        case (.reading, .errorResponse(let error)): return .refused(error)
        default: return .nonsense
        }
    }

    private mutating func read(_ index: Int) -> ClientStep<[DiscoveredService]> {
        guard includes[index].uuid == nil else { return resolve(index + 1) }
        state = .reading(index: index)
        return .send(.read(handle: includes[index].range.start))
    }

    /// Decodes an include declaration; the UUID is present only if it has 16 bits (Vol 3, Part G, 3.2).
    private static func include(_ value: Span<UInt8>) -> Include? {
        var value = value
        guard let start = try? value.readUInt16(), let end = try? value.readUInt16() else { return nil }
        let range = HandleRange(start: start, end: end)
        if value.isEmpty { return Include(range: range, uuid: nil) }
        guard value.count == 2, let uuid = try? BluetoothUUID(decoding: value) else { return nil }
        return Include(range: range, uuid: uuid)
    }
}
