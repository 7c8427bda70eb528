import BLEWire

/// Discover All Primary Services and Discover Primary Service by Service UUID (Vol 3, Part G, 4.4).
struct ServiceDiscovery: ClientProcedure {
    private enum State {
        case all(next: UInt16)
        case byUUID(index: Int, next: UInt16)
    }

    private let uuids: [BluetoothUUID]
    private let hidesSystemServices: Bool
    private var state: State
    private var found: [DiscoveredService] = []

    /// Nil or empty `uuids` find all services. `hidesSystemServices` omits the GAP and GATT services.
    init(uuids: [BluetoothUUID]?, hidesSystemServices: Bool = true) {
        self.hidesSystemServices = hidesSystemServices
        guard let uuids, !uuids.isEmpty else {
            self.uuids = []
            state = .all(next: 1)
            return
        }
        self.uuids = uuids.distinctServices(hidesSystemServices: hidesSystemServices)
        state = .byUUID(index: 0, next: 1)
    }

    mutating func start(mtu: Int) -> ClientStep<[DiscoveredService]> { ask() }

    private mutating func ask() -> ClientStep<[DiscoveredService]> {
        switch state {
        case .all(let next):
            return .send(.readByGroupType(HandleRange(start: next, end: 0xFFFF), GATTType.primaryService))
        case .byUUID(let index, let next):
            guard index < uuids.count else {
                found.sort { $0.range.start < $1.range.start }
                return .finish(found)
            }
            return .send(.findPrimaryServices(HandleRange(start: next, end: 0xFFFF), uuids[index]))
        }
    }

    mutating func receive(_ packet: ATT.Packet, mtu: Int) -> ClientStep<[DiscoveredService]> {
        switch (state, packet) {
        case (.all(var next), .readByGroupTypeResponse(let response)):
            if found.isEmpty { found.reserveCapacity(response.count) }
            for index in 0..<response.count {
                let range = response.range(at: index)
                guard let uuid = try? BluetoothUUID(attributeType: response.value(at: index)) else { return .malformed }
                guard range.start >= next, range.start <= range.end else { return .nonsense }
                if !(hidesSystemServices && GATTType.isSystemService(uuid)) {
                    found.append(DiscoveredService(uuid: uuid, range: range, isPrimary: true))
                }
                guard range.end < 0xFFFF else { return .finish(found) }
                next = range.end + 1
            }
            state = .all(next: next)
            return ask()
        case (.all, .errorResponse(let error)):
            return error.code == .attributeNotFound ? .finish(found) : .refused(error)

        case (.byUUID(let index, var next), .findByTypeValueResponse(let response)):
            for entry in 0..<response.count {
                let range = response[entry]
                guard range.start >= next, range.start <= range.end else { return .nonsense }
                found.append(DiscoveredService(uuid: uuids[index], range: range, isPrimary: true))
                guard range.end < 0xFFFF else {
                    state = .byUUID(index: index + 1, next: 1)
                    return ask()
                }
                next = range.end + 1
            }
            state = .byUUID(index: index, next: next)
            return ask()
        case (.byUUID(let index, _), .errorResponse(let error)):
            guard error.code == .attributeNotFound else { return .refused(error) }
            state = .byUUID(index: index + 1, next: 1)
            return ask()
        default: return .nonsense
        }
    }
}

extension [BluetoothUUID] {
    /// The services that a discovery with these UUIDs requests.
    func distinctServices(hidesSystemServices: Bool) -> [BluetoothUUID] {
        var distinct: [BluetoothUUID] = []
        for uuid in self where !distinct.contains(uuid) && !(hidesSystemServices && GATTType.isSystemService(uuid)) {
            distinct.append(uuid)
        }
        return distinct
    }

    /// Whether a discovery with these UUIDs reports `uuid`. An empty list finds everything.
    func wants(_ uuid: BluetoothUUID) -> Bool { isEmpty || contains(uuid) }
}
