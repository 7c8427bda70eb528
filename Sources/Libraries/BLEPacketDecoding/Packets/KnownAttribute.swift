import BLEWire

/// An attribute that a discovery on the air named. The summaries of its packets share it.
package final class KnownAttribute: Hashable, Sendable {
    package enum Kind: UInt8, Hashable, Sendable {
        case service, includedService, declaration, value, descriptor
    }

    package let kind: Kind
    /// The type of the service, the characteristic or the descriptor.
    package let uuid: BluetoothUUID
    /// The handle of the value that a descriptor belongs to; otherwise the attribute's own handle.
    package let valueHandle: UInt16

    package init(kind: Kind, uuid: BluetoothUUID, valueHandle: UInt16) {
        self.kind = kind
        self.uuid = uuid
        self.valueHandle = valueHandle
    }

    package static func == (one: KnownAttribute, other: KnownAttribute) -> Bool {
        one.kind == other.kind && one.uuid == other.uuid && one.valueHandle == other.valueHandle
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(uuid)
        hasher.combine(valueHandle)
    }
}
