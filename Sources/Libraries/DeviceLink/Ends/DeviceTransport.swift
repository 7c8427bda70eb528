import CoreBluetooth

/// What happens on a way.
public enum DeviceTransportEvent: Hashable, Sendable {
    /// The device can be reached.
    case opened
    /// An envelope of the device.
    case received([UInt8])
    /// The way cannot be opened, or has ended; the text has the reason for people. It can be opened again.
    case closed(String)
}

/// One way from a client to a device. Ways carry envelopes, and may lose, repeat and reorder them.
///
/// All calls and events are on one serial queue, which the way got when it was created: that of the link. The reports of an earlier opening
/// must not arrive after the next one.
public protocol DeviceTransport: AnyObject, Sendable {
    /// A word that says which way this is, such as `bluetooth`.
    var name: String { get }
    /// Opens the way. The reports end with `closed`, or when the link calls ``close()``.
    func open(_ report: @escaping @Sendable (DeviceTransportEvent) -> Void)
    /// Sends an envelope. One that cannot be sent is dropped.
    func send(_ envelope: [UInt8])
    /// Closes the way. No report follows.
    func close()
}

/// What happens at a listener.
public enum DeviceListenerEvent: Hashable, Sendable {
    /// Clients can come; the text says where, for people.
    case opened(String)
    /// An envelope of a client.
    case received([UInt8], client: UInt64)
    /// A client has gone.
    case left(UInt64)
    /// The listener is closed; the text has the reason for people.
    case failed(String)
}

/// The device's end of a way: clients come through it. Each client has a number of its own, which is not used again.
///
/// All calls and events are on one serial queue, which the listener got when it was created.
public protocol DeviceListener: AnyObject, Sendable {
    /// A word that says which way leads here, such as `bluetooth`.
    var name: String { get }
    /// Opens the listener. Called once.
    func open(_ report: @escaping @Sendable (DeviceListenerEvent) -> Void)
    /// Sends an envelope to a client. One that cannot be sent is dropped.
    func send(_ envelope: [UInt8], to client: UInt64)
    /// Closes the listener. No report follows.
    func close()
}
