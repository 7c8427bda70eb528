/// A message without fields. `number` is that of its type.
package struct EmptyMessage<let number: Int>: APIMessage {
    package static var type: APIMessageType { APIMessageType(UInt16(number)) }

    package init() {}

    package mutating func visit(_ fields: inout some FieldVisitor) {}
}

/// A message about a device.
package struct AddressMessage<let number: Int>: APIMessage {
    package static var type: APIMessageType { APIMessageType(UInt16(number)) }
    /// The 48 bits of the device address.
    package var address: UInt64 = 0

    package init() {}

    package init(address: UInt64) { self.address = address }

    package mutating func visit(_ fields: inout some FieldVisitor) { fields.uint64(1, &address) }
}

/// The end of a request about a device.
package struct OutcomeMessage<let number: Int>: APIMessage {
    package static var type: APIMessageType { APIMessageType(UInt16(number)) }
    /// The 48 bits of the device address.
    package var address: UInt64 = 0
    package var isSuccess = false
    package var error: Int32 = 0

    package init() {}

    package init(address: UInt64, isSuccess: Bool = false, error: Int32 = 0) {
        (self.address, self.isSuccess, self.error) = (address, isSuccess, error)
    }

    package mutating func visit(_ fields: inout some FieldVisitor) {
        fields.uint64(1, &address)
        fields.bool(2, &isSuccess)
        fields.int32(3, &error)
    }
}

/// A message about an attribute of a device.
package struct HandleMessage<let number: Int>: APIMessage {
    package static var type: APIMessageType { APIMessageType(UInt16(number)) }
    /// The 48 bits of the device address.
    package var address: UInt64 = 0
    package var handle: UInt32 = 0

    package init() {}

    package init(address: UInt64, handle: UInt32 = 0) { (self.address, self.handle) = (address, handle) }

    package mutating func visit(_ fields: inout some FieldVisitor) {
        fields.uint64(1, &address)
        fields.uint32(2, &handle)
    }
}

/// A message with octets of an attribute of a device.
package struct HandleDataMessage<let number: Int>: APIMessage {
    package static var type: APIMessageType { APIMessageType(UInt16(number)) }
    /// The 48 bits of the device address.
    package var address: UInt64 = 0
    package var handle: UInt32 = 0
    package var data: [UInt8] = []

    package init() {}

    package init(address: UInt64, handle: UInt32 = 0, data: [UInt8] = []) {
        (self.address, self.handle, self.data) = (address, handle, data)
    }

    package mutating func visit(_ fields: inout some FieldVisitor) {
        fields.uint64(1, &address)
        fields.uint32(2, &handle)
        fields.bytes(3, &data)
    }
}
