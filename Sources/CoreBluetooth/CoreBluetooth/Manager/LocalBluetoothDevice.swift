import BLEAdapter

internal import BLERuntime

/// The local Bluetooth device of this program's managers.
///
/// Apple's framework has no equivalent, because the user names an Apple device in its settings.
public enum LocalBluetoothDevice {
    /// Changes the GAP device name (2A00). Other devices read it after they connect. The advertised name is independent:
    /// `CBAdvertisementDataLocalNameKey` in ``CBPeripheralManager/startAdvertising(_:)``.
    ///
    /// Inside `VirtualDevice.run` the call renames that device, elsewhere the device of the process. The initial name is the
    /// environment variable `BLUETOOTH_NAME`, or a name that depends on the controller (<doc:DifferencesFromApple>). Connected
    /// devices that are subscribed to Service Changed read the new name.
    ///
    /// - Parameter name: The name. Text longer than 248 octets of UTF-8 is truncated at a character boundary.
    public static func rename(_ name: String) { AdapterBinding.current().rename(name) }
}
