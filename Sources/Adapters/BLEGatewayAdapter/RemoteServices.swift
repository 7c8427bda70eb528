import BLEAttribute
import BLEWire
import ESPHomeAPI

/// The services of a peer as a gateway reports them. The protocol carries the handles of services, values and descriptors; the others
/// follow from the order of attributes (Vol 3, Part G, 2.6).
struct RemoteServices: Sendable {
    private var records: [GATTServiceRecord] = []
    /// Each characteristic of a service is declared by the attribute before its value (Vol 3, Part G, 3.3).
    private static let declarationDistance: UInt16 = 1
    static let configuration = BluetoothUUID(0x2902 as UInt16)

    init(_ records: [GATTServiceRecord] = []) { self.records = records.sorted { $0.handle < $1.handle } }

    func services(_ wanted: [BluetoothUUID]?) -> [DiscoveredService] {
        records.indices.compactMap { index in
            guard let uuid = BluetoothUUID(uuid: records[index].uuid, shortUUID: records[index].shortUUID),
                !GATTType.isSystemService(uuid), Self.wants(uuid, wanted), let range = range(index)
            else { return nil }
            return DiscoveredService(uuid: uuid, range: range, isPrimary: true)
        }
    }

    /// The last handle of a service comes before the next service.
    private func range(_ index: Int) -> HandleRange? {
        guard let start = UInt16(exactly: records[index].handle) else { return nil }
        let next = index + 1 < records.count ? UInt16(exactly: records[index + 1].handle) : nil
        return HandleRange(start: start, end: max(start, next.map { $0 &- 1 } ?? .max))
    }

    func characteristics(of service: HandleRange, _ wanted: [BluetoothUUID]?) -> [DiscoveredCharacteristic] {
        guard let index = records.firstIndex(where: { $0.handle == UInt32(service.start) }) else { return [] }
        let found = records[index].characteristics.sorted { $0.handle < $1.handle }
        return found.indices.compactMap { position in
            guard let uuid = BluetoothUUID(uuid: found[position].uuid, shortUUID: found[position].shortUUID),
                let value = UInt16(exactly: found[position].handle), value > service.start, Self.wants(uuid, wanted)
            else { return nil }
            let next = position + 1 < found.count ? UInt16(exactly: found[position + 1].handle) : nil
            let end = next.map { $0 &- Self.declarationDistance &- 1 } ?? service.end
            return DiscoveredCharacteristic(
                uuid: uuid, properties: UInt8(truncatingIfNeeded: found[position].properties),
                declarationHandle: value - Self.declarationDistance, valueHandle: value, end: max(value, end))
        }
    }

    func descriptors(after valueHandle: UInt16, end: UInt16) -> [DiscoveredDescriptor] {
        guard let characteristic = characteristic(valueHandle) else { return [] }
        return characteristic.descriptors.compactMap { descriptor in
            guard let uuid = BluetoothUUID(uuid: descriptor.uuid, shortUUID: descriptor.shortUUID),
                let handle = UInt16(exactly: descriptor.handle), handle > valueHandle, handle <= end
            else { return nil }
            return DiscoveredDescriptor(uuid: uuid, handle: handle)
        }.sorted { $0.handle < $1.handle }
    }

    func isDescriptor(_ handle: UInt16) -> Bool {
        records.contains { service in
            service.characteristics.contains { $0.descriptors.contains { $0.handle == UInt32(handle) } }
        }
    }

    private func characteristic(_ valueHandle: UInt16) -> GATTCharacteristicRecord? {
        for service in records {
            if let found = service.characteristics.first(where: { $0.handle == UInt32(valueHandle) }) { return found }
        }
        return nil
    }

    private static func wants(_ uuid: BluetoothUUID, _ wanted: [BluetoothUUID]?) -> Bool {
        guard let wanted, !wanted.isEmpty else { return true }
        return wanted.contains(uuid)
    }
}
