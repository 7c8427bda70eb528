import BLEAdapter

#if !canImport(Darwin)
internal import BLERuntime

/// The Bluetooth device that the managers of this program are on.
///
/// Apple's framework has no counterpart: there the owner of the phone gives it a name in Settings.
public enum LocalBluetoothDevice {
    /// Changes the GAP device name (2A00), which other devices read after they connected, and by which they then know
    /// this device. The advertised name is another one: `CBAdvertisementDataLocalNameKey` in
    /// ``CBPeripheralManager/startAdvertising(_:)``.
    ///
    /// Inside `VirtualDevice.run` the call concerns that device, elsewhere the process. The process begins with the environment
    /// variable `BLUETOOTH_NAME`, else with a name that fits its controller (<doc:DifferencesFromApple>). Connected devices
    /// that listen for changes of the services read the new name.
    ///
    /// - Parameter name: any text. What is longer than 248 octets of UTF-8 is cut at the end of a character.
    public static func rename(_ name: String) { AdapterBinding.current().rename(name) }
}
#endif
