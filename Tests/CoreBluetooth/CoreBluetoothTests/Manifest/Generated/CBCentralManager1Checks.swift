// Made by Scripts/generate-manifest-tests from Documentation/symbols.tsv. Do not edit.
import CoreBluetooth

extension ManifestChecks {
    /// Rows 1 to 31 of the section "CBCentralManager".
    func checkCBCentralManager1(_ objects: ManifestObjects) {
        row("CBCentralManager", "class", "open class CBCentralManager : CBManager", of: "CBCentralManager") {
            let _: CBManager.Type = CBCentralManager.self
            return isNamed(CBCentralManager.self, "CBCentralManager")
        }
        row("CBCentralManager", "init", "convenience init()", of: "CBCentralManager") {
            let function: () -> CBCentralManager = CBCentralManager.init
            return isPresent(function)
        }
        row(
            "CBCentralManager", "init",
            "convenience init(delegate: (any CBCentralManagerDelegate)?, queue: dispatch_queue_t?)",
            of: "CBCentralManager"
        ) {
            let function: ((any CBCentralManagerDelegate)?, dispatch_queue_t?) -> CBCentralManager = CBCentralManager
                .init(delegate:queue:)
            return isPresent(function)
        }
        row(
            "CBCentralManager", "init",
            "init(delegate: (any CBCentralManagerDelegate)?, queue: dispatch_queue_t?, options: [String : Any]? = nil)",
            of: "CBCentralManager"
        ) {
            let function: ((any CBCentralManagerDelegate)?, dispatch_queue_t?, [String: Any]?) -> CBCentralManager =
                CBCentralManager.init(delegate:queue:options:)
            func short(_ argument0: (any CBCentralManagerDelegate)?, _ argument1: dispatch_queue_t?) -> CBCentralManager
            { CBCentralManager(delegate: argument0, queue: argument1) }
            _ = short
            return isPresent(function)
        }
        row(
            "CBCentralManager", "property", "weak var delegate: (any CBCentralManagerDelegate)? { get set }",
            of: "CBCentralManager"
        ) {
            let path: ReferenceWritableKeyPath<CBCentralManager, (any CBCentralManagerDelegate)?> =
                \CBCentralManager.delegate
            return isPath(path)
        }
        row("CBCentralManager", "property", "var isScanning: Bool { get }", of: "CBCentralManager") {
            let path: KeyPath<CBCentralManager, Bool> = \CBCentralManager.isScanning
            return isReadOnly(path)
        }
        row(
            "CBCentralManager", "type method", "class func supports(_ features: CBCentralManager.Feature) -> Bool",
            of: "CBCentralManager"
        ) {
            let function: (CBCentralManager.Feature) -> Bool = CBCentralManager.supports(_:)
            return isPresent(function)
        }
        row(
            "CBCentralManager", "method",
            "func retrievePeripherals(withIdentifiers identifiers: [UUID]) -> [CBPeripheral]", of: "CBCentralManager"
        ) {
            let function: (CBCentralManager) -> ([UUID]) -> [CBPeripheral] = CBCentralManager.retrievePeripherals(
                withIdentifiers:)
            return isPresent(function)
        }
        row(
            "CBCentralManager", "method",
            "func retrieveConnectedPeripherals(withServices serviceUUIDs: [CBUUID]) -> [CBPeripheral]",
            of: "CBCentralManager"
        ) {
            let function: (CBCentralManager) -> ([CBUUID]) -> [CBPeripheral] = CBCentralManager
                .retrieveConnectedPeripherals(withServices:)
            return isPresent(function)
        }
        row(
            "CBCentralManager", "method",
            "func scanForPeripherals(withServices serviceUUIDs: [CBUUID]?, options: [String : Any]? = nil)",
            of: "CBCentralManager"
        ) {
            let function: (CBCentralManager) -> ([CBUUID]?, [String: Any]?) -> Void = CBCentralManager
                .scanForPeripherals(withServices:options:)
            func short(_ receiver: CBCentralManager, _ argument0: [CBUUID]?) -> Void {
                receiver.scanForPeripherals(withServices: argument0)
            }
            _ = short
            return isPresent(function)
        }
        row("CBCentralManager", "method", "func stopScan()", of: "CBCentralManager") {
            let function: (CBCentralManager) -> () -> Void = CBCentralManager.stopScan
            return isPresent(function)
        }
        row(
            "CBCentralManager", "method", "func connect(_ peripheral: CBPeripheral, options: [String : Any]? = nil)",
            of: "CBCentralManager"
        ) {
            let function: (CBCentralManager) -> (CBPeripheral, [String: Any]?) -> Void = CBCentralManager.connect(
                _:options:)
            func short(_ receiver: CBCentralManager, _ argument0: CBPeripheral) -> Void { receiver.connect(argument0) }
            _ = short
            return isPresent(function)
        }
        row(
            "CBCentralManager", "method", "func cancelPeripheralConnection(_ peripheral: CBPeripheral)",
            of: "CBCentralManager"
        ) {
            let function: (CBCentralManager) -> (CBPeripheral) -> Void = CBCentralManager.cancelPeripheralConnection(_:)
            return isPresent(function)
        }
        row(
            "CBCentralManager", "method",
            "func registerForConnectionEvents(options: [CBConnectionEventMatchingOption : Any]? = nil)",
            of: "CBCentralManager"
        ) {
            let function: (CBCentralManager) -> ([CBConnectionEventMatchingOption: Any]?) -> Void = CBCentralManager
                .registerForConnectionEvents(options:)
            func short(_ receiver: CBCentralManager) -> Void { receiver.registerForConnectionEvents() }
            _ = short
            return isPresent(function)
        }
        row(
            "CBCentralManager", "option set", "struct CBCentralManager.Feature : OptionSet (RawValue UInt)",
            of: "CBCentralManager.Feature"
        ) {
            return isOptionSet(CBCentralManager.Feature.self)
        }
        row(
            "CBCentralManager", "option",
            "static var extendedScanAndConnect: CBCentralManager.Feature { get }  // 1 << 0",
            of: "CBCentralManager.Feature"
        ) {
            let option: CBCentralManager.Feature = CBCentralManager.Feature.extendedScanAndConnect
            return option.rawValue == 1 << 0
        }
        row(
            "CBCentralManager", "option", "static var channelSounding: CBCentralManager.Feature { get }  // 1 << 10",
            of: "CBCentralManager.Feature"
        ) {
            let option: CBCentralManager.Feature = CBCentralManager.Feature.channelSounding
            return option.rawValue == 1 << 10
        }
        row("CBCentralManager", "enum", "enum CBConnectionEvent : Int", of: "CBConnectionEvent") {
            return isOpenEnumeration(CBConnectionEvent.self)
        }
        row("CBCentralManager", "enum case", "case peerDisconnected = 0", of: "CBConnectionEvent") {
            return CBConnectionEvent.peerDisconnected.rawValue == 0
        }
        row("CBCentralManager", "enum case", "case peerConnected = 1", of: "CBConnectionEvent") {
            return CBConnectionEvent.peerConnected.rawValue == 1
        }
        row(
            "CBCentralManager", "struct",
            "struct CBConnectionEventMatchingOption : RawRepresentable, Hashable, Sendable (RawValue String)",
            of: "CBConnectionEventMatchingOption"
        ) {
            return isStringStructure(CBConnectionEventMatchingOption.self)
        }
        row("CBCentralManager", "struct member", "init(rawValue: String)", of: "CBConnectionEventMatchingOption") {
            let function: (String) -> CBConnectionEventMatchingOption = CBConnectionEventMatchingOption.init(rawValue:)
            return isPresent(function)
        }
        row(
            "CBCentralManager", "struct member", "static let serviceUUIDs: CBConnectionEventMatchingOption",
            of: "CBConnectionEventMatchingOption"
        ) {
            let value: CBConnectionEventMatchingOption = CBConnectionEventMatchingOption.serviceUUIDs
            return isPresent(value)
        }
        row(
            "CBCentralManager", "struct member", "static let peripheralUUIDs: CBConnectionEventMatchingOption",
            of: "CBConnectionEventMatchingOption"
        ) {
            let value: CBConnectionEventMatchingOption = CBConnectionEventMatchingOption.peripheralUUIDs
            return isPresent(value)
        }
        row("CBCentralManager", "enum", "enum CBCentralManagerState : Int", of: "CBCentralManagerState") {
            return isOpenEnumeration(CBCentralManagerState.self)
        }
        row("CBCentralManager", "enum case", "case unknown = 0", of: "CBCentralManagerState") {
            return CBCentralManagerState.unknown.rawValue == 0
        }
        row("CBCentralManager", "enum case", "case resetting = 1", of: "CBCentralManagerState") {
            return CBCentralManagerState.resetting.rawValue == 1
        }
        row("CBCentralManager", "enum case", "case unsupported = 2", of: "CBCentralManagerState") {
            return CBCentralManagerState.unsupported.rawValue == 2
        }
        row("CBCentralManager", "enum case", "case unauthorized = 3", of: "CBCentralManagerState") {
            return CBCentralManagerState.unauthorized.rawValue == 3
        }
        row("CBCentralManager", "enum case", "case poweredOff = 4", of: "CBCentralManagerState") {
            return CBCentralManagerState.poweredOff.rawValue == 4
        }
        row("CBCentralManager", "enum case", "case poweredOn = 5", of: "CBCentralManagerState") {
            return CBCentralManagerState.poweredOn.rawValue == 5
        }
    }
}
