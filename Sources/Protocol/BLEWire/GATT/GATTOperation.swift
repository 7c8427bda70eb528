/// A GATT client operation.
package enum GATTOperation: Hashable, Sendable {
    /// Nil discovers all primary services, otherwise the services with these UUIDs. The GAP and GATT services are left
    /// out.
    case discoverServices([BluetoothUUID]?)
    case discoverIncludedServices(service: HandleRange, [BluetoothUUID]?)
    case discoverCharacteristics(service: HandleRange, [BluetoothUUID]?)
    /// `after` is the characteristic's value handle, and `end` its last handle.
    case discoverDescriptors(after: UInt16, end: UInt16)
    /// Reads the whole value. A long value continues with Read Blob.
    case read(handle: UInt16)
    /// Writes with a response. A long value uses prepared writes.
    case write(handle: UInt16, value: [UInt8])
    /// Subscribes or unsubscribes. Finds the client characteristic configuration itself. `valueHandle` and `end` as
    /// above.
    case setNotify(valueHandle: UInt16, end: UInt16, mode: NotifyMode)
    /// The RSSI of the link.
    case readRSSI

    package enum NotifyMode: Hashable, Sendable { case off, notification, indication }
}

@usableFromInline
package struct HandleRange: Hashable, Sendable {
    @usableFromInline package var start: UInt16
    @usableFromInline package var end: UInt16
    @inlinable
    package init(start: UInt16, end: UInt16) {
        self.start = start
        self.end = end
    }
}

/// The result of an operation.
package enum GATTResult: Hashable, Sendable {
    case services([DiscoveredService])
    case characteristics([DiscoveredCharacteristic])
    case descriptors([DiscoveredDescriptor])
    case value([UInt8])
    /// Several values, in the order of their handles in the call.
    case values([[UInt8]])
    case done
    /// In dBm.
    case rssi(Int8)
}

/// The reason why a GATT operation failed.
package enum GATTError: Error, Hashable, Sendable {
    /// The peer's Error Response, with its code (Vol 3, Part F, 3.4.1.1).
    case attribute(UInt8)
    /// The peer did not answer within 30 s, or violated the protocol. The bearer has failed.
    case bearerLost
    /// There is no connection to the peer.
    case notConnected
    /// The value is longer than 512 octets.
    case valueTooLong
}
