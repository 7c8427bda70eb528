// Made by Scripts/generate-manifest-tests from Documentation/symbols.tsv. Do not edit.
import CoreBluetooth

extension ManifestChecks {
    /// Rows 41 to 51 of the section "GATT objects".
    func checkGATTObjects2(_ objects: ManifestObjects) {
        row(
            "GATT objects", "option",
            "static var indicateEncryptionRequired: CBCharacteristicProperties { get }  // 0x200",
            of: "CBCharacteristicProperties"
        ) {
            let option: CBCharacteristicProperties = CBCharacteristicProperties.indicateEncryptionRequired
            return option.rawValue == 0x200
        }
        row(
            "GATT objects", "option set", "struct CBAttributePermissions : OptionSet (RawValue UInt)",
            of: "CBAttributePermissions"
        ) {
            return isOptionSet(CBAttributePermissions.self)
        }
        row(
            "GATT objects", "option", "static var readable: CBAttributePermissions { get }  // 0x01",
            of: "CBAttributePermissions"
        ) {
            let option: CBAttributePermissions = CBAttributePermissions.readable
            return option.rawValue == 0x01
        }
        row(
            "GATT objects", "option", "static var writeable: CBAttributePermissions { get }  // 0x02",
            of: "CBAttributePermissions"
        ) {
            let option: CBAttributePermissions = CBAttributePermissions.writeable
            return option.rawValue == 0x02
        }
        row(
            "GATT objects", "option", "static var readEncryptionRequired: CBAttributePermissions { get }  // 0x04",
            of: "CBAttributePermissions"
        ) {
            let option: CBAttributePermissions = CBAttributePermissions.readEncryptionRequired
            return option.rawValue == 0x04
        }
        row(
            "GATT objects", "option", "static var writeEncryptionRequired: CBAttributePermissions { get }  // 0x08",
            of: "CBAttributePermissions"
        ) {
            let option: CBAttributePermissions = CBAttributePermissions.writeEncryptionRequired
            return option.rawValue == 0x08
        }
        row("GATT objects", "class", "open class CBATTRequest : NSObject", of: "CBATTRequest") {
            let _: NSObject.Type = CBATTRequest.self
            return isNamed(CBATTRequest.self, "CBATTRequest")
        }
        row("GATT objects", "property", "var central: CBCentral { get }", of: "CBATTRequest") {
            let path: KeyPath<CBATTRequest, CBCentral> = \CBATTRequest.central
            return isReadOnly(path)
        }
        row("GATT objects", "property", "var characteristic: CBCharacteristic { get }", of: "CBATTRequest") {
            let path: KeyPath<CBATTRequest, CBCharacteristic> = \CBATTRequest.characteristic
            return isReadOnly(path)
        }
        row("GATT objects", "property", "var offset: Int { get }", of: "CBATTRequest") {
            let path: KeyPath<CBATTRequest, Int> = \CBATTRequest.offset
            return isReadOnly(path)
        }
        row("GATT objects", "property", "var value: Data? { get set }", of: "CBATTRequest") {
            let path: ReferenceWritableKeyPath<CBATTRequest, Data?> = \CBATTRequest.value
            return isPath(path)
        }
    }
}
