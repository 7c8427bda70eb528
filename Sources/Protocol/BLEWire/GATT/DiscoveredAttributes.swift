/// A service that a GATT client procedure found.
package struct DiscoveredService: Hashable, Sendable {
    package var uuid: BluetoothUUID
    package var range: HandleRange
    package var isPrimary: Bool
    package init(uuid: BluetoothUUID, range: HandleRange, isPrimary: Bool) {
        self.uuid = uuid
        self.range = range
        self.isPrimary = isPrimary
    }
}

package struct DiscoveredCharacteristic: Hashable, Sendable {
    package var uuid: BluetoothUUID
    /// The bits of the characteristic declaration (Vol 3, Part G, 3.3.1.1).
    package var properties: UInt8
    package var declarationHandle: UInt16
    package var valueHandle: UInt16
    /// The last handle that can belong to this characteristic.
    package var end: UInt16
    package init(uuid: BluetoothUUID, properties: UInt8, declarationHandle: UInt16, valueHandle: UInt16, end: UInt16) {
        self.uuid = uuid
        self.properties = properties
        self.declarationHandle = declarationHandle
        self.valueHandle = valueHandle
        self.end = end
    }
}

package struct DiscoveredDescriptor: Hashable, Sendable {
    package var uuid: BluetoothUUID
    package var handle: UInt16
    package init(uuid: BluetoothUUID, handle: UInt16) {
        self.uuid = uuid
        self.handle = handle
    }
}
