// Made by Scripts/generate-manifest-tests from Documentation/symbols.tsv. Do not edit.
import CoreBluetooth

extension ManifestChecks {
    /// Rows 1 to 33 of the section "CBPeripheralManager".
    func checkCBPeripheralManager1(_ objects: ManifestObjects) {
        row("CBPeripheralManager", "class", "open class CBPeripheralManager : CBManager", of: "CBPeripheralManager") {
            let _: CBManager.Type = CBPeripheralManager.self
            return isNamed(CBPeripheralManager.self, "CBPeripheralManager")
        }
        row("CBPeripheralManager", "init", "convenience init()", of: "CBPeripheralManager") {
            let function: () -> CBPeripheralManager = CBPeripheralManager.init
            return isPresent(function)
        }
        row(
            "CBPeripheralManager", "init",
            "convenience init(delegate: (any CBPeripheralManagerDelegate)?, queue: dispatch_queue_t?)",
            of: "CBPeripheralManager"
        ) {
            let function: ((any CBPeripheralManagerDelegate)?, dispatch_queue_t?) -> CBPeripheralManager =
                CBPeripheralManager.init(delegate:queue:)
            return isPresent(function)
        }
        row(
            "CBPeripheralManager", "init",
            "init(delegate: (any CBPeripheralManagerDelegate)?, queue: dispatch_queue_t?, options: [String : Any]? = nil)",
            of: "CBPeripheralManager"
        ) {
            let function:
                ((any CBPeripheralManagerDelegate)?, dispatch_queue_t?, [String: Any]?) -> CBPeripheralManager =
                    CBPeripheralManager.init(delegate:queue:options:)
            func short(_ argument0: (any CBPeripheralManagerDelegate)?, _ argument1: dispatch_queue_t?)
                -> CBPeripheralManager
            { CBPeripheralManager(delegate: argument0, queue: argument1) }
            _ = short
            return isPresent(function)
        }
        row(
            "CBPeripheralManager", "property", "weak var delegate: (any CBPeripheralManagerDelegate)? { get set }",
            of: "CBPeripheralManager"
        ) {
            let path: ReferenceWritableKeyPath<CBPeripheralManager, (any CBPeripheralManagerDelegate)?> =
                \CBPeripheralManager.delegate
            return isPath(path)
        }
        row("CBPeripheralManager", "property", "var isAdvertising: Bool { get }", of: "CBPeripheralManager") {
            let path: KeyPath<CBPeripheralManager, Bool> = \CBPeripheralManager.isAdvertising
            return isReadOnly(path)
        }
        row(
            "CBPeripheralManager", "type method",
            "class func authorizationStatus() -> CBPeripheralManagerAuthorizationStatus", of: "CBPeripheralManager"
        ) {
            let function: () -> CBPeripheralManagerAuthorizationStatus = CBPeripheralManager.authorizationStatus
            return isPresent(function)
        }
        row(
            "CBPeripheralManager", "method", "func startAdvertising(_ advertisementData: [String : Any]?)",
            of: "CBPeripheralManager"
        ) {
            let function: (CBPeripheralManager) -> ([String: Any]?) -> Void = CBPeripheralManager.startAdvertising(_:)
            return isPresent(function)
        }
        row("CBPeripheralManager", "method", "func stopAdvertising()", of: "CBPeripheralManager") {
            let function: (CBPeripheralManager) -> () -> Void = CBPeripheralManager.stopAdvertising
            return isPresent(function)
        }
        row(
            "CBPeripheralManager", "method",
            "func setDesiredConnectionLatency(_ latency: CBPeripheralManagerConnectionLatency, for central: CBCentral)",
            of: "CBPeripheralManager"
        ) {
            let function: (CBPeripheralManager) -> (CBPeripheralManagerConnectionLatency, CBCentral) -> Void =
                CBPeripheralManager.setDesiredConnectionLatency(_:for:)
            return isPresent(function)
        }
        row("CBPeripheralManager", "method", "func add(_ service: CBMutableService)", of: "CBPeripheralManager") {
            let function: (CBPeripheralManager) -> (CBMutableService) -> Void = CBPeripheralManager.add(_:)
            return isPresent(function)
        }
        row("CBPeripheralManager", "method", "func remove(_ service: CBMutableService)", of: "CBPeripheralManager") {
            let function: (CBPeripheralManager) -> (CBMutableService) -> Void = CBPeripheralManager.remove(_:)
            return isPresent(function)
        }
        row("CBPeripheralManager", "method", "func removeAllServices()", of: "CBPeripheralManager") {
            let function: (CBPeripheralManager) -> () -> Void = CBPeripheralManager.removeAllServices
            return isPresent(function)
        }
        row(
            "CBPeripheralManager", "method",
            "func respond(to request: CBATTRequest, withResult result: CBATTError.Code)", of: "CBPeripheralManager"
        ) {
            let function: (CBPeripheralManager) -> (CBATTRequest, CBATTError.Code) -> Void = CBPeripheralManager
                .respond(to:withResult:)
            return isPresent(function)
        }
        row(
            "CBPeripheralManager", "method",
            "func updateValue(_ value: Data, for characteristic: CBMutableCharacteristic, onSubscribedCentrals centrals: [CBCentral]?) -> Bool",
            of: "CBPeripheralManager"
        ) {
            let function: (CBPeripheralManager) -> (Data, CBMutableCharacteristic, [CBCentral]?) -> Bool =
                CBPeripheralManager.updateValue(_:for:onSubscribedCentrals:)
            return isPresent(function)
        }
        row(
            "CBPeripheralManager", "method", "func publishL2CAPChannel(withEncryption encryptionRequired: Bool)",
            of: "CBPeripheralManager"
        ) {
            let function: (CBPeripheralManager) -> (Bool) -> Void = CBPeripheralManager.publishL2CAPChannel(
                withEncryption:)
            return isPresent(function)
        }
        row("CBPeripheralManager", "method", "func unpublishL2CAPChannel(_ PSM: CBL2CAPPSM)", of: "CBPeripheralManager")
        {
            let function: (CBPeripheralManager) -> (CBL2CAPPSM) -> Void = CBPeripheralManager.unpublishL2CAPChannel(_:)
            return isPresent(function)
        }
        row(
            "CBPeripheralManager", "enum", "enum CBPeripheralManagerConnectionLatency : Int",
            of: "CBPeripheralManagerConnectionLatency"
        ) {
            return isOpenEnumeration(CBPeripheralManagerConnectionLatency.self)
        }
        row("CBPeripheralManager", "enum case", "case low = 0", of: "CBPeripheralManagerConnectionLatency") {
            return CBPeripheralManagerConnectionLatency.low.rawValue == 0
        }
        row("CBPeripheralManager", "enum case", "case medium = 1", of: "CBPeripheralManagerConnectionLatency") {
            return CBPeripheralManagerConnectionLatency.medium.rawValue == 1
        }
        row("CBPeripheralManager", "enum case", "case high = 2", of: "CBPeripheralManagerConnectionLatency") {
            return CBPeripheralManagerConnectionLatency.high.rawValue == 2
        }
        row(
            "CBPeripheralManager", "enum", "enum CBPeripheralManagerAuthorizationStatus : Int",
            of: "CBPeripheralManagerAuthorizationStatus"
        ) {
            return isOpenEnumeration(CBPeripheralManagerAuthorizationStatus.self)
        }
        row("CBPeripheralManager", "enum case", "case notDetermined = 0", of: "CBPeripheralManagerAuthorizationStatus")
        {
            return CBPeripheralManagerAuthorizationStatus.notDetermined.rawValue == 0
        }
        row("CBPeripheralManager", "enum case", "case restricted = 1", of: "CBPeripheralManagerAuthorizationStatus") {
            return CBPeripheralManagerAuthorizationStatus.restricted.rawValue == 1
        }
        row("CBPeripheralManager", "enum case", "case denied = 2", of: "CBPeripheralManagerAuthorizationStatus") {
            return CBPeripheralManagerAuthorizationStatus.denied.rawValue == 2
        }
        row("CBPeripheralManager", "enum case", "case authorized = 3", of: "CBPeripheralManagerAuthorizationStatus") {
            return CBPeripheralManagerAuthorizationStatus.authorized.rawValue == 3
        }
        row("CBPeripheralManager", "enum", "enum CBPeripheralManagerState : Int", of: "CBPeripheralManagerState") {
            return isOpenEnumeration(CBPeripheralManagerState.self)
        }
        row("CBPeripheralManager", "enum case", "case unknown = 0", of: "CBPeripheralManagerState") {
            return CBPeripheralManagerState.unknown.rawValue == 0
        }
        row("CBPeripheralManager", "enum case", "case resetting = 1", of: "CBPeripheralManagerState") {
            return CBPeripheralManagerState.resetting.rawValue == 1
        }
        row("CBPeripheralManager", "enum case", "case unsupported = 2", of: "CBPeripheralManagerState") {
            return CBPeripheralManagerState.unsupported.rawValue == 2
        }
        row("CBPeripheralManager", "enum case", "case unauthorized = 3", of: "CBPeripheralManagerState") {
            return CBPeripheralManagerState.unauthorized.rawValue == 3
        }
        row("CBPeripheralManager", "enum case", "case poweredOff = 4", of: "CBPeripheralManagerState") {
            return CBPeripheralManagerState.poweredOff.rawValue == 4
        }
        row("CBPeripheralManager", "enum case", "case poweredOn = 5", of: "CBPeripheralManagerState") {
            return CBPeripheralManagerState.poweredOn.rawValue == 5
        }
    }
}
