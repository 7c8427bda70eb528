package struct SubscribeAdvertisementsRequest: APIMessage {
    package static let type = APIMessageType(66)
    /// Bit 0: raw advertisements, the only form that exists today.
    package var flags: UInt32 = 0

    package init() {}

    package init(flags: UInt32) {
        self.flags = flags
    }

    package mutating func visit(_ fields: inout some FieldVisitor) {
        fields.uint32(1, &flags)
    }
}

package typealias UnsubscribeAdvertisementsRequest = EmptyMessage<87>

/// Connects, disconnects, pairs, and so on.
package struct DeviceRequest: APIMessage {
    package static let type = APIMessageType(68)
    /// The 48 bits of the device address.
    package var address: UInt64 = 0
    /// A `DeviceRequestKind`.
    package var kind: UInt32 = 0
    package var hasAddressType = false
    /// 0 public, 1 random.
    package var addressType: UInt32 = 0

    package init() {}

    package init(address: UInt64, kind: UInt32 = 0, hasAddressType: Bool = false, addressType: UInt32 = 0) {
        self.address = address
        self.kind = kind
        self.hasAddressType = hasAddressType
        self.addressType = addressType
    }

    package mutating func visit(_ fields: inout some FieldVisitor) {
        fields.uint64(1, &address)
        fields.uint32(2, &kind)
        fields.bool(3, &hasAddressType)
        fields.uint32(4, &addressType)
    }
}

/// A link is up or down, in answer to a request and without one.
package struct DeviceConnectionResponse: APIMessage {
    package static let type = APIMessageType(69)
    /// The 48 bits of the device address.
    package var address: UInt64 = 0
    package var isConnected = false
    /// The ATT_MTU in octets.
    package var mtu: UInt32 = 0
    package var error: Int32 = 0

    package init() {}

    package init(address: UInt64, isConnected: Bool = false, mtu: UInt32 = 0, error: Int32 = 0) {
        self.address = address
        self.isConnected = isConnected
        self.mtu = mtu
        self.error = error
    }

    package mutating func visit(_ fields: inout some FieldVisitor) {
        fields.uint64(1, &address)
        fields.bool(2, &isConnected)
        fields.uint32(3, &mtu)
        fields.int32(4, &error)
    }
}

package typealias SubscribeConnectionsFreeRequest = EmptyMessage<80>

package struct ConnectionsFreeResponse: APIMessage {
    package static let type = APIMessageType(81)
    package var free: UInt32 = 0
    package var limit: UInt32 = 0
    /// The addresses that have a slot.
    package var allocated: [UInt64] = []

    package init() {}

    package init(free: UInt32, limit: UInt32 = 0, allocated: [UInt64] = []) {
        self.free = free
        self.limit = limit
        self.allocated = allocated
    }

    package mutating func visit(_ fields: inout some FieldVisitor) {
        fields.uint32(1, &free)
        fields.uint32(2, &limit)
        fields.numbers(3, &allocated)
    }
}

package typealias DevicePairingResponse = OutcomeMessage<85>
package typealias DeviceUnpairingResponse = OutcomeMessage<86>
package typealias DeviceClearCacheResponse = OutcomeMessage<88>

package struct ScannerStateResponse: APIMessage {
    package static let type = APIMessageType(126)
    /// A `ScannerState`.
    package var state: UInt32 = 0
    /// 0 passive, 1 active.
    package var mode: UInt32 = 0
    package var configuredMode: UInt32 = 0

    package init() {}

    package init(state: UInt32, mode: UInt32 = 0, configuredMode: UInt32 = 0) {
        self.state = state
        self.mode = mode
        self.configuredMode = configuredMode
    }

    package mutating func visit(_ fields: inout some FieldVisitor) {
        fields.uint32(1, &state)
        fields.uint32(2, &mode)
        fields.uint32(3, &configuredMode)
    }
}

package struct ScannerSetModeRequest: APIMessage {
    package static let type = APIMessageType(127)
    package var mode: UInt32 = 0

    package init() {}

    package init(mode: UInt32) {
        self.mode = mode
    }

    package mutating func visit(_ fields: inout some FieldVisitor) {
        fields.uint32(1, &mode)
    }
}

package struct SetConnectionParametersRequest: APIMessage {
    package static let type = APIMessageType(145)
    /// The 48 bits of the device address.
    package var address: UInt64 = 0
    /// In units of 1.25 ms.
    package var minimumInterval: UInt32 = 0
    package var maximumInterval: UInt32 = 0
    package var latency: UInt32 = 0
    /// In units of 10 ms.
    package var timeout: UInt32 = 0

    package init() {}

    package init(
        address: UInt64, minimumInterval: UInt32 = 0, maximumInterval: UInt32 = 0, latency: UInt32 = 0,
        timeout: UInt32 = 0
    ) {
        self.address = address
        self.minimumInterval = minimumInterval
        self.maximumInterval = maximumInterval
        self.latency = latency
        self.timeout = timeout
    }

    package mutating func visit(_ fields: inout some FieldVisitor) {
        fields.uint64(1, &address)
        fields.uint32(2, &minimumInterval)
        fields.uint32(3, &maximumInterval)
        fields.uint32(4, &latency)
        fields.uint32(5, &timeout)
    }
}

package struct SetConnectionParametersResponse: APIMessage {
    package static let type = APIMessageType(146)
    /// The 48 bits of the device address.
    package var address: UInt64 = 0
    package var error: Int32 = 0

    package init() {}

    package init(address: UInt64, error: Int32 = 0) {
        self.address = address
        self.error = error
    }

    package mutating func visit(_ fields: inout some FieldVisitor) {
        fields.uint64(1, &address)
        fields.int32(2, &error)
    }
}

package struct DeviceRequestKind: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt32
    package init(rawValue: UInt32) { self.rawValue = rawValue }
    /// The first form of a connection request, which clients no longer send.
    package static let connect = Self(rawValue: 0)
    package static let disconnect = Self(rawValue: 1)
    package static let pair = Self(rawValue: 2)
    package static let unpair = Self(rawValue: 3)
    /// The client has the services from an earlier connection.
    package static let connectWithCache = Self(rawValue: 4)
    package static let connectWithoutCache = Self(rawValue: 5)
    package static let clearCache = Self(rawValue: 6)
}

package struct ScannerState: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt32
    package init(rawValue: UInt32) { self.rawValue = rawValue }
    package static let idle = Self(rawValue: 0)
    package static let starting = Self(rawValue: 1)
    package static let running = Self(rawValue: 2)
    package static let failed = Self(rawValue: 3)
    package static let stopping = Self(rawValue: 4)
    package static let stopped = Self(rawValue: 5)
}

/// What a gateway can do, as `DeviceInfoResponse` announces it.
package struct BluetoothFeatures: OptionSet, Hashable, Sendable {
    package let rawValue: UInt32
    package init(rawValue: UInt32) { self.rawValue = rawValue }
    package static let passiveScan = Self(rawValue: 1 << 0)
    package static let activeConnections = Self(rawValue: 1 << 1)
    /// The client keeps the services, and writes the configuration descriptors of characteristics.
    package static let remoteCaching = Self(rawValue: 1 << 2)
    package static let pairing = Self(rawValue: 1 << 3)
    package static let cacheClearing = Self(rawValue: 1 << 4)
    package static let rawAdvertisements = Self(rawValue: 1 << 5)
    package static let scannerState = Self(rawValue: 1 << 6)
    package static let connectionParameters = Self(rawValue: 1 << 7)
}
