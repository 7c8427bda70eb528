// Made by Scripts/generate-manifest-tests from Documentation/symbols.tsv. Do not edit.
import CoreBluetooth

/// Has every method of ``CBCentralManagerDelegate`` and notes its calls.
final class CBCentralManagerDelegateWitness: NSObject, CBCentralManagerDelegate {
    var calls: [String] = []
    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        calls.append("func centralManagerDidUpdateState(_ central: CBCentralManager)")
    }
    func centralManager(_ central: CBCentralManager, willRestoreState dict: [String: Any]) {
        calls.append("func centralManager(_ central: CBCentralManager, willRestoreState dict: [String : Any])")
    }
    func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        calls.append(
            "func centralManager(_ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String : Any], rssi RSSI: NSNumber)"
        )
    }
    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        calls.append("func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral)")
    }
    func centralManager(_ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?) {
        calls.append(
            "func centralManager(_ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?)"
        )
    }
    func centralManager(
        _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
    ) {
        calls.append(
            "func centralManager(_ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?)"
        )
    }
    func centralManager(
        _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, timestamp: CFAbsoluteTime,
        isReconnecting: Bool, error: (any Error)?
    ) {
        calls.append(
            "func centralManager(_ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, timestamp: CFAbsoluteTime, isReconnecting: Bool, error: (any Error)?)"
        )
    }
    func centralManager(
        _ central: CBCentralManager, connectionEventDidOccur event: CBConnectionEvent, for peripheral: CBPeripheral
    ) {
        calls.append(
            "func centralManager(_ central: CBCentralManager, connectionEventDidOccur event: CBConnectionEvent, for peripheral: CBPeripheral)"
        )
    }
    func centralManager(_ central: CBCentralManager, didUpdateANCSAuthorizationFor peripheral: CBPeripheral) {
        calls.append(
            "func centralManager(_ central: CBCentralManager, didUpdateANCSAuthorizationFor peripheral: CBPeripheral)")
    }
}

/// Has every method of ``CBPeripheralDelegate`` and notes its calls.
final class CBPeripheralDelegateWitness: NSObject, CBPeripheralDelegate {
    var calls: [String] = []
    func peripheralDidUpdateName(_ peripheral: CBPeripheral) {
        calls.append("func peripheralDidUpdateName(_ peripheral: CBPeripheral)")
    }
    func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService]) {
        calls.append("func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService])")
    }
    func peripheralDidUpdateRSSI(_ peripheral: CBPeripheral, error: (any Error)?) {
        calls.append("func peripheralDidUpdateRSSI(_ peripheral: CBPeripheral, error: (any Error)?)")
    }
    func peripheral(_ peripheral: CBPeripheral, didReadRSSI RSSI: NSNumber, error: (any Error)?) {
        calls.append("func peripheral(_ peripheral: CBPeripheral, didReadRSSI RSSI: NSNumber, error: (any Error)?)")
    }
    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        calls.append("func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?)")
    }
    func peripheral(_ peripheral: CBPeripheral, didDiscoverIncludedServicesFor service: CBService, error: (any Error)?)
    {
        calls.append(
            "func peripheral(_ peripheral: CBPeripheral, didDiscoverIncludedServicesFor service: CBService, error: (any Error)?)"
        )
    }
    func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?) {
        calls.append(
            "func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?)"
        )
    }
    func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?)
    {
        calls.append(
            "func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?)"
        )
    }
    func peripheral(_ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?)
    {
        calls.append(
            "func peripheral(_ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?)"
        )
    }
    func peripheral(
        _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        calls.append(
            "func peripheral(_ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic, error: (any Error)?)"
        )
    }
    func peripheral(
        _ peripheral: CBPeripheral, didDiscoverDescriptorsFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        calls.append(
            "func peripheral(_ peripheral: CBPeripheral, didDiscoverDescriptorsFor characteristic: CBCharacteristic, error: (any Error)?)"
        )
    }
    func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor descriptor: CBDescriptor, error: (any Error)?) {
        calls.append(
            "func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor descriptor: CBDescriptor, error: (any Error)?)"
        )
    }
    func peripheral(_ peripheral: CBPeripheral, didWriteValueFor descriptor: CBDescriptor, error: (any Error)?) {
        calls.append(
            "func peripheral(_ peripheral: CBPeripheral, didWriteValueFor descriptor: CBDescriptor, error: (any Error)?)"
        )
    }
    func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral) {
        calls.append("func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral)")
    }
    func peripheral(_ peripheral: CBPeripheral, didOpen channel: CBL2CAPChannel?, error: (any Error)?) {
        calls.append(
            "func peripheral(_ peripheral: CBPeripheral, didOpen channel: CBL2CAPChannel?, error: (any Error)?)")
    }
    func peripheral(
        _ peripheral: CBPeripheral, didReceive results: CBChannelSoundingProcedureResults?, error: (any Error)?
    ) {
        calls.append(
            "func peripheral(_ peripheral: CBPeripheral, didReceive results: CBChannelSoundingProcedureResults?, error: (any Error)?)"
        )
    }
    func peripheral(_ peripheral: CBPeripheral, didCompleteChannelSoundingSession error: (any Error)?) {
        calls.append(
            "func peripheral(_ peripheral: CBPeripheral, didCompleteChannelSoundingSession error: (any Error)?)")
    }
}

/// Has every method of ``CBPeripheralManagerDelegate`` and notes its calls.
final class CBPeripheralManagerDelegateWitness: NSObject, CBPeripheralManagerDelegate {
    var calls: [String] = []
    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        calls.append("func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager)")
    }
    func peripheralManager(_ peripheral: CBPeripheralManager, willRestoreState dict: [String: Any]) {
        calls.append("func peripheralManager(_ peripheral: CBPeripheralManager, willRestoreState dict: [String : Any])")
    }
    func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {
        calls.append(
            "func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?)")
    }
    func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?) {
        calls.append(
            "func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?)")
    }
    func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic
    ) {
        calls.append(
            "func peripheralManager(_ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic)"
        )
    }
    func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didUnsubscribeFrom characteristic: CBCharacteristic
    ) {
        calls.append(
            "func peripheralManager(_ peripheral: CBPeripheralManager, central: CBCentral, didUnsubscribeFrom characteristic: CBCharacteristic)"
        )
    }
    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
        calls.append("func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest)")
    }
    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
        calls.append(
            "func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest])")
    }
    func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) {
        calls.append("func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager)")
    }
    func peripheralManager(
        _ peripheral: CBPeripheralManager, didPublishL2CAPChannel PSM: CBL2CAPPSM, error: (any Error)?
    ) {
        calls.append(
            "func peripheralManager(_ peripheral: CBPeripheralManager, didPublishL2CAPChannel PSM: CBL2CAPPSM, error: (any Error)?)"
        )
    }
    func peripheralManager(
        _ peripheral: CBPeripheralManager, didUnpublishL2CAPChannel PSM: CBL2CAPPSM, error: (any Error)?
    ) {
        calls.append(
            "func peripheralManager(_ peripheral: CBPeripheralManager, didUnpublishL2CAPChannel PSM: CBL2CAPPSM, error: (any Error)?)"
        )
    }
    func peripheralManager(_ peripheral: CBPeripheralManager, didOpen channel: CBL2CAPChannel?, error: (any Error)?) {
        calls.append(
            "func peripheralManager(_ peripheral: CBPeripheralManager, didOpen channel: CBL2CAPChannel?, error: (any Error)?)"
        )
    }
}
