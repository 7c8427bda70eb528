/// The definition of a service in the local database.
package struct ServiceDefinition: Hashable, Sendable {
    package var uuid: BluetoothUUID
    package var isPrimary: Bool
    /// The tokens of services that were added before.
    package var includedServices: [Int]
    package var characteristics: [CharacteristicDefinition]
    package init(
        uuid: BluetoothUUID, isPrimary: Bool, includedServices: [Int], characteristics: [CharacteristicDefinition]
    ) {
        self.uuid = uuid
        self.isPrimary = isPrimary
        self.includedServices = includedServices
        self.characteristics = characteristics
    }
}

package struct CharacteristicDefinition: Hashable, Sendable {
    package var uuid: BluetoothUUID
    /// The bits of CBCharacteristicProperties, up to 0x200.
    package var properties: UInt
    /// The bits of CBAttributePermissions: readable 1, writeable 2, read encryption 4, write encryption 8.
    package var permissions: UInt
    /// A static value, which the bearer serves itself. With nil, every access goes to the observer.
    package var value: [UInt8]?
    /// Descriptors in addition to the client configuration, which is added automatically for notify and indicate.
    package var descriptors: [DescriptorDefinition]
    package init(
        uuid: BluetoothUUID, properties: UInt, permissions: UInt, value: [UInt8]?, descriptors: [DescriptorDefinition]
    ) {
        self.uuid = uuid
        self.properties = properties
        self.permissions = permissions
        self.value = value
        self.descriptors = descriptors
    }
}

package struct DescriptorDefinition: Hashable, Sendable {
    package var uuid: BluetoothUUID
    package var value: [UInt8]
    package init(uuid: BluetoothUUID, value: [UInt8]) {
        self.uuid = uuid
        self.value = value
    }
}
