// Made by Scripts/generate-manifest-tests from Documentation/symbols.tsv. Do not edit.
import CoreBluetooth

extension ManifestChecks {
    /// Rows 1 to 13 of the section "CBPeripheralManagerDelegate".
    func checkCBPeripheralManagerDelegate1(_ objects: ManifestObjects) {
        row(
            "CBPeripheralManagerDelegate", "protocol", "protocol CBPeripheralManagerDelegate : NSObjectProtocol",
            of: "CBPeripheralManagerDelegate"
        ) {
            let delegate: any CBPeripheralManagerDelegate = CBPeripheralManagerDelegateWitness()
            let _: any NSObjectProtocol = delegate
            return true
        }
        row(
            "CBPeripheralManagerDelegate", "required method",
            "func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager)", of: "CBPeripheralManagerDelegate"
        ) {
            let witness = CBPeripheralManagerDelegateWitness()
            let delegate: any CBPeripheralManagerDelegate = witness
            delegate.peripheralManagerDidUpdateState(objects.peripheral.manager)
            return witness.calls == ["func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager)"]
        }
        row(
            "CBPeripheralManagerDelegate", "optional method",
            "optional func peripheralManager(_ peripheral: CBPeripheralManager, willRestoreState dict: [String : Any])",
            of: "CBPeripheralManagerDelegate"
        ) {
            (BareCBPeripheralManagerDelegate() as any CBPeripheralManagerDelegate).peripheralManager(
                objects.peripheral.manager, willRestoreState: [:])
            let witness = CBPeripheralManagerDelegateWitness()
            let delegate: any CBPeripheralManagerDelegate = witness
            delegate.peripheralManager(objects.peripheral.manager, willRestoreState: [:])
            return witness.calls == [
                "func peripheralManager(_ peripheral: CBPeripheralManager, willRestoreState dict: [String : Any])"
            ]
        }
        row(
            "CBPeripheralManagerDelegate", "optional method",
            "optional func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?)",
            of: "CBPeripheralManagerDelegate"
        ) {
            (BareCBPeripheralManagerDelegate() as any CBPeripheralManagerDelegate).peripheralManagerDidStartAdvertising(
                objects.peripheral.manager, error: nil)
            let witness = CBPeripheralManagerDelegateWitness()
            let delegate: any CBPeripheralManagerDelegate = witness
            delegate.peripheralManagerDidStartAdvertising(objects.peripheral.manager, error: nil)
            return witness.calls == [
                "func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?)"
            ]
        }
        row(
            "CBPeripheralManagerDelegate", "optional method",
            "optional func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?)",
            of: "CBPeripheralManagerDelegate"
        ) {
            (BareCBPeripheralManagerDelegate() as any CBPeripheralManagerDelegate).peripheralManager(
                objects.peripheral.manager, didAdd: objects.service, error: nil)
            let witness = CBPeripheralManagerDelegateWitness()
            let delegate: any CBPeripheralManagerDelegate = witness
            delegate.peripheralManager(objects.peripheral.manager, didAdd: objects.service, error: nil)
            return witness.calls == [
                "func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?)"
            ]
        }
        row(
            "CBPeripheralManagerDelegate", "optional method",
            "optional func peripheralManager(_ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic)",
            of: "CBPeripheralManagerDelegate"
        ) {
            (BareCBPeripheralManagerDelegate() as any CBPeripheralManagerDelegate).peripheralManager(
                objects.peripheral.manager, central: objects.client, didSubscribeTo: objects.characteristic)
            let witness = CBPeripheralManagerDelegateWitness()
            let delegate: any CBPeripheralManagerDelegate = witness
            delegate.peripheralManager(
                objects.peripheral.manager, central: objects.client, didSubscribeTo: objects.characteristic)
            return witness.calls == [
                "func peripheralManager(_ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic)"
            ]
        }
        row(
            "CBPeripheralManagerDelegate", "optional method",
            "optional func peripheralManager(_ peripheral: CBPeripheralManager, central: CBCentral, didUnsubscribeFrom characteristic: CBCharacteristic)",
            of: "CBPeripheralManagerDelegate"
        ) {
            (BareCBPeripheralManagerDelegate() as any CBPeripheralManagerDelegate).peripheralManager(
                objects.peripheral.manager, central: objects.client, didUnsubscribeFrom: objects.characteristic)
            let witness = CBPeripheralManagerDelegateWitness()
            let delegate: any CBPeripheralManagerDelegate = witness
            delegate.peripheralManager(
                objects.peripheral.manager, central: objects.client, didUnsubscribeFrom: objects.characteristic)
            return witness.calls == [
                "func peripheralManager(_ peripheral: CBPeripheralManager, central: CBCentral, didUnsubscribeFrom characteristic: CBCharacteristic)"
            ]
        }
        row(
            "CBPeripheralManagerDelegate", "optional method",
            "optional func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest)",
            of: "CBPeripheralManagerDelegate"
        ) {
            (BareCBPeripheralManagerDelegate() as any CBPeripheralManagerDelegate).peripheralManager(
                objects.peripheral.manager, didReceiveRead: objects.request)
            let witness = CBPeripheralManagerDelegateWitness()
            let delegate: any CBPeripheralManagerDelegate = witness
            delegate.peripheralManager(objects.peripheral.manager, didReceiveRead: objects.request)
            return witness.calls == [
                "func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest)"
            ]
        }
        row(
            "CBPeripheralManagerDelegate", "optional method",
            "optional func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest])",
            of: "CBPeripheralManagerDelegate"
        ) {
            (BareCBPeripheralManagerDelegate() as any CBPeripheralManagerDelegate).peripheralManager(
                objects.peripheral.manager, didReceiveWrite: [objects.request])
            let witness = CBPeripheralManagerDelegateWitness()
            let delegate: any CBPeripheralManagerDelegate = witness
            delegate.peripheralManager(objects.peripheral.manager, didReceiveWrite: [objects.request])
            return witness.calls == [
                "func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest])"
            ]
        }
        row(
            "CBPeripheralManagerDelegate", "optional method",
            "optional func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager)",
            of: "CBPeripheralManagerDelegate"
        ) {
            (BareCBPeripheralManagerDelegate() as any CBPeripheralManagerDelegate).peripheralManagerIsReady(
                toUpdateSubscribers: objects.peripheral.manager)
            let witness = CBPeripheralManagerDelegateWitness()
            let delegate: any CBPeripheralManagerDelegate = witness
            delegate.peripheralManagerIsReady(toUpdateSubscribers: objects.peripheral.manager)
            return witness.calls == [
                "func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager)"
            ]
        }
        row(
            "CBPeripheralManagerDelegate", "optional method",
            "optional func peripheralManager(_ peripheral: CBPeripheralManager, didPublishL2CAPChannel PSM: CBL2CAPPSM, error: (any Error)?)",
            of: "CBPeripheralManagerDelegate"
        ) {
            (BareCBPeripheralManagerDelegate() as any CBPeripheralManagerDelegate).peripheralManager(
                objects.peripheral.manager, didPublishL2CAPChannel: 0x80, error: nil)
            let witness = CBPeripheralManagerDelegateWitness()
            let delegate: any CBPeripheralManagerDelegate = witness
            delegate.peripheralManager(objects.peripheral.manager, didPublishL2CAPChannel: 0x80, error: nil)
            return witness.calls == [
                "func peripheralManager(_ peripheral: CBPeripheralManager, didPublishL2CAPChannel PSM: CBL2CAPPSM, error: (any Error)?)"
            ]
        }
        row(
            "CBPeripheralManagerDelegate", "optional method",
            "optional func peripheralManager(_ peripheral: CBPeripheralManager, didUnpublishL2CAPChannel PSM: CBL2CAPPSM, error: (any Error)?)",
            of: "CBPeripheralManagerDelegate"
        ) {
            (BareCBPeripheralManagerDelegate() as any CBPeripheralManagerDelegate).peripheralManager(
                objects.peripheral.manager, didUnpublishL2CAPChannel: 0x80, error: nil)
            let witness = CBPeripheralManagerDelegateWitness()
            let delegate: any CBPeripheralManagerDelegate = witness
            delegate.peripheralManager(objects.peripheral.manager, didUnpublishL2CAPChannel: 0x80, error: nil)
            return witness.calls == [
                "func peripheralManager(_ peripheral: CBPeripheralManager, didUnpublishL2CAPChannel PSM: CBL2CAPPSM, error: (any Error)?)"
            ]
        }
        row(
            "CBPeripheralManagerDelegate", "optional method",
            "optional func peripheralManager(_ peripheral: CBPeripheralManager, didOpen channel: CBL2CAPChannel?, error: (any Error)?)",
            of: "CBPeripheralManagerDelegate"
        ) {
            (BareCBPeripheralManagerDelegate() as any CBPeripheralManagerDelegate).peripheralManager(
                objects.peripheral.manager, didOpen: nil as CBL2CAPChannel?, error: nil)
            let witness = CBPeripheralManagerDelegateWitness()
            let delegate: any CBPeripheralManagerDelegate = witness
            delegate.peripheralManager(objects.peripheral.manager, didOpen: nil as CBL2CAPChannel?, error: nil)
            return witness.calls == [
                "func peripheralManager(_ peripheral: CBPeripheralManager, didOpen channel: CBL2CAPChannel?, error: (any Error)?)"
            ]
        }
    }
}
