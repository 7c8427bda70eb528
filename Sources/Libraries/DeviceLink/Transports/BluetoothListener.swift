import CoreBluetooth

/// The listener over Bluetooth LE: a peripheral that advertises the identifier as its name and publishes the link service.
///
/// The object has a peripheral manager of its own. At most eight centrals have a channel at the same time.
public final class BluetoothListener: DeviceListener {
    /// `bluetooth`.
    public let name = "bluetooth"
    private let session: BluetoothListenerSession
    /// Octets that do not belong to a channel.
    package var refused: Int { session.refused }

    /// Prepares the listener.
    ///
    /// - Parameters:
    ///   - device: The identifier of the device. Of one with more than 8 octets the beginning is advertised.
    ///   - key: The key of the device.
    ///   - queue: The serial queue of the device.
    public init(_ device: String, key: LinkKey, queue: DispatchQueue = .main) {
        session = BluetoothListenerSession(device, key: key, queue: queue)
    }

    /// Publishes the service and advertises it, now and after each loss of power.
    public func open(_ report: @escaping @Sendable (DeviceListenerEvent) -> Void) { session.open(report) }

    /// Sends an envelope to a client.
    public func send(_ envelope: [UInt8], to client: UInt64) { session.send(envelope, to: client) }

    /// Stops advertising and removes the service.
    public func close() { session.close() }
}
