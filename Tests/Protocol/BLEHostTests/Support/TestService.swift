import BLEWire

/// A service with one characteristic that can do everything.
enum TestService {
    static let service = BluetoothUUID(UInt16(0xFEE7))
    static let characteristic = BluetoothUUID(UInt16(0x36F5))

    static let definition = ServiceDefinition(
        uuid: service, isPrimary: true, includedServices: [],
        characteristics: [
            CharacteristicDefinition(
                uuid: characteristic, properties: 0x3E, permissions: 3, value: nil,
                descriptors: [DescriptorDefinition(uuid: BluetoothUUID(UInt16(0x2901)), value: [0x41])])
        ])
}
