// Made by Scripts/generate-manifest-tests from Documentation/symbols.tsv. Do not edit.
import CoreBluetooth

extension ManifestChecks {
    /// Every row's check.
    func checkAll(_ objects: ManifestObjects) {
        checkCBManager1(objects)
        checkCBCentralManager1(objects)
        checkCBCentralManagerDelegate1(objects)
        checkCBPeerAndCBCentral1(objects)
        checkCBPeripheral1(objects)
        checkCBPeripheralDelegate1(objects)
        checkCBPeripheralManager1(objects)
        checkCBPeripheralManagerDelegate1(objects)
        checkGATTObjects1(objects)
        checkGATTObjects2(objects)
        checkCBUUID1(objects)
        checkL2CAP1(objects)
        checkChannelSoundingIOS271(objects)
        checkErrors1(objects)
        checkErrors2(objects)
        checkGlobalConstants1(objects)
    }
}
