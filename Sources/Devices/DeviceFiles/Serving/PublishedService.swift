import BLEValues
import BLEWire
import CoreBluetooth

extension ServiceProfile {
    /// The part that clients discover; the rest has its defaults. A change of it needs a new service.
    var discoverable: ServiceProfile {
        ServiceProfile(
            uuid: uuid, isPrimary: isPrimary, includes: includes,
            characteristics: characteristics.map {
                CharacteristicProfile(
                    uuid: $0.uuid, properties: $0.properties, security: $0.security,
                    descriptors: $0.descriptors.map {
                        DescriptorProfile(uuid: $0.uuid, format: ValueFormat(.hexadecimal), value: $0.value)
                    })
            })
    }
}

/// A service of the peripheral manager.
struct PublishedService {
    /// The discoverable part of its profile.
    let shape: ServiceProfile
    let service: CBMutableService
    let characteristics: [ServedCharacteristic]

    /// - Parameter count: The number of characteristics that the server has made so far.
    init(_ shape: ServiceProfile, included: [CBMutableService], after count: Int = 0) {
        self.shape = shape
        // The manager reserves some services of the SIG in their 16-bit form, such as Battery, and accepts their long form.
        service = CBMutableService(type: CBUUID(string: shape.uuid.longText), primary: shape.isPrimary)
        characteristics = shape.characteristics.enumerated().map { index, shape in
            ServedCharacteristic(shape, number: count + index)
        }
        service.characteristics = characteristics
        if !included.isEmpty { service.includedServices = included }
    }
}

/// A characteristic of a `ProfileServer`.
package final class ServedCharacteristic: CBMutableCharacteristic {
    /// Its number among all characteristics that its server has made. Unlike the identity of the object, it is equal in equal runs.
    package let number: Int

    fileprivate init(_ shape: CharacteristicProfile, number: Int) {
        self.number = number
        var properties = CBCharacteristicProperties(rawValue: UInt(shape.properties.rawValue))
        var permissions: CBAttributePermissions = []
        if shape.properties.contains(.read) {
            permissions.insert(shape.security.contains(.encryptedRead) ? .readEncryptionRequired : .readable)
        }
        if shape.properties.isWritable {
            permissions.insert(shape.security.contains(.encryptedWrite) ? .writeEncryptionRequired : .writeable)
        }
        if shape.security.contains(.encryptedNotify) {
            if shape.properties.contains(.notify) { properties.insert(.notifyEncryptionRequired) }
            if shape.properties.contains(.indicate) { properties.insert(.indicateEncryptionRequired) }
        }
        // Without a static value each access goes to the delegate.
        super.init(type: CBUUID(string: "\(shape.uuid)"), properties: properties, value: nil, permissions: permissions)
        if !shape.descriptors.isEmpty {
            descriptors = shape.descriptors.map { descriptor in
                let isText = descriptor.uuid.shortValue == 0x2901
                return CBMutableDescriptor(
                    type: CBUUID(string: "\(descriptor.uuid)"),
                    value: isText ? String(decoding: descriptor.value, as: UTF8.self) : Data(descriptor.value))
            }
        }
    }
}

extension BluetoothUUID {
    /// 32 digits with hyphens.
    fileprivate var longText: String { BluetoothUUID(high: high, low: low).description }
}
