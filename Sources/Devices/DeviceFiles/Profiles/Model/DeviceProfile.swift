import BLEAdapter
import BLEWire

/// A peripheral as a profile file describes it: its advertisement and its services.
package struct DeviceProfile: Hashable, Sendable {
    /// One line about the device.
    package var summary: String?
    package var advertising: AdvertisingProfile
    package var services: [ServiceProfile]

    package init(
        summary: String? = nil, advertising: AdvertisingProfile = AdvertisingProfile(), services: [ServiceProfile] = []
    ) {
        self.summary = summary
        self.advertising = advertising
        self.services = services
    }

    /// Services of the host, which no profile can define (Vol 3, Part C, 12; Part G, 7).
    package static let hostServices: Set<UInt16> = [0x1800, 0x1801]

    package subscript(reference: CharacteristicIndex) -> CharacteristicProfile {
        get { services[reference.service].characteristics[reference.characteristic] }
        set { services[reference.service].characteristics[reference.characteristic] = newValue }
    }

    /// All characteristics in the order of the file.
    package var characteristics: [CharacteristicIndex] {
        services.indices.flatMap { service in
            services[service].characteristics.indices.map { CharacteristicIndex(service: service, characteristic: $0) }
        }
    }
}

/// The place of a characteristic in a profile.
package struct CharacteristicIndex: Hashable, Sendable {
    package let service: Int
    package let characteristic: Int

    package init(service: Int, characteristic: Int) {
        self.service = service
        self.characteristic = characteristic
    }
}

/// What the device advertises.
package struct AdvertisingProfile: Hashable, Sendable {
    package var localName: String?
    package var services: [BluetoothUUID]
    /// The octets after the AD type: company identifier and data.
    package var manufacturerData: [UInt8]?
    package var serviceData: [ServiceData]
    /// Extended packets in place of legacy ones.
    package var extended: Advertisement.Extended?

    package struct ServiceData: Hashable, Sendable {
        package let service: BluetoothUUID
        package let octets: [UInt8]

        package init(service: BluetoothUUID, octets: [UInt8]) {
            self.service = service
            self.octets = octets
        }
    }

    package init(
        localName: String? = nil, services: [BluetoothUUID] = [], manufacturerData: [UInt8]? = nil,
        serviceData: [ServiceData] = [], extended: Advertisement.Extended? = nil
    ) {
        self.localName = localName
        self.services = services
        self.manufacturerData = manufacturerData
        self.serviceData = serviceData
        self.extended = extended
    }
}

package struct ServiceProfile: Hashable, Sendable {
    package var uuid: BluetoothUUID
    package var isPrimary: Bool
    /// The places of the included services in the profile.
    package var includes: [Int]
    package var characteristics: [CharacteristicProfile]

    package init(
        uuid: BluetoothUUID, isPrimary: Bool = true, includes: [Int] = [],
        characteristics: [CharacteristicProfile] = []
    ) {
        self.uuid = uuid
        self.isPrimary = isPrimary
        self.includes = includes
        self.characteristics = characteristics
    }
}
