import BLEWire

/// The address of a received PDU, and the device that it belongs to.
struct PeerAddress: Hashable {
    /// The address in the PDU.
    let onAir: DeviceAddress
    /// The identity address that `onAir` resolves to, otherwise `onAir`.
    let device: DeviceAddress

    init(_ address: DeviceAddress) { (onAir, device) = (address, address) }

    init(_ address: DeviceAddress, identity: DeviceAddress) { (onAir, device) = (address, identity) }

    /// Whether `onAir` is a private address that the controller resolved.
    var isResolved: Bool { onAir != device }

    /// The address for the host. Identity kinds mark a resolved address (Vol 4, Part E, 7.7.65.2).
    var reported: DeviceAddress { isResolved ? device.asResolved : device }

    /// Whether the host means this device. It may name a device by its identity, or by a private address that it resolved itself.
    func matches(_ requested: DeviceAddress) -> Bool { device == requested.asDevice || onAir == requested }
}
