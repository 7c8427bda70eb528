package struct GATTGetServicesRequest: APIMessage {
    package static let type = APIMessageType(70)
    /// The 48 bits of the device address.
    package var address: UInt64 = 0

    package init() {}

    package init(address: UInt64) {
        self.address = address
    }

    package mutating func visit(_ fields: inout some FieldVisitor) {
        fields.uint64(1, &address)
    }
}

/// Some services of a device. Several responses come before `GATTGetServicesDoneResponse`.
package struct GATTGetServicesResponse: APIMessage {
    package static let type = APIMessageType(71)
    /// The 48 bits of the device address.
    package var address: UInt64 = 0
    package var services: [GATTServiceRecord] = []

    package init() {}

    package init(address: UInt64, services: [GATTServiceRecord] = []) {
        self.address = address
        self.services = services
    }

    package mutating func visit(_ fields: inout some FieldVisitor) {
        fields.uint64(1, &address)
        fields.messages(2, &services)
    }
}

package struct GATTGetServicesDoneResponse: APIMessage {
    package static let type = APIMessageType(72)
    /// The 48 bits of the device address.
    package var address: UInt64 = 0

    package init() {}

    package init(address: UInt64) {
        self.address = address
    }

    package mutating func visit(_ fields: inout some FieldVisitor) {
        fields.uint64(1, &address)
    }
}

package struct GATTReadRequest: APIMessage {
    package static let type = APIMessageType(73)
    /// The 48 bits of the device address.
    package var address: UInt64 = 0
    package var handle: UInt32 = 0

    package init() {}

    package init(address: UInt64, handle: UInt32 = 0) {
        self.address = address
        self.handle = handle
    }

    package mutating func visit(_ fields: inout some FieldVisitor) {
        fields.uint64(1, &address)
        fields.uint32(2, &handle)
    }
}

/// Answers a read of a value or a descriptor.
package struct GATTReadResponse: APIMessage {
    package static let type = APIMessageType(74)
    /// The 48 bits of the device address.
    package var address: UInt64 = 0
    package var handle: UInt32 = 0
    package var data: [UInt8] = []

    package init() {}

    package init(address: UInt64, handle: UInt32 = 0, data: [UInt8] = []) {
        self.address = address
        self.handle = handle
        self.data = data
    }

    package mutating func visit(_ fields: inout some FieldVisitor) {
        fields.uint64(1, &address)
        fields.uint32(2, &handle)
        fields.bytes(3, &data)
    }
}

package struct GATTWriteRequest: APIMessage {
    package static let type = APIMessageType(75)
    /// The 48 bits of the device address.
    package var address: UInt64 = 0
    package var handle: UInt32 = 0
    package var needsResponse = false
    package var data: [UInt8] = []

    package init() {}

    package init(address: UInt64, handle: UInt32 = 0, needsResponse: Bool = false, data: [UInt8] = []) {
        self.address = address
        self.handle = handle
        self.needsResponse = needsResponse
        self.data = data
    }

    package mutating func visit(_ fields: inout some FieldVisitor) {
        fields.uint64(1, &address)
        fields.uint32(2, &handle)
        fields.bool(3, &needsResponse)
        fields.bytes(4, &data)
    }
}

package struct GATTReadDescriptorRequest: APIMessage {
    package static let type = APIMessageType(76)
    /// The 48 bits of the device address.
    package var address: UInt64 = 0
    package var handle: UInt32 = 0

    package init() {}

    package init(address: UInt64, handle: UInt32 = 0) {
        self.address = address
        self.handle = handle
    }

    package mutating func visit(_ fields: inout some FieldVisitor) {
        fields.uint64(1, &address)
        fields.uint32(2, &handle)
    }
}

package struct GATTWriteDescriptorRequest: APIMessage {
    package static let type = APIMessageType(77)
    /// The 48 bits of the device address.
    package var address: UInt64 = 0
    package var handle: UInt32 = 0
    package var data: [UInt8] = []

    package init() {}

    package init(address: UInt64, handle: UInt32 = 0, data: [UInt8] = []) {
        self.address = address
        self.handle = handle
        self.data = data
    }

    package mutating func visit(_ fields: inout some FieldVisitor) {
        fields.uint64(1, &address)
        fields.uint32(2, &handle)
        fields.bytes(3, &data)
    }
}

/// Registers for the notifications of a characteristic. The client writes the configuration descriptor itself.
package struct GATTNotifyRequest: APIMessage {
    package static let type = APIMessageType(78)
    /// The 48 bits of the device address.
    package var address: UInt64 = 0
    package var handle: UInt32 = 0
    package var isEnabled = false

    package init() {}

    package init(address: UInt64, handle: UInt32 = 0, isEnabled: Bool = false) {
        self.address = address
        self.handle = handle
        self.isEnabled = isEnabled
    }

    package mutating func visit(_ fields: inout some FieldVisitor) {
        fields.uint64(1, &address)
        fields.uint32(2, &handle)
        fields.bool(3, &isEnabled)
    }
}

/// A notification or an indication.
package struct GATTNotifyDataResponse: APIMessage {
    package static let type = APIMessageType(79)
    /// The 48 bits of the device address.
    package var address: UInt64 = 0
    package var handle: UInt32 = 0
    package var data: [UInt8] = []

    package init() {}

    package init(address: UInt64, handle: UInt32 = 0, data: [UInt8] = []) {
        self.address = address
        self.handle = handle
        self.data = data
    }

    package mutating func visit(_ fields: inout some FieldVisitor) {
        fields.uint64(1, &address)
        fields.uint32(2, &handle)
        fields.bytes(3, &data)
    }
}

/// Answers any GATT request that failed.
package struct GATTErrorResponse: APIMessage {
    package static let type = APIMessageType(82)
    /// The 48 bits of the device address.
    package var address: UInt64 = 0
    package var handle: UInt32 = 0
    package var error: Int32 = 0

    package init() {}

    package init(address: UInt64, handle: UInt32 = 0, error: Int32 = 0) {
        self.address = address
        self.handle = handle
        self.error = error
    }

    package mutating func visit(_ fields: inout some FieldVisitor) {
        fields.uint64(1, &address)
        fields.uint32(2, &handle)
        fields.int32(3, &error)
    }
}

/// Answers a write of a value or a descriptor.
package struct GATTWriteResponse: APIMessage {
    package static let type = APIMessageType(83)
    /// The 48 bits of the device address.
    package var address: UInt64 = 0
    package var handle: UInt32 = 0

    package init() {}

    package init(address: UInt64, handle: UInt32 = 0) {
        self.address = address
        self.handle = handle
    }

    package mutating func visit(_ fields: inout some FieldVisitor) {
        fields.uint64(1, &address)
        fields.uint32(2, &handle)
    }
}

package struct GATTNotifyResponse: APIMessage {
    package static let type = APIMessageType(84)
    /// The 48 bits of the device address.
    package var address: UInt64 = 0
    package var handle: UInt32 = 0

    package init() {}

    package init(address: UInt64, handle: UInt32 = 0) {
        self.address = address
        self.handle = handle
    }

    package mutating func visit(_ fields: inout some FieldVisitor) {
        fields.uint64(1, &address)
        fields.uint32(2, &handle)
    }
}
