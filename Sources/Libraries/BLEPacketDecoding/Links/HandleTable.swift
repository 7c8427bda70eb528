import BLEWire

/// The attributes of one server that discoveries on the air named.
struct HandleTable: Sendable {
    static let limit = 512
    /// The most handles between a value and its descriptors.
    private static let descriptorDistance: UInt16 = 32

    private var attributes: [UInt16: KnownAttribute] = [:]

    subscript(handle: UInt16) -> KnownAttribute? { attributes[handle] }

    var count: Int { attributes.count }

    mutating func note(_ kind: KnownAttribute.Kind, _ uuid: BluetoothUUID, at handle: UInt16) {
        guard attributes[handle] != nil || attributes.count < Self.limit else { return }
        let value = kind == .descriptor ? self.value(before: handle) ?? handle : handle
        attributes[handle] = KnownAttribute(kind: kind, uuid: uuid, valueHandle: value)
    }

    /// Notes what a discovery named. A read by a type, and the types of a range, do not replace what is known better.
    mutating func note(_ found: FoundAttribute) {
        guard !found.isGuess || attributes[found.handle] == nil else { return }
        note(found.kind, found.uuid, at: found.handle)
    }

    /// The handle of the characteristic's value that a descriptor follows.
    private func value(before handle: UInt16) -> UInt16? {
        var candidate = handle
        for _ in 0..<Self.descriptorDistance where candidate > 1 {
            candidate -= 1
            if attributes[candidate]?.kind == .value { return candidate }
        }
        return nil
    }
}
