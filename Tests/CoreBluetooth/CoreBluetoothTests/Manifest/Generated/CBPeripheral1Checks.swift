// Made by Scripts/generate-manifest-tests from Documentation/symbols.tsv. Do not edit.
import CoreBluetooth

extension ManifestChecks {
    /// Rows 1 to 30 of the section "CBPeripheral".
    func checkCBPeripheral1(_ objects: ManifestObjects) {
        row("CBPeripheral", "class", "open class CBPeripheral : CBPeer", of: "CBPeripheral") {
            let _: CBPeer.Type = CBPeripheral.self
            return isNamed(CBPeripheral.self, "CBPeripheral")
        }
        row(
            "CBPeripheral", "property", "weak var delegate: (any CBPeripheralDelegate)? { get set }", of: "CBPeripheral"
        ) {
            let path: ReferenceWritableKeyPath<CBPeripheral, (any CBPeripheralDelegate)?> = \CBPeripheral.delegate
            return isPath(path)
        }
        row("CBPeripheral", "property", "var name: String? { get }", of: "CBPeripheral") {
            let path: KeyPath<CBPeripheral, String?> = \CBPeripheral.name
            return isReadOnly(path)
        }
        row("CBPeripheral", "property", "var rssi: NSNumber? { get }", of: "CBPeripheral") {
            let path: KeyPath<CBPeripheral, NSNumber?> = \CBPeripheral.rssi
            return isReadOnly(path)
        }
        row("CBPeripheral", "property", "var state: CBPeripheralState { get }", of: "CBPeripheral") {
            let path: KeyPath<CBPeripheral, CBPeripheralState> = \CBPeripheral.state
            return isReadOnly(path)
        }
        row("CBPeripheral", "property", "var services: [CBService]? { get }", of: "CBPeripheral") {
            let path: KeyPath<CBPeripheral, [CBService]?> = \CBPeripheral.services
            return isReadOnly(path)
        }
        row("CBPeripheral", "property", "var canSendWriteWithoutResponse: Bool { get }", of: "CBPeripheral") {
            let path: KeyPath<CBPeripheral, Bool> = \CBPeripheral.canSendWriteWithoutResponse
            return isReadOnly(path)
        }
        row("CBPeripheral", "property", "var ancsAuthorized: Bool { get }", of: "CBPeripheral") {
            let path: KeyPath<CBPeripheral, Bool> = \CBPeripheral.ancsAuthorized
            return isReadOnly(path)
        }
        row("CBPeripheral", "method", "func readRSSI()", of: "CBPeripheral") {
            let function: (CBPeripheral) -> () -> Void = CBPeripheral.readRSSI
            return isPresent(function)
        }
        row("CBPeripheral", "method", "func discoverServices(_ serviceUUIDs: [CBUUID]?)", of: "CBPeripheral") {
            let function: (CBPeripheral) -> ([CBUUID]?) -> Void = CBPeripheral.discoverServices(_:)
            return isPresent(function)
        }
        row(
            "CBPeripheral", "method",
            "func discoverIncludedServices(_ includedServiceUUIDs: [CBUUID]?, for service: CBService)",
            of: "CBPeripheral"
        ) {
            let function: (CBPeripheral) -> ([CBUUID]?, CBService) -> Void = CBPeripheral.discoverIncludedServices(
                _:for:)
            return isPresent(function)
        }
        row(
            "CBPeripheral", "method",
            "func discoverCharacteristics(_ characteristicUUIDs: [CBUUID]?, for service: CBService)", of: "CBPeripheral"
        ) {
            let function: (CBPeripheral) -> ([CBUUID]?, CBService) -> Void = CBPeripheral.discoverCharacteristics(
                _:for:)
            return isPresent(function)
        }
        row("CBPeripheral", "method", "func readValue(for characteristic: CBCharacteristic)", of: "CBPeripheral") {
            let function: (CBPeripheral) -> (CBCharacteristic) -> Void = CBPeripheral.readValue(for:)
            return isPresent(function)
        }
        row(
            "CBPeripheral", "method", "func maximumWriteValueLength(for type: CBCharacteristicWriteType) -> Int",
            of: "CBPeripheral"
        ) {
            let function: (CBPeripheral) -> (CBCharacteristicWriteType) -> Int = CBPeripheral.maximumWriteValueLength(
                for:)
            return isPresent(function)
        }
        row(
            "CBPeripheral", "method",
            "func writeValue(_ data: Data, for characteristic: CBCharacteristic, type: CBCharacteristicWriteType)",
            of: "CBPeripheral"
        ) {
            let function: (CBPeripheral) -> (Data, CBCharacteristic, CBCharacteristicWriteType) -> Void = CBPeripheral
                .writeValue(_:for:type:)
            return isPresent(function)
        }
        row(
            "CBPeripheral", "method", "func setNotifyValue(_ enabled: Bool, for characteristic: CBCharacteristic)",
            of: "CBPeripheral"
        ) {
            let function: (CBPeripheral) -> (Bool, CBCharacteristic) -> Void = CBPeripheral.setNotifyValue(_:for:)
            return isPresent(function)
        }
        row(
            "CBPeripheral", "method", "func discoverDescriptors(for characteristic: CBCharacteristic)",
            of: "CBPeripheral"
        ) {
            let function: (CBPeripheral) -> (CBCharacteristic) -> Void = CBPeripheral.discoverDescriptors(for:)
            return isPresent(function)
        }
        row("CBPeripheral", "method", "func readValue(for descriptor: CBDescriptor)", of: "CBPeripheral") {
            let function: (CBPeripheral) -> (CBDescriptor) -> Void = CBPeripheral.readValue(for:)
            return isPresent(function)
        }
        row("CBPeripheral", "method", "func writeValue(_ data: Data, for descriptor: CBDescriptor)", of: "CBPeripheral")
        {
            let function: (CBPeripheral) -> (Data, CBDescriptor) -> Void = CBPeripheral.writeValue(_:for:)
            return isPresent(function)
        }
        row("CBPeripheral", "method", "func openL2CAPChannel(_ PSM: CBL2CAPPSM)", of: "CBPeripheral") {
            let function: (CBPeripheral) -> (CBL2CAPPSM) -> Void = CBPeripheral.openL2CAPChannel(_:)
            return isPresent(function)
        }
        row(
            "CBPeripheral", "method",
            "func startChannelSoundingSession(_ configuration: CBChannelSoundingSessionConfiguration)",
            of: "CBPeripheral"
        ) {
            let function: (CBPeripheral) -> (CBChannelSoundingSessionConfiguration) -> Void = CBPeripheral
                .startChannelSoundingSession(_:)
            return isPresent(function)
        }
        row("CBPeripheral", "method", "func cancelChannelSoundingSession()", of: "CBPeripheral") {
            let function: (CBPeripheral) -> () -> Void = CBPeripheral.cancelChannelSoundingSession
            return isPresent(function)
        }
        row("CBPeripheral", "enum", "enum CBPeripheralState : Int", of: "CBPeripheralState") {
            return isOpenEnumeration(CBPeripheralState.self)
        }
        row("CBPeripheral", "enum case", "case disconnected = 0", of: "CBPeripheralState") {
            return CBPeripheralState.disconnected.rawValue == 0
        }
        row("CBPeripheral", "enum case", "case connecting = 1", of: "CBPeripheralState") {
            return CBPeripheralState.connecting.rawValue == 1
        }
        row("CBPeripheral", "enum case", "case connected = 2", of: "CBPeripheralState") {
            return CBPeripheralState.connected.rawValue == 2
        }
        row("CBPeripheral", "enum case", "case disconnecting = 3", of: "CBPeripheralState") {
            return CBPeripheralState.disconnecting.rawValue == 3
        }
        row("CBPeripheral", "enum", "enum CBCharacteristicWriteType : Int", of: "CBCharacteristicWriteType") {
            return isOpenEnumeration(CBCharacteristicWriteType.self)
        }
        row("CBPeripheral", "enum case", "case withResponse = 0", of: "CBCharacteristicWriteType") {
            return CBCharacteristicWriteType.withResponse.rawValue == 0
        }
        row("CBPeripheral", "enum case", "case withoutResponse = 1", of: "CBCharacteristicWriteType") {
            return CBCharacteristicWriteType.withoutResponse.rawValue == 1
        }
    }
}
