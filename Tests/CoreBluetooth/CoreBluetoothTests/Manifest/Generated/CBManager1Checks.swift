// Made by Scripts/generate-manifest-tests from Documentation/symbols.tsv. Do not edit.
import CoreBluetooth

extension ManifestChecks {
    /// Rows 1 to 16 of the section "CBManager".
    func checkCBManager1(_ objects: ManifestObjects) {
        row("CBManager", "class", "open class CBManager : NSObject", of: "CBManager") {
            let _: NSObject.Type = CBManager.self
            return isNamed(CBManager.self, "CBManager")
        }
        row("CBManager", "property", "var state: CBManagerState { get }", of: "CBManager") {
            let path: KeyPath<CBManager, CBManagerState> = \CBManager.state
            return isReadOnly(path)
        }
        row("CBManager", "property", "var authorization: CBManagerAuthorization { get }", of: "CBManager") {
            let path: KeyPath<CBManager, CBManagerAuthorization> = \CBManager.authorization
            return isReadOnly(path)
        }
        row("CBManager", "type property", "class var authorization: CBManagerAuthorization { get }", of: "CBManager") {
            let value: CBManagerAuthorization = CBManager.authorization
            return isPresent(value)
        }
        row("CBManager", "enum", "enum CBManagerState : Int", of: "CBManagerState") {
            return isOpenEnumeration(CBManagerState.self)
        }
        row("CBManager", "enum case", "case unknown = 0", of: "CBManagerState") {
            return CBManagerState.unknown.rawValue == 0
        }
        row("CBManager", "enum case", "case resetting = 1", of: "CBManagerState") {
            return CBManagerState.resetting.rawValue == 1
        }
        row("CBManager", "enum case", "case unsupported = 2", of: "CBManagerState") {
            return CBManagerState.unsupported.rawValue == 2
        }
        row("CBManager", "enum case", "case unauthorized = 3", of: "CBManagerState") {
            return CBManagerState.unauthorized.rawValue == 3
        }
        row("CBManager", "enum case", "case poweredOff = 4", of: "CBManagerState") {
            return CBManagerState.poweredOff.rawValue == 4
        }
        row("CBManager", "enum case", "case poweredOn = 5", of: "CBManagerState") {
            return CBManagerState.poweredOn.rawValue == 5
        }
        row("CBManager", "enum", "enum CBManagerAuthorization : Int", of: "CBManagerAuthorization") {
            return isOpenEnumeration(CBManagerAuthorization.self)
        }
        row("CBManager", "enum case", "case notDetermined = 0", of: "CBManagerAuthorization") {
            return CBManagerAuthorization.notDetermined.rawValue == 0
        }
        row("CBManager", "enum case", "case restricted = 1", of: "CBManagerAuthorization") {
            return CBManagerAuthorization.restricted.rawValue == 1
        }
        row("CBManager", "enum case", "case denied = 2", of: "CBManagerAuthorization") {
            return CBManagerAuthorization.denied.rawValue == 2
        }
        row("CBManager", "enum case", "case allowedAlways = 3", of: "CBManagerAuthorization") {
            return CBManagerAuthorization.allowedAlways.rawValue == 3
        }
    }
}
