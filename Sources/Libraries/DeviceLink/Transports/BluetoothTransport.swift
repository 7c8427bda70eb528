import CoreBluetooth

/// The way over Bluetooth LE: a central that finds the device by the name that it advertises, and writes to its service.
///
/// The octets of the secure channel are cut into values as the MTU allows: one write with response at a time in one direction, notifications in the
/// other. The object has a central manager of its own.
public final class BluetoothTransport: DeviceTransport {
    /// `bluetooth`.
    public let name = "bluetooth"
    private let session: BluetoothTransportSession

    /// Prepares the way.
    ///
    /// - Parameters:
    ///   - device: The identifier of the device, which advertises it as its name, or the beginning of it.
    ///   - key: The key of the device.
    ///   - queue: The serial queue of the link.
    public init(to device: String, key: LinkKey, queue: DispatchQueue = .main) {
        session = BluetoothTransportSession(to: device, key: key, queue: queue)
    }

    /// Looks for the device and connects.
    public func open(_ report: @escaping @Sendable (DeviceTransportEvent) -> Void) { session.open(report) }

    /// Sends an envelope.
    public func send(_ envelope: [UInt8]) { session.send(envelope) }

    /// Ends the link.
    public func close() { session.close() }
}
