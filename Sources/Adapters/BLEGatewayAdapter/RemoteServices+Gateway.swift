import BLEAdapter
import BLEAttribute
import BLEWire
import ESPHomeAPI

extension RemoteServices {
    /// The services of a gateway's messages, without those that have no UUID or a handle of more than 16 bits.
    init(_ records: [GATTServiceRecord]) {
        self.init(
            records.compactMap { record in
                guard let uuid = BluetoothUUID(uuid: record.uuid, shortUUID: record.shortUUID),
                    let handle = UInt16(exactly: record.handle)
                else { return nil }
                return Service(
                    uuid: uuid, handle: handle, isHidden: GATTType.isSystemService(uuid),
                    characteristics: record.characteristics.compactMap(Characteristic.init))
            })
    }
}

extension RemoteServices.Characteristic {
    fileprivate init?(_ record: GATTCharacteristicRecord) {
        guard let uuid = BluetoothUUID(uuid: record.uuid, shortUUID: record.shortUUID),
            let handle = UInt16(exactly: record.handle)
        else { return nil }
        self.init(
            uuid: uuid, valueHandle: handle, properties: UInt8(truncatingIfNeeded: record.properties),
            descriptors: record.descriptors.compactMap { descriptor in
                guard let uuid = BluetoothUUID(uuid: descriptor.uuid, shortUUID: descriptor.shortUUID),
                    let handle = UInt16(exactly: descriptor.handle)
                else { return nil }
                return DiscoveredDescriptor(uuid: uuid, handle: handle)
            })
    }
}

extension GATTServiceRecord {
    /// The attributes that the service has at least: declarations, values and descriptors (Vol 3, Part G, 2.6).
    var attributeCount: Int { characteristics.reduce(1) { $0 + 2 + $1.descriptors.count } }
}
