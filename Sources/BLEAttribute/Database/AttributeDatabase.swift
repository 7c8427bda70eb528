import BLEWire

/// The local attributes of all clients: handles, permissions and static values. Starts with the GAP service (device name,
/// appearance) and the GATT service (Service Changed).
package struct AttributeDatabase: Sendable {
    package init(deviceName: [UInt8] = [], appearance: UInt16 = 0) {
        self.deviceName = deviceName
    }

    /// The UTF-8 octets of the GAP device name, at most 248.
    package var deviceName: [UInt8]
    /// The value handle of Service Changed.
    package var serviceChangedHandle: UInt16 { 0 }

    /// Adds a service. Nil when no handles are left, an included service is not there, or a static value is longer than 512
    /// octets. `included` are the ranges of the included services.
    package mutating func add(_ definition: ServiceDefinition, included: [HandleRange]) -> AddedService? { nil }

    /// Removes the service that occupies `range`; false if there is none.
    @discardableResult
    package mutating func remove(_ range: HandleRange) -> Bool { false }
}

/// Where a service lies in the database; the characteristics in the order of the definition.
package struct AddedService: Hashable, Sendable {
    package var range: HandleRange
    package var characteristics: [AddedCharacteristic]
    package init(range: HandleRange, characteristics: [AddedCharacteristic]) {
        self.range = range
        self.characteristics = characteristics
    }
}

package struct AddedCharacteristic: Hashable, Sendable {
    package var valueHandle: UInt16
    /// The client characteristic configuration, if it has one.
    package var clientConfigurationHandle: UInt16?
    /// The static descriptors in the order of the definition.
    package var descriptorHandles: [UInt16]
    package init(valueHandle: UInt16, clientConfigurationHandle: UInt16?, descriptorHandles: [UInt16]) {
        self.valueHandle = valueHandle
        self.clientConfigurationHandle = clientConfigurationHandle
        self.descriptorHandles = descriptorHandles
    }
}
