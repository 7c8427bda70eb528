/// A GATT client operation.
package enum GATTOperation: Hashable, Sendable {
    /// Nil: all primary services; else the services with these UUIDs. The GAP and GATT services are left out.
    case discoverServices([BluetoothUUID]?)
    case discoverIncludedServices(service: HandleRange, [BluetoothUUID]?)
    case discoverCharacteristics(service: HandleRange, [BluetoothUUID]?)
    /// `after` is the characteristic's value handle, `end` the last handle that belongs to it.
    case discoverDescriptors(after: UInt16, end: UInt16)
    /// The whole value, however long (Read Blob follows by itself).
    case read(handle: UInt16)
    /// With response; a long value goes as prepared writes.
    case write(handle: UInt16, value: [UInt8])
    /// Subscribes or unsubscribes; finds the client characteristic configuration by itself. `valueHandle` and `end` as above.
    case setNotify(valueHandle: UInt16, end: UInt16, mode: NotifyMode)
    /// The RSSI of the link.
    case readRSSI

    package enum NotifyMode: Hashable, Sendable { case off, notification, indication }
}

package struct HandleRange: Hashable, Sendable {
    package var start: UInt16
    package var end: UInt16
    package init(start: UInt16, end: UInt16) {
        self.start = start
        self.end = end
    }
}

/// What an operation brought.
package enum GATTResult: Hashable, Sendable {
    case services([DiscoveredService])
    case characteristics([DiscoveredCharacteristic])
    case descriptors([DiscoveredDescriptor])
    case value([UInt8])
    case done
    /// dBm.
    case rssi(Int8)
}

/// Why a GATT operation did not succeed.
package enum GATTFailure: Error, Hashable, Sendable {
    /// The peer's Error Response, with its code (Vol 3, Part F, 3.4.1.1).
    case attribute(UInt8)
    /// The peer did not answer within 30 s, or broke the protocol: the bearer is dead.
    case bearerLost
    /// There is no connection to the peer.
    case notConnected
    /// The value is longer than 512 octets.
    case valueTooLong
}
