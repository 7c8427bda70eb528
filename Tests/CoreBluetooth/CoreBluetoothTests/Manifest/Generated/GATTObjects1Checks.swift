// Made by Scripts/generate-manifest-tests from Documentation/symbols.tsv. Do not edit.
import CoreBluetooth

extension ManifestChecks {
    /// Rows 1 to 40 of the section "GATT objects".
    func checkGATTObjects1(_ objects: ManifestObjects) {
        row("GATT objects", "class", "open class CBAttribute : NSObject", of: "CBAttribute") {
            let _: NSObject.Type = CBAttribute.self
            return isNamed(CBAttribute.self, "CBAttribute")
        }
        row("GATT objects", "property", "var uuid: CBUUID { get }", of: "CBAttribute") {
            let path: KeyPath<CBAttribute, CBUUID> = \CBAttribute.uuid
            return isReadOnly(path)
        }
        row("GATT objects", "class", "open class CBService : CBAttribute", of: "CBService") {
            let _: CBAttribute.Type = CBService.self
            return isNamed(CBService.self, "CBService")
        }
        row("GATT objects", "property", "weak var peripheral: CBPeripheral? { get }", of: "CBService") {
            let path: KeyPath<CBService, CBPeripheral?> = \CBService.peripheral
            return isReadOnly(path)
        }
        row("GATT objects", "property", "var isPrimary: Bool { get }", of: "CBService") {
            let path: KeyPath<CBService, Bool> = \CBService.isPrimary
            return isReadOnly(path)
        }
        row("GATT objects", "property", "var includedServices: [CBService]? { get }", of: "CBService") {
            let path: KeyPath<CBService, [CBService]?> = \CBService.includedServices
            return isReadOnly(path)
        }
        row("GATT objects", "property", "var characteristics: [CBCharacteristic]? { get }", of: "CBService") {
            let path: KeyPath<CBService, [CBCharacteristic]?> = \CBService.characteristics
            return isReadOnly(path)
        }
        row("GATT objects", "class", "open class CBMutableService : CBService", of: "CBMutableService") {
            let _: CBService.Type = CBMutableService.self
            return isNamed(CBMutableService.self, "CBMutableService")
        }
        row("GATT objects", "init", "init(type UUID: CBUUID, primary isPrimary: Bool)", of: "CBMutableService") {
            let function: (CBUUID, Bool) -> CBMutableService = CBMutableService.init(type:primary:)
            return isPresent(function)
        }
        row("GATT objects", "property", "var includedServices: [CBService]? { get set }", of: "CBMutableService") {
            let path: ReferenceWritableKeyPath<CBMutableService, [CBService]?> = \CBMutableService.includedServices
            return isPath(path)
        }
        row("GATT objects", "property", "var characteristics: [CBCharacteristic]? { get set }", of: "CBMutableService")
        {
            let path: ReferenceWritableKeyPath<CBMutableService, [CBCharacteristic]?> =
                \CBMutableService.characteristics
            return isPath(path)
        }
        row("GATT objects", "class", "open class CBCharacteristic : CBAttribute", of: "CBCharacteristic") {
            let _: CBAttribute.Type = CBCharacteristic.self
            return isNamed(CBCharacteristic.self, "CBCharacteristic")
        }
        row("GATT objects", "property", "weak var service: CBService? { get }", of: "CBCharacteristic") {
            let path: KeyPath<CBCharacteristic, CBService?> = \CBCharacteristic.service
            return isReadOnly(path)
        }
        row("GATT objects", "property", "var properties: CBCharacteristicProperties { get }", of: "CBCharacteristic") {
            let path: KeyPath<CBCharacteristic, CBCharacteristicProperties> = \CBCharacteristic.properties
            return isReadOnly(path)
        }
        row("GATT objects", "property", "var value: Data? { get }", of: "CBCharacteristic") {
            let path: KeyPath<CBCharacteristic, Data?> = \CBCharacteristic.value
            return isReadOnly(path)
        }
        row("GATT objects", "property", "var descriptors: [CBDescriptor]? { get }", of: "CBCharacteristic") {
            let path: KeyPath<CBCharacteristic, [CBDescriptor]?> = \CBCharacteristic.descriptors
            return isReadOnly(path)
        }
        row("GATT objects", "property", "var isBroadcasted: Bool { get }", of: "CBCharacteristic") {
            let path: KeyPath<CBCharacteristic, Bool> = \CBCharacteristic.isBroadcasted
            return isReadOnly(path)
        }
        row("GATT objects", "property", "var isNotifying: Bool { get }", of: "CBCharacteristic") {
            let path: KeyPath<CBCharacteristic, Bool> = \CBCharacteristic.isNotifying
            return isReadOnly(path)
        }
        row(
            "GATT objects", "class", "open class CBMutableCharacteristic : CBCharacteristic",
            of: "CBMutableCharacteristic"
        ) {
            let _: CBCharacteristic.Type = CBMutableCharacteristic.self
            return isNamed(CBMutableCharacteristic.self, "CBMutableCharacteristic")
        }
        row(
            "GATT objects", "init",
            "init(type UUID: CBUUID, properties: CBCharacteristicProperties, value: Data?, permissions: CBAttributePermissions)",
            of: "CBMutableCharacteristic"
        ) {
            let function:
                (CBUUID, CBCharacteristicProperties, Data?, CBAttributePermissions) -> CBMutableCharacteristic =
                    CBMutableCharacteristic.init(type:properties:value:permissions:)
            return isPresent(function)
        }
        row(
            "GATT objects", "property", "var permissions: CBAttributePermissions { get set }",
            of: "CBMutableCharacteristic"
        ) {
            let path: ReferenceWritableKeyPath<CBMutableCharacteristic, CBAttributePermissions> =
                \CBMutableCharacteristic.permissions
            return isPath(path)
        }
        row("GATT objects", "property", "var subscribedCentrals: [CBCentral]? { get }", of: "CBMutableCharacteristic") {
            let path: KeyPath<CBMutableCharacteristic, [CBCentral]?> = \CBMutableCharacteristic.subscribedCentrals
            return isReadOnly(path)
        }
        row(
            "GATT objects", "property", "var properties: CBCharacteristicProperties { get set }",
            of: "CBMutableCharacteristic"
        ) {
            let path: ReferenceWritableKeyPath<CBMutableCharacteristic, CBCharacteristicProperties> =
                \CBMutableCharacteristic.properties
            return isPath(path)
        }
        row("GATT objects", "property", "var value: Data? { get set }", of: "CBMutableCharacteristic") {
            let path: ReferenceWritableKeyPath<CBMutableCharacteristic, Data?> = \CBMutableCharacteristic.value
            return isPath(path)
        }
        row("GATT objects", "property", "var descriptors: [CBDescriptor]? { get set }", of: "CBMutableCharacteristic") {
            let path: ReferenceWritableKeyPath<CBMutableCharacteristic, [CBDescriptor]?> =
                \CBMutableCharacteristic.descriptors
            return isPath(path)
        }
        row("GATT objects", "class", "open class CBDescriptor : CBAttribute", of: "CBDescriptor") {
            let _: CBAttribute.Type = CBDescriptor.self
            return isNamed(CBDescriptor.self, "CBDescriptor")
        }
        row("GATT objects", "property", "weak var characteristic: CBCharacteristic? { get }", of: "CBDescriptor") {
            let path: KeyPath<CBDescriptor, CBCharacteristic?> = \CBDescriptor.characteristic
            return isReadOnly(path)
        }
        row("GATT objects", "property", "var value: Any? { get }", of: "CBDescriptor") {
            let path: KeyPath<CBDescriptor, Any?> = \CBDescriptor.value
            return isReadOnly(path)
        }
        row("GATT objects", "class", "open class CBMutableDescriptor : CBDescriptor", of: "CBMutableDescriptor") {
            let _: CBDescriptor.Type = CBMutableDescriptor.self
            return isNamed(CBMutableDescriptor.self, "CBMutableDescriptor")
        }
        row("GATT objects", "init", "init(type UUID: CBUUID, value: Any?)", of: "CBMutableDescriptor") {
            let function: (CBUUID, Any?) -> CBMutableDescriptor = CBMutableDescriptor.init(type:value:)
            return isPresent(function)
        }
        row(
            "GATT objects", "option set", "struct CBCharacteristicProperties : OptionSet (RawValue UInt)",
            of: "CBCharacteristicProperties"
        ) {
            return isOptionSet(CBCharacteristicProperties.self)
        }
        row(
            "GATT objects", "option", "static var broadcast: CBCharacteristicProperties { get }  // 0x01",
            of: "CBCharacteristicProperties"
        ) {
            let option: CBCharacteristicProperties = CBCharacteristicProperties.broadcast
            return option.rawValue == 0x01
        }
        row(
            "GATT objects", "option", "static var read: CBCharacteristicProperties { get }  // 0x02",
            of: "CBCharacteristicProperties"
        ) {
            let option: CBCharacteristicProperties = CBCharacteristicProperties.read
            return option.rawValue == 0x02
        }
        row(
            "GATT objects", "option", "static var writeWithoutResponse: CBCharacteristicProperties { get }  // 0x04",
            of: "CBCharacteristicProperties"
        ) {
            let option: CBCharacteristicProperties = CBCharacteristicProperties.writeWithoutResponse
            return option.rawValue == 0x04
        }
        row(
            "GATT objects", "option", "static var write: CBCharacteristicProperties { get }  // 0x08",
            of: "CBCharacteristicProperties"
        ) {
            let option: CBCharacteristicProperties = CBCharacteristicProperties.write
            return option.rawValue == 0x08
        }
        row(
            "GATT objects", "option", "static var notify: CBCharacteristicProperties { get }  // 0x10",
            of: "CBCharacteristicProperties"
        ) {
            let option: CBCharacteristicProperties = CBCharacteristicProperties.notify
            return option.rawValue == 0x10
        }
        row(
            "GATT objects", "option", "static var indicate: CBCharacteristicProperties { get }  // 0x20",
            of: "CBCharacteristicProperties"
        ) {
            let option: CBCharacteristicProperties = CBCharacteristicProperties.indicate
            return option.rawValue == 0x20
        }
        row(
            "GATT objects", "option",
            "static var authenticatedSignedWrites: CBCharacteristicProperties { get }  // 0x40",
            of: "CBCharacteristicProperties"
        ) {
            let option: CBCharacteristicProperties = CBCharacteristicProperties.authenticatedSignedWrites
            return option.rawValue == 0x40
        }
        row(
            "GATT objects", "option", "static var extendedProperties: CBCharacteristicProperties { get }  // 0x80",
            of: "CBCharacteristicProperties"
        ) {
            let option: CBCharacteristicProperties = CBCharacteristicProperties.extendedProperties
            return option.rawValue == 0x80
        }
        row(
            "GATT objects", "option",
            "static var notifyEncryptionRequired: CBCharacteristicProperties { get }  // 0x100",
            of: "CBCharacteristicProperties"
        ) {
            let option: CBCharacteristicProperties = CBCharacteristicProperties.notifyEncryptionRequired
            return option.rawValue == 0x100
        }
    }
}
