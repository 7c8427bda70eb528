// Made by Scripts/generate-manifest-tests from Documentation/symbols.tsv. Do not edit.
import CoreBluetooth

extension ManifestChecks {
    /// Rows 1 to 10 of the section "CBCentralManagerDelegate".
    func checkCBCentralManagerDelegate1(_ objects: ManifestObjects) {
        row(
            "CBCentralManagerDelegate", "protocol", "protocol CBCentralManagerDelegate : NSObjectProtocol",
            of: "CBCentralManagerDelegate"
        ) {
            let delegate: any CBCentralManagerDelegate = CBCentralManagerDelegateWitness()
            let _: any NSObjectProtocol = delegate
            return true
        }
        row(
            "CBCentralManagerDelegate", "required method",
            "func centralManagerDidUpdateState(_ central: CBCentralManager)", of: "CBCentralManagerDelegate"
        ) {
            let witness = CBCentralManagerDelegateWitness()
            let delegate: any CBCentralManagerDelegate = witness
            delegate.centralManagerDidUpdateState(objects.central.manager)
            return witness.calls == ["func centralManagerDidUpdateState(_ central: CBCentralManager)"]
        }
        row(
            "CBCentralManagerDelegate", "optional method",
            "optional func centralManager(_ central: CBCentralManager, willRestoreState dict: [String : Any])",
            of: "CBCentralManagerDelegate"
        ) {
            (BareCBCentralManagerDelegate() as any CBCentralManagerDelegate).centralManager(
                objects.central.manager, willRestoreState: [:])
            let witness = CBCentralManagerDelegateWitness()
            let delegate: any CBCentralManagerDelegate = witness
            delegate.centralManager(objects.central.manager, willRestoreState: [:])
            return witness.calls == [
                "func centralManager(_ central: CBCentralManager, willRestoreState dict: [String : Any])"
            ]
        }
        row(
            "CBCentralManagerDelegate", "optional method",
            "optional func centralManager(_ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String : Any], rssi RSSI: NSNumber)",
            of: "CBCentralManagerDelegate"
        ) {
            (BareCBCentralManagerDelegate() as any CBCentralManagerDelegate).centralManager(
                objects.central.manager, didDiscover: objects.device, advertisementData: [:], rssi: -40)
            let witness = CBCentralManagerDelegateWitness()
            let delegate: any CBCentralManagerDelegate = witness
            delegate.centralManager(
                objects.central.manager, didDiscover: objects.device, advertisementData: [:], rssi: -40)
            return witness.calls == [
                "func centralManager(_ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String : Any], rssi RSSI: NSNumber)"
            ]
        }
        row(
            "CBCentralManagerDelegate", "optional method",
            "optional func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral)",
            of: "CBCentralManagerDelegate"
        ) {
            (BareCBCentralManagerDelegate() as any CBCentralManagerDelegate).centralManager(
                objects.central.manager, didConnect: objects.device)
            let witness = CBCentralManagerDelegateWitness()
            let delegate: any CBCentralManagerDelegate = witness
            delegate.centralManager(objects.central.manager, didConnect: objects.device)
            return witness.calls == [
                "func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral)"
            ]
        }
        row(
            "CBCentralManagerDelegate", "optional method",
            "optional func centralManager(_ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?)",
            of: "CBCentralManagerDelegate"
        ) {
            (BareCBCentralManagerDelegate() as any CBCentralManagerDelegate).centralManager(
                objects.central.manager, didFailToConnect: objects.device, error: nil)
            let witness = CBCentralManagerDelegateWitness()
            let delegate: any CBCentralManagerDelegate = witness
            delegate.centralManager(objects.central.manager, didFailToConnect: objects.device, error: nil)
            return witness.calls == [
                "func centralManager(_ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?)"
            ]
        }
        row(
            "CBCentralManagerDelegate", "optional method",
            "optional func centralManager(_ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?)",
            of: "CBCentralManagerDelegate"
        ) {
            (BareCBCentralManagerDelegate() as any CBCentralManagerDelegate).centralManager(
                objects.central.manager, didDisconnectPeripheral: objects.device, error: nil)
            let witness = CBCentralManagerDelegateWitness()
            let delegate: any CBCentralManagerDelegate = witness
            delegate.centralManager(objects.central.manager, didDisconnectPeripheral: objects.device, error: nil)
            return witness.calls == [
                "func centralManager(_ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?)"
            ]
        }
        row(
            "CBCentralManagerDelegate", "optional method",
            "optional func centralManager(_ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, timestamp: CFAbsoluteTime, isReconnecting: Bool, error: (any Error)?)",
            of: "CBCentralManagerDelegate"
        ) {
            (BareCBCentralManagerDelegate() as any CBCentralManagerDelegate).centralManager(
                objects.central.manager, didDisconnectPeripheral: objects.device, timestamp: 1, isReconnecting: false,
                error: nil)
            let witness = CBCentralManagerDelegateWitness()
            let delegate: any CBCentralManagerDelegate = witness
            delegate.centralManager(
                objects.central.manager, didDisconnectPeripheral: objects.device, timestamp: 1, isReconnecting: false,
                error: nil)
            return witness.calls == [
                "func centralManager(_ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, timestamp: CFAbsoluteTime, isReconnecting: Bool, error: (any Error)?)"
            ]
        }
        row(
            "CBCentralManagerDelegate", "optional method",
            "optional func centralManager(_ central: CBCentralManager, connectionEventDidOccur event: CBConnectionEvent, for peripheral: CBPeripheral)",
            of: "CBCentralManagerDelegate"
        ) {
            (BareCBCentralManagerDelegate() as any CBCentralManagerDelegate).centralManager(
                objects.central.manager, connectionEventDidOccur: .peerConnected, for: objects.device)
            let witness = CBCentralManagerDelegateWitness()
            let delegate: any CBCentralManagerDelegate = witness
            delegate.centralManager(
                objects.central.manager, connectionEventDidOccur: .peerConnected, for: objects.device)
            return witness.calls == [
                "func centralManager(_ central: CBCentralManager, connectionEventDidOccur event: CBConnectionEvent, for peripheral: CBPeripheral)"
            ]
        }
        row(
            "CBCentralManagerDelegate", "optional method",
            "optional func centralManager(_ central: CBCentralManager, didUpdateANCSAuthorizationFor peripheral: CBPeripheral)",
            of: "CBCentralManagerDelegate"
        ) {
            (BareCBCentralManagerDelegate() as any CBCentralManagerDelegate).centralManager(
                objects.central.manager, didUpdateANCSAuthorizationFor: objects.device)
            let witness = CBCentralManagerDelegateWitness()
            let delegate: any CBCentralManagerDelegate = witness
            delegate.centralManager(objects.central.manager, didUpdateANCSAuthorizationFor: objects.device)
            return witness.calls == [
                "func centralManager(_ central: CBCentralManager, didUpdateANCSAuthorizationFor peripheral: CBPeripheral)"
            ]
        }
    }
}
