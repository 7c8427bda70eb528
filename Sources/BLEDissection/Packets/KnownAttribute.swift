import BLEWire

/// An attribute that a discovery on the air named.
package struct KnownAttribute: Hashable, Sendable {
    package enum Kind: UInt8, Hashable, Sendable {
        case service, includedService, declaration, value, descriptor
    }

    package var kind: Kind
    /// The type of the service, the characteristic or the descriptor.
    package var uuid: BluetoothUUID
    /// The handle of the value that a descriptor belongs to; otherwise the attribute's own handle.
    package var valueHandle: UInt16

    package init(kind: Kind, uuid: BluetoothUUID, valueHandle: UInt16) {
        self.kind = kind
        self.uuid = uuid
        self.valueHandle = valueHandle
    }
}
