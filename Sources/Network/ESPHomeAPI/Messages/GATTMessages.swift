package typealias GATTGetServicesRequest = AddressMessage<70>

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

package typealias GATTGetServicesDoneResponse = AddressMessage<72>
package typealias GATTReadRequest = HandleMessage<73>

/// Answers a read of a value or a descriptor.
package typealias GATTReadResponse = HandleDataMessage<74>

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

package typealias GATTReadDescriptorRequest = HandleMessage<76>
package typealias GATTWriteDescriptorRequest = HandleDataMessage<77>

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
package typealias GATTNotifyDataResponse = HandleDataMessage<79>

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
package typealias GATTWriteResponse = HandleMessage<83>
package typealias GATTNotifyResponse = HandleMessage<84>
