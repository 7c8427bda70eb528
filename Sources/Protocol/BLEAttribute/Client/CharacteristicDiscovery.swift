import BLEWire

/// Discover All Characteristics of a Service, and by UUID (Vol 3, Part G, 4.6). Both read every declaration, because a
/// characteristic ends before the next declaration.
struct CharacteristicDiscovery: ClientProcedure {
    private let service: HandleRange
    private let uuids: [BluetoothUUID]
    private var next: UInt16
    /// All characteristics so far, whatever their UUIDs.
    private(set) var found: [DiscoveredCharacteristic] = []

    /// Nil or empty `uuids` find all characteristics.
    init(service: HandleRange, uuids: [BluetoothUUID]?) {
        self.service = service
        self.uuids = uuids ?? []
        next = service.start
    }

    mutating func start(mtu: Int) -> ClientStep<[DiscoveredCharacteristic]> { ask() }

    private func ask() -> ClientStep<[DiscoveredCharacteristic]> {
        guard next >= 1, next <= service.end else { return finish() }
        return .send(.readByType(HandleRange(start: next, end: service.end), GATTType.characteristic))
    }

    private func finish() -> ClientStep<[DiscoveredCharacteristic]> {
        .finish(found.filter { uuids.wants($0.uuid) })
    }

    mutating func receive(_ packet: ATT.Packet, mtu: Int) -> ClientStep<[DiscoveredCharacteristic]> {
        switch packet {
        case .readByTypeResponse(let response):
            if found.isEmpty { found.reserveCapacity(response.count) }
            for index in 0..<response.count {
                let handle = response.handle(at: index)
                var value = response.value(at: index)
                guard let properties = try? value.readUInt8(), let valueHandle = try? value.readUInt16(),
                    let uuid = try? BluetoothUUID(attributeType: value)
                else { return .malformed }
                guard handle >= next, handle < valueHandle, valueHandle <= service.end else { return .nonsense }
                if let last = found.indices.last { found[last].end = handle - 1 }
                found.append(
                    DiscoveredCharacteristic(
                        uuid: uuid, properties: properties, declarationHandle: handle, valueHandle: valueHandle,
                        end: service.end))
                // The value follows its declaration, so the search continues after the value. No request is sent if the
                // remaining handles cannot hold a declaration and a value.
                guard service.end - valueHandle >= 2 else { return finish() }
                next = valueHandle + 1
            }
            return ask()
        case .errorResponse(let error):
            return error.code == .attributeNotFound ? finish() : .refused(error)
        default: return .nonsense
        }
    }
}
