import BLEWire

/// The attributes of a device as a client discovered and read them.
package struct DiscoveredDevice: Sendable {
    /// A value, or the reason why it is missing.
    package enum Value: Hashable, Sendable {
        case octets([UInt8])
        /// The device refused the read. `needsEncryption` tells whether an encrypted link would have helped.
        case refused(String, needsEncryption: Bool)
        case unread
    }

    package struct Service: Sendable {
        package var uuid: BluetoothUUID
        package var isPrimary: Bool
        /// The indices of the included services.
        package var includes: [Int]
        package var characteristics: [Characteristic]

        package init(uuid: BluetoothUUID, isPrimary: Bool, includes: [Int] = [], characteristics: [Characteristic]) {
            self.uuid = uuid
            self.isPrimary = isPrimary
            self.includes = includes
            self.characteristics = characteristics
        }
    }

    package struct Characteristic: Sendable {
        package var uuid: BluetoothUUID
        /// The properties of the declaration (Vol 3, Part G, 3.3.1.1).
        package var properties: UInt8
        package var value: Value
        package var descriptors: [Descriptor]

        package init(uuid: BluetoothUUID, properties: UInt8, value: Value, descriptors: [Descriptor]) {
            self.uuid = uuid
            self.properties = properties
            self.value = value
            self.descriptors = descriptors
        }
    }

    package struct Descriptor: Sendable {
        package var uuid: BluetoothUUID
        package var value: Value

        package init(uuid: BluetoothUUID, value: Value) {
            self.uuid = uuid
            self.value = value
        }
    }

    package var name: String?
    package var advertising: AdvertisingProfile
    package var services: [Service]

    package init(name: String?, advertising: AdvertisingProfile, services: [Service]) {
        self.name = name
        self.advertising = advertising
        self.services = services
    }
}
