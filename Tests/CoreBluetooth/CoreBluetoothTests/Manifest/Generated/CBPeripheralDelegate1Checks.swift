// Made by Scripts/generate-manifest-tests from Documentation/symbols.tsv. Do not edit.
import CoreBluetooth

extension ManifestChecks {
    /// Rows 1 to 18 of the section "CBPeripheralDelegate".
    func checkCBPeripheralDelegate1(_ objects: ManifestObjects) {
        row(
            "CBPeripheralDelegate", "protocol", "protocol CBPeripheralDelegate : NSObjectProtocol",
            of: "CBPeripheralDelegate"
        ) {
            let delegate: any CBPeripheralDelegate = CBPeripheralDelegateWitness()
            let _: any NSObjectProtocol = delegate
            return true
        }
        row(
            "CBPeripheralDelegate", "optional method",
            "optional func peripheralDidUpdateName(_ peripheral: CBPeripheral)", of: "CBPeripheralDelegate"
        ) {
            (BareCBPeripheralDelegate() as any CBPeripheralDelegate).peripheralDidUpdateName(objects.device)
            let witness = CBPeripheralDelegateWitness()
            let delegate: any CBPeripheralDelegate = witness
            delegate.peripheralDidUpdateName(objects.device)
            return witness.calls == ["func peripheralDidUpdateName(_ peripheral: CBPeripheral)"]
        }
        row(
            "CBPeripheralDelegate", "optional method",
            "optional func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService])",
            of: "CBPeripheralDelegate"
        ) {
            (BareCBPeripheralDelegate() as any CBPeripheralDelegate).peripheral(
                objects.device, didModifyServices: [objects.service])
            let witness = CBPeripheralDelegateWitness()
            let delegate: any CBPeripheralDelegate = witness
            delegate.peripheral(objects.device, didModifyServices: [objects.service])
            return witness.calls == [
                "func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService])"
            ]
        }
        row(
            "CBPeripheralDelegate", "optional method",
            "optional func peripheralDidUpdateRSSI(_ peripheral: CBPeripheral, error: (any Error)?)",
            of: "CBPeripheralDelegate"
        ) {
            (BareCBPeripheralDelegate() as any CBPeripheralDelegate).peripheralDidUpdateRSSI(objects.device, error: nil)
            let witness = CBPeripheralDelegateWitness()
            let delegate: any CBPeripheralDelegate = witness
            delegate.peripheralDidUpdateRSSI(objects.device, error: nil)
            return witness.calls == ["func peripheralDidUpdateRSSI(_ peripheral: CBPeripheral, error: (any Error)?)"]
        }
        row(
            "CBPeripheralDelegate", "optional method",
            "optional func peripheral(_ peripheral: CBPeripheral, didReadRSSI RSSI: NSNumber, error: (any Error)?)",
            of: "CBPeripheralDelegate"
        ) {
            (BareCBPeripheralDelegate() as any CBPeripheralDelegate).peripheral(
                objects.device, didReadRSSI: -40, error: nil)
            let witness = CBPeripheralDelegateWitness()
            let delegate: any CBPeripheralDelegate = witness
            delegate.peripheral(objects.device, didReadRSSI: -40, error: nil)
            return witness.calls == [
                "func peripheral(_ peripheral: CBPeripheral, didReadRSSI RSSI: NSNumber, error: (any Error)?)"
            ]
        }
        row(
            "CBPeripheralDelegate", "optional method",
            "optional func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?)",
            of: "CBPeripheralDelegate"
        ) {
            (BareCBPeripheralDelegate() as any CBPeripheralDelegate).peripheral(
                objects.device, didDiscoverServices: nil)
            let witness = CBPeripheralDelegateWitness()
            let delegate: any CBPeripheralDelegate = witness
            delegate.peripheral(objects.device, didDiscoverServices: nil)
            return witness.calls == [
                "func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?)"
            ]
        }
        row(
            "CBPeripheralDelegate", "optional method",
            "optional func peripheral(_ peripheral: CBPeripheral, didDiscoverIncludedServicesFor service: CBService, error: (any Error)?)",
            of: "CBPeripheralDelegate"
        ) {
            (BareCBPeripheralDelegate() as any CBPeripheralDelegate).peripheral(
                objects.device, didDiscoverIncludedServicesFor: objects.service, error: nil)
            let witness = CBPeripheralDelegateWitness()
            let delegate: any CBPeripheralDelegate = witness
            delegate.peripheral(objects.device, didDiscoverIncludedServicesFor: objects.service, error: nil)
            return witness.calls == [
                "func peripheral(_ peripheral: CBPeripheral, didDiscoverIncludedServicesFor service: CBService, error: (any Error)?)"
            ]
        }
        row(
            "CBPeripheralDelegate", "optional method",
            "optional func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?)",
            of: "CBPeripheralDelegate"
        ) {
            (BareCBPeripheralDelegate() as any CBPeripheralDelegate).peripheral(
                objects.device, didDiscoverCharacteristicsFor: objects.service, error: nil)
            let witness = CBPeripheralDelegateWitness()
            let delegate: any CBPeripheralDelegate = witness
            delegate.peripheral(objects.device, didDiscoverCharacteristicsFor: objects.service, error: nil)
            return witness.calls == [
                "func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?)"
            ]
        }
        row(
            "CBPeripheralDelegate", "optional method",
            "optional func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?)",
            of: "CBPeripheralDelegate"
        ) {
            (BareCBPeripheralDelegate() as any CBPeripheralDelegate).peripheral(
                objects.device, didUpdateValueFor: objects.characteristic, error: nil)
            let witness = CBPeripheralDelegateWitness()
            let delegate: any CBPeripheralDelegate = witness
            delegate.peripheral(objects.device, didUpdateValueFor: objects.characteristic, error: nil)
            return witness.calls == [
                "func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?)"
            ]
        }
        row(
            "CBPeripheralDelegate", "optional method",
            "optional func peripheral(_ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?)",
            of: "CBPeripheralDelegate"
        ) {
            (BareCBPeripheralDelegate() as any CBPeripheralDelegate).peripheral(
                objects.device, didWriteValueFor: objects.characteristic, error: nil)
            let witness = CBPeripheralDelegateWitness()
            let delegate: any CBPeripheralDelegate = witness
            delegate.peripheral(objects.device, didWriteValueFor: objects.characteristic, error: nil)
            return witness.calls == [
                "func peripheral(_ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?)"
            ]
        }
        row(
            "CBPeripheralDelegate", "optional method",
            "optional func peripheral(_ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic, error: (any Error)?)",
            of: "CBPeripheralDelegate"
        ) {
            (BareCBPeripheralDelegate() as any CBPeripheralDelegate).peripheral(
                objects.device, didUpdateNotificationStateFor: objects.characteristic, error: nil)
            let witness = CBPeripheralDelegateWitness()
            let delegate: any CBPeripheralDelegate = witness
            delegate.peripheral(objects.device, didUpdateNotificationStateFor: objects.characteristic, error: nil)
            return witness.calls == [
                "func peripheral(_ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic, error: (any Error)?)"
            ]
        }
        row(
            "CBPeripheralDelegate", "optional method",
            "optional func peripheral(_ peripheral: CBPeripheral, didDiscoverDescriptorsFor characteristic: CBCharacteristic, error: (any Error)?)",
            of: "CBPeripheralDelegate"
        ) {
            (BareCBPeripheralDelegate() as any CBPeripheralDelegate).peripheral(
                objects.device, didDiscoverDescriptorsFor: objects.characteristic, error: nil)
            let witness = CBPeripheralDelegateWitness()
            let delegate: any CBPeripheralDelegate = witness
            delegate.peripheral(objects.device, didDiscoverDescriptorsFor: objects.characteristic, error: nil)
            return witness.calls == [
                "func peripheral(_ peripheral: CBPeripheral, didDiscoverDescriptorsFor characteristic: CBCharacteristic, error: (any Error)?)"
            ]
        }
        row(
            "CBPeripheralDelegate", "optional method",
            "optional func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor descriptor: CBDescriptor, error: (any Error)?)",
            of: "CBPeripheralDelegate"
        ) {
            (BareCBPeripheralDelegate() as any CBPeripheralDelegate).peripheral(
                objects.device, didUpdateValueFor: objects.descriptor, error: nil)
            let witness = CBPeripheralDelegateWitness()
            let delegate: any CBPeripheralDelegate = witness
            delegate.peripheral(objects.device, didUpdateValueFor: objects.descriptor, error: nil)
            return witness.calls == [
                "func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor descriptor: CBDescriptor, error: (any Error)?)"
            ]
        }
        row(
            "CBPeripheralDelegate", "optional method",
            "optional func peripheral(_ peripheral: CBPeripheral, didWriteValueFor descriptor: CBDescriptor, error: (any Error)?)",
            of: "CBPeripheralDelegate"
        ) {
            (BareCBPeripheralDelegate() as any CBPeripheralDelegate).peripheral(
                objects.device, didWriteValueFor: objects.descriptor, error: nil)
            let witness = CBPeripheralDelegateWitness()
            let delegate: any CBPeripheralDelegate = witness
            delegate.peripheral(objects.device, didWriteValueFor: objects.descriptor, error: nil)
            return witness.calls == [
                "func peripheral(_ peripheral: CBPeripheral, didWriteValueFor descriptor: CBDescriptor, error: (any Error)?)"
            ]
        }
        row(
            "CBPeripheralDelegate", "optional method",
            "optional func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral)",
            of: "CBPeripheralDelegate"
        ) {
            (BareCBPeripheralDelegate() as any CBPeripheralDelegate).peripheralIsReady(
                toSendWriteWithoutResponse: objects.device)
            let witness = CBPeripheralDelegateWitness()
            let delegate: any CBPeripheralDelegate = witness
            delegate.peripheralIsReady(toSendWriteWithoutResponse: objects.device)
            return witness.calls == ["func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral)"]
        }
        row(
            "CBPeripheralDelegate", "optional method",
            "optional func peripheral(_ peripheral: CBPeripheral, didOpen channel: CBL2CAPChannel?, error: (any Error)?)",
            of: "CBPeripheralDelegate"
        ) {
            (BareCBPeripheralDelegate() as any CBPeripheralDelegate).peripheral(
                objects.device, didOpen: nil as CBL2CAPChannel?, error: nil)
            let witness = CBPeripheralDelegateWitness()
            let delegate: any CBPeripheralDelegate = witness
            delegate.peripheral(objects.device, didOpen: nil as CBL2CAPChannel?, error: nil)
            return witness.calls == [
                "func peripheral(_ peripheral: CBPeripheral, didOpen channel: CBL2CAPChannel?, error: (any Error)?)"
            ]
        }
        row(
            "CBPeripheralDelegate", "optional method",
            "optional func peripheral(_ peripheral: CBPeripheral, didReceive results: CBChannelSoundingProcedureResults?, error: (any Error)?)",
            of: "CBPeripheralDelegate"
        ) {
            (BareCBPeripheralDelegate() as any CBPeripheralDelegate).peripheral(
                objects.device, didReceive: nil as CBChannelSoundingProcedureResults?, error: nil)
            let witness = CBPeripheralDelegateWitness()
            let delegate: any CBPeripheralDelegate = witness
            delegate.peripheral(objects.device, didReceive: nil as CBChannelSoundingProcedureResults?, error: nil)
            return witness.calls == [
                "func peripheral(_ peripheral: CBPeripheral, didReceive results: CBChannelSoundingProcedureResults?, error: (any Error)?)"
            ]
        }
        row(
            "CBPeripheralDelegate", "optional method",
            "optional func peripheral(_ peripheral: CBPeripheral, didCompleteChannelSoundingSession error: (any Error)?)",
            of: "CBPeripheralDelegate"
        ) {
            (BareCBPeripheralDelegate() as any CBPeripheralDelegate).peripheral(
                objects.device, didCompleteChannelSoundingSession: nil)
            let witness = CBPeripheralDelegateWitness()
            let delegate: any CBPeripheralDelegate = witness
            delegate.peripheral(objects.device, didCompleteChannelSoundingSession: nil)
            return witness.calls == [
                "func peripheral(_ peripheral: CBPeripheral, didCompleteChannelSoundingSession error: (any Error)?)"
            ]
        }
    }
}
