import BLEAdapter
import BLEWire

/// L2CAP channels that centrals open, which bluetoothd knows nothing about. All methods and callbacks run on the adapter's scheduler.
protocol PeripheralChannels: AnyObject {
    /// Accepts channels under a new SPSM. `completion` is called once, and `onOpened` for each channel, with the address of the central.
    func publish(
        requiresEncryption: Bool, completion: @escaping (Result<UInt16, ChannelError>) -> Void,
        onOpened: @escaping (ChannelHandle, DeviceAddress) -> Void)
    /// Stops accepting channels and closes the open ones.
    func unpublish(_ psm: UInt16)
}
